/** Refused calls: recorded in the transaction that refused them, repeats folded, the oldest dropped first. */
import { keyOf } from "#domain/access/origin.ts";
import type { AccountId } from "#domain/account.ts";
import type { Command } from "#domain/ports/command.ts";
import { fingerprint, isNoOp, type Retention } from "#domain/refusal.ts";
import { integer, type RowOf } from "../../cold/kit/statement.ts";
import { STEP } from "../../writes/step.ts";
import type { Connection } from "../connection.ts";
import { change, statement } from "../statement.ts";

const COUNT_NO_OP = change(
  `INSERT INTO no_op (account_id, operation, outcome, count)
   VALUES (?, ?, ?, 1)
   ON CONFLICT (account_id, operation, outcome) DO UPDATE SET count = count + 1`,
);
const COUNT_REPEAT = change(
  `UPDATE refused SET count = count + 1, last_at = max(last_at, ?), key_id = ?
   WHERE account_id = ? AND fingerprint = ?`,
);
const size = { rows: integer, bytes: integer };
type Size = RowOf<typeof size>;
const INSERT = statement(
  size,
  `INSERT INTO refused (
     account_id, operation, args, is_cut, outcome, key_id, fingerprint, first_at, last_at
   ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
   RETURNING 1 AS rows, octet_length(args) AS bytes`,
);
const COUNT = change(
  `UPDATE account SET refused_rows = refused_rows + ?, refused_bytes = refused_bytes + ?
   WHERE id = ?`,
);
const KEPT = statement(size, "SELECT refused_rows AS rows, refused_bytes AS bytes FROM account WHERE id = ?");
const DROP_OLDEST = statement(
  { bytes: integer },
  `DELETE FROM refused
   WHERE id = (SELECT id FROM refused WHERE account_id = ? ORDER BY last_at, id LIMIT 1)
   RETURNING octet_length(args) AS bytes`,
);

export function keepRefusal(
  db: Connection,
  { account, at, origin, recordedCall }: Command,
  outcome: string,
  retention: Retention,
): void {
  if (recordedCall === null) return;
  if (isNoOp(outcome)) {
    db.run(COUNT_NO_OP, account, recordedCall.operation, outcome);
    return;
  }
  const print = fingerprint(account, recordedCall, outcome);
  const key = keyOf(origin);
  const isRepeat = db.run(COUNT_REPEAT, at, key, account, print) > 0;
  if (isRepeat) return;
  const inserted = db.get(
    INSERT,
    account,
    recordedCall.operation,
    recordedCall.args,
    recordedCall.isCut ? 1 : 0,
    outcome,
    key,
    print,
    at,
    at,
  );
  count(db, account, 1, inserted ?? { rows: 0, bytes: 0 });
  dropSurplus(db, account, retention);
}

const count = (db: Connection, account: AccountId, by: 1 | -1, { rows, bytes }: Size): number =>
  db.run(COUNT, by * rows, by * bytes, account);

/** The oldest first. A batch is bounded for the case that the limits were lowered. */
function dropSurplus(db: Connection, account: AccountId, retention: Retention): void {
  const kept = db.get(KEPT, account);
  if (kept === undefined) return;
  let [rows, bytes] = [0, 0];
  while (rows < STEP && (kept.rows - rows > retention.rows || kept.bytes - bytes > retention.bytes)) {
    const dropped = db.get(DROP_OLDEST, account);
    if (dropped === undefined) break;
    rows += 1;
    bytes += dropped.bytes;
  }
  if (rows > 0) count(db, account, -1, { rows, bytes });
}
