/** Refused calls: recorded in the transaction that refused them, repeats folded, the oldest dropped first. */
import { keyOf } from "#domain/access/origin.ts";
import type { Command } from "#domain/ports/command.ts";
import { fingerprint, isNoOp, type Retention } from "#domain/refused-call.ts";
import { STEP } from "../../writes/step-limits.ts";
import type { Statement } from "../sessions/connection.ts";
import { change } from "../statement.ts";
import { RowArrays } from "./row-arrays.ts";
import { type CountedNoOps, type FoldedRefusal, of, type WorkingSet } from "./working-set.ts";

/** Records it in the working set. */
export function keepRefusal(
  set: WorkingSet,
  { account, at, origin, recordedCall }: Command,
  outcome: string,
): void {
  if (recordedCall === null) return;
  if (isNoOp(outcome)) {
    const { operation } = recordedCall;
    const id = of(account, `${operation} ${outcome}`);
    const counted = set.noOps.get(id);
    if (counted === undefined) set.noOps.set(id, { account, operation, outcome, count: 1 });
    else counted.count += 1;
    return;
  }
  const print = fingerprint(account, recordedCall, outcome);
  const key = keyOf(origin);
  const id = print.toString("base64");
  const folded = set.refusals.get(id);
  if (folded === undefined) {
    set.refusals.set(id, {
      account,
      recordedCall,
      outcome,
      fingerprint: print,
      key,
      count: 1,
      firstAt: at,
      lastAt: at,
    });
    return;
  }
  folded.count += 1;
  folded.key = key;
  folded.lastAt = Math.max(folded.lastAt, at);
}

const noOp = new RowArrays<CountedNoOps>({
  account_id: ["bigint", ({ account }) => account],
  operation: ["text", ({ operation }) => operation],
  outcome: ["text", ({ outcome }) => outcome],
  count: ["bigint", ({ count }) => count],
});
const COUNT_NO_OPS = change(
  `INSERT INTO no_op AS a (${noOp.names})
   SELECT * FROM ${noOp.table}
   ON CONFLICT (account_id, operation, outcome) DO UPDATE SET count = a.count + excluded.count`,
);

const refusal = new RowArrays<FoldedRefusal>({
  account_id: ["bigint", ({ account }) => account],
  operation: ["text", ({ recordedCall }) => recordedCall.operation],
  args: ["text", ({ recordedCall }) => recordedCall.args],
  is_cut: ["boolean", ({ recordedCall }) => recordedCall.isCut],
  outcome: ["text", ({ outcome }) => outcome],
  key_id: ["bigint", ({ key }) => key],
  fingerprint: ["bytea", (row) => row.fingerprint],
  count: ["bigint", ({ count }) => count],
  first_at: ["bigint", ({ firstAt }) => firstAt],
  last_at: ["bigint", ({ lastAt }) => lastAt],
});
/**
 * All parts of a statement see the table as it was before it. So `fresh` are the calls that become new rows.
 */
const SAVE_REFUSALS = change(
  `WITH given AS (
     SELECT * FROM ${refusal.table}
   ), fresh AS (
     SELECT account_id, count(*) AS rows, sum(octet_length(args)) AS bytes
     FROM given
     WHERE NOT EXISTS (
       SELECT FROM refused AS r
       WHERE r.account_id = given.account_id AND r.fingerprint = given.fingerprint
     )
     GROUP BY account_id
   ), kept AS (
     INSERT INTO refused AS r (${refusal.names})
     SELECT * FROM given
     ON CONFLICT (account_id, fingerprint) DO UPDATE SET
       count = r.count + excluded.count,
       last_at = greatest(r.last_at, excluded.last_at),
       key_id = excluded.key_id
   )
   UPDATE account SET
     refused_rows = refused_rows + fresh.rows,
     refused_bytes = refused_bytes + fresh.bytes
   FROM fresh
   WHERE account.id = fresh.account_id`,
);
/** The oldest first. A batch is bounded for the case that the limits were lowered. */
const DROP_SURPLUS = change(
  `WITH surplus AS (
     SELECT a.id AS account_id, r.id
     FROM account AS a
     CROSS JOIN LATERAL (
       SELECT id, row_number() OVER w AS nth, sum(bytes) OVER w - bytes AS before
       FROM (
         SELECT id, last_at, octet_length(args) AS bytes
         FROM refused
         WHERE account_id = a.id
         ORDER BY last_at, id
         LIMIT ${STEP}
       ) AS o
       WINDOW w AS (ORDER BY last_at, id)
     ) AS r
     WHERE a.id = ANY ($1::bigint[]) AND (a.refused_rows > $2 OR a.refused_bytes > $3)
       AND (r.nth <= a.refused_rows - $2 OR r.before < a.refused_bytes - $3)
   ), dropped AS (
     DELETE FROM refused AS r USING surplus AS s
     WHERE r.account_id = s.account_id AND r.id = s.id
     RETURNING r.account_id, octet_length(r.args) AS bytes
   )
   UPDATE account SET
     refused_rows = refused_rows - d.rows,
     refused_bytes = refused_bytes - d.bytes
   FROM (
     SELECT account_id, count(*) AS rows, sum(bytes) AS bytes FROM dropped GROUP BY account_id
   ) AS d
   WHERE account.id = d.account_id`,
);

export function saveRefusals({ noOps, refusals }: WorkingSet, retention: Retention): readonly Statement[] {
  const refused = [...refusals.values()];
  const accounts = [...new Set(refused.map(({ account }) => account))];
  return [
    ...noOp.to(COUNT_NO_OPS, [...noOps.values()]),
    ...refusal.to(SAVE_REFUSALS, refused),
    ...(refused.length === 0
      ? []
      : [{ sql: DROP_SURPLUS, values: [accounts, retention.rows, retention.bytes] }]),
  ];
}
