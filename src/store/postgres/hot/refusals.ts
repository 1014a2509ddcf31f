/** Refused calls: recorded in the transaction that refused them, repeats folded, the oldest dropped first. */
import { keyOf } from "../../../domain/origin.ts";
import type { Command } from "../../../domain/ports/command.ts";
import { fingerprint, isNoOp, type Retention } from "../../../domain/refusal.ts";
import { STEP } from "../../step.ts";
import type { Statement } from "../sessions/connection.ts";
import { of, type WorkingSet } from "./working-set.ts";

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

export function saveRefusals(set: WorkingSet, retention: Retention): readonly Statement[] {
  const rows = [...set.refusals.values()];
  const counts = [...set.noOps.values()];
  const statements: Statement[] = [];
  if (counts.length > 0)
    statements.push({
      sql: "INSERT INTO no_op AS a (account_id, operation, outcome, count) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[]) ON CONFLICT (account_id, operation, outcome) DO UPDATE SET count = a.count + excluded.count",
      values: [
        counts.map(({ account }) => account),
        counts.map(({ operation }) => operation),
        counts.map(({ outcome }) => outcome),
        counts.map(({ count }) => count),
      ],
    });
  if (rows.length > 0)
    statements.push(
      {
        // All parts of a statement see the table as it was before it. So `fresh` are the calls that become
        // new rows.
        sql: `WITH given AS (
                SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::boolean[], $5::text[], $6::bigint[], $7::bytea[], $8::bigint[], $9::bigint[], $10::bigint[])
                  AS g (account_id, operation, args, is_cut, outcome, key_id, fingerprint, count, first_at, last_at)
              ), fresh AS (
                SELECT account_id, count(*) AS rows, sum(octet_length(args)) AS bytes FROM given
                WHERE NOT EXISTS (SELECT FROM refused AS r WHERE r.account_id = given.account_id AND r.fingerprint = given.fingerprint)
                GROUP BY account_id
              ), kept AS (
                INSERT INTO refused AS r (account_id, operation, args, is_cut, outcome, key_id, fingerprint, count, first_at, last_at)
                SELECT * FROM given
                ON CONFLICT (account_id, fingerprint) DO UPDATE SET count = r.count + excluded.count, last_at = greatest(r.last_at, excluded.last_at), key_id = excluded.key_id
              )
              UPDATE account SET refused_rows = refused_rows + fresh.rows, refused_bytes = refused_bytes + fresh.bytes
              FROM fresh WHERE account.id = fresh.account_id`,
        values: [
          rows.map(({ account }) => account),
          rows.map(({ recordedCall }) => recordedCall.operation),
          rows.map(({ recordedCall }) => recordedCall.args),
          rows.map(({ recordedCall }) => recordedCall.isCut),
          rows.map(({ outcome }) => outcome),
          rows.map(({ key }) => key),
          rows.map((row) => row.fingerprint),
          rows.map(({ count }) => count),
          rows.map(({ firstAt }) => firstAt),
          rows.map(({ lastAt }) => lastAt),
        ],
      },
      {
        // The oldest first. A batch is bounded for the case that the limits were lowered.
        sql: `WITH surplus AS (
                SELECT a.id AS account_id, r.id FROM account AS a
                CROSS JOIN LATERAL (
                  SELECT id, row_number() OVER w AS nth, sum(bytes) OVER w - bytes AS before
                  FROM (SELECT id, last_at, octet_length(args) AS bytes FROM refused WHERE account_id = a.id ORDER BY last_at, id LIMIT ${STEP}) AS o
                  WINDOW w AS (ORDER BY last_at, id)
                ) AS r
                WHERE a.id = ANY ($1::bigint[]) AND (a.refused_rows > $2 OR a.refused_bytes > $3)
                  AND (r.nth <= a.refused_rows - $2 OR r.before < a.refused_bytes - $3)
              ), dropped AS (
                DELETE FROM refused AS r USING surplus AS s WHERE r.account_id = s.account_id AND r.id = s.id RETURNING ${DROPPED}
              )
              ${UNCOUNT}`,
        values: [[...new Set(rows.map(({ account }) => account))], retention.rows, retention.bytes],
      },
    );
  return statements;
}

/** What the counters need of deleted rows (`FROM refused AS r`), and the statement that subtracts it. */
const DROPPED = "r.account_id, octet_length(r.args) AS bytes";
const UNCOUNT =
  "UPDATE account SET refused_rows = refused_rows - d.rows, refused_bytes = refused_bytes - d.bytes FROM (SELECT account_id, count(*) AS rows, sum(bytes) AS bytes FROM dropped GROUP BY account_id) AS d WHERE account.id = d.account_id";
