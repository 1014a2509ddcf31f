/** The API keys whose programs get faults or refusals, or show a quirk; among the newest keys. */
import { quirkKinds } from "#domain/statistics.ts";
import { integer, oneOf, statement, text } from "../kit/statement.ts";

const name = { key: integer, label: text, hint: text };
/** The newest keys of the account `$1`, at most `$2`. */
const NEWEST =
  "(SELECT id, label, hint FROM api_key WHERE account_id = $1 ORDER BY id DESC LIMIT $2 + 0) AS k";
const sum = (column: string): string => `CAST(sum(d.${column}) AS bigint) AS ${column}`;

export const failingKeys = statement(
  { ...name, calls: integer, refusals: integer, faults: integer },
  ({ lookUp }) => `
   SELECT k.id AS key, k.label, k.hint, ${["calls", "refusals", "faults"].map(sum).join(", ")}
   FROM ${NEWEST}
   ${lookUp("call_day", "d", "d.account_id = $1 AND d.key_id = k.id AND d.day BETWEEN $3 AND $4")}
   GROUP BY k.id, k.label, k.hint
   HAVING sum(d.refusals + d.faults) > 0
   ORDER BY sum(d.refusals + d.faults) DESC, k.id
   LIMIT $5 + 0`,
);
export const quirkyKeys = statement(
  { ...name, quirk: oneOf(quirkKinds), program: text, seenAt: integer, calls: integer },
  ({ lookUp }) => `
   SELECT
     k.id AS key, k.label, k.hint, q.quirk, q.program, q.seen_at AS "seenAt",
     (
       SELECT CAST(coalesce(sum(d.calls), 0) AS bigint) FROM call_day AS d
       WHERE d.account_id = $1 AND d.key_id = k.id AND d.day BETWEEN $5 AND $6
     ) AS calls
   FROM ${NEWEST}
   ${lookUp("client_quirk", "q", "q.account_id = $1 AND q.key_id = k.id")}
   WHERE q.seen_at >= $3
   ORDER BY q.seen_at DESC, k.id, q.quirk
   LIMIT $4 + 0`,
);
