/** Refused calls: kept in the transaction that refused them, folded, and dropped oldest first. */
import type { AccountId } from "../../domain/account.ts";
import { keyOf } from "../../domain/origin.ts";
import type { AlreadySo, Command, Reads, Writes } from "../../domain/ports.ts";
import { fingerprint, isAlreadySo, keptSince, type Refusal, type Retention } from "../../domain/refusal.ts";
import { REFUSAL } from "../rows.ts";
import type { Connection } from "./connection.ts";

export function keepRefusal(
  db: Connection,
  { account, at, origin, asked }: Command,
  outcome: string,
  retention: Retention,
): void {
  if (asked === null) return;
  if (isAlreadySo(outcome)) {
    db.run(
      "INSERT INTO already_so (account_id, operation, outcome, count) VALUES (?, ?, ?, 1) ON CONFLICT (account_id, operation, outcome) DO UPDATE SET count = count + 1",
      account,
      asked.operation,
      outcome,
    );
    return;
  }
  const print = fingerprint(account, asked, outcome);
  const key = keyOf(origin);
  const isRepeat =
    db.run(
      "UPDATE refused SET count = count + 1, last_at = max(last_at, ?), key_id = ? WHERE account_id = ? AND fingerprint = ?",
      at,
      key,
      account,
      print,
    ) > 0;
  if (isRepeat) return;
  db.run(
    "INSERT INTO refused (account_id, operation, args, is_cut, outcome, key_id, fingerprint, first_at, last_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    account,
    asked.operation,
    asked.args,
    asked.isCut ? 1 : 0,
    outcome,
    key,
    print,
    at,
    at,
  );
  countRows(db, account, 1);
  const rows = db.get<{ n: number }>("SELECT refused_rows AS n FROM account WHERE id = ?", account)?.n ?? 0;
  if (rows > retention.rows) dropOldest(db, account, rows - retention.rows);
}

const countRows = (db: Connection, account: AccountId, by: number): number =>
  db.run("UPDATE account SET refused_rows = refused_rows + ? WHERE id = ?", by, account);

function dropOldest(db: Connection, account: AccountId, count: number): void {
  const dropped = db.run(
    "DELETE FROM refused WHERE id IN (SELECT id FROM refused WHERE account_id = ? ORDER BY last_at, id LIMIT ?)",
    account,
    count,
  );
  countRows(db, account, -dropped);
}

export function forgetRefusals(
  db: Connection,
  { now }: Writes["forgetRefusals"]["args"],
  retention: Retention,
): number {
  const before = keptSince(now, retention);
  let total = 0;
  for (const { id } of db.all<{ id: number }>("SELECT id FROM account")) {
    const dropped = db.run("DELETE FROM refused WHERE account_id = ? AND last_at < ?", id, before);
    if (dropped > 0) countRows(db, id, -dropped);
    total += dropped;
  }
  return total;
}

export const dismissRefusal = (db: Connection, { account, id }: Writes["dismissRefusal"]["args"]): boolean =>
  dropRefusals(db, account, [id]) > 0;

/** How many of them there were. */
export function dropRefusals(db: Connection, account: AccountId, ids: readonly number[]): number {
  let dropped = 0;
  for (const id of ids) dropped += db.run("DELETE FROM refused WHERE account_id = ? AND id = ?", account, id);
  if (dropped > 0) countRows(db, account, -dropped);
  return dropped;
}

interface RefusalRow extends Omit<Refusal, "isCut"> {
  readonly isCut: number;
}
const toRefusal = (row: RefusalRow): Refusal => ({ ...row, isCut: row.isCut === 1 });

/** Newest first. */
export const refusals = (db: Connection, { account, limit }: Reads["refusals"]["args"]): readonly Refusal[] =>
  db
    .all<RefusalRow>(
      `SELECT ${REFUSAL} FROM refused WHERE account_id = ? ORDER BY last_at DESC, id DESC LIMIT ?`,
      account,
      limit,
    )
    .map(toRefusal);

export function refusal(db: Connection, { account, id }: Reads["refusal"]["args"]): Refusal | null {
  const row = db.get<RefusalRow>(
    `SELECT ${REFUSAL} FROM refused WHERE account_id = ? AND id = ?`,
    account,
    id,
  );
  return row === undefined ? null : toRefusal(row);
}

export const alreadySo = (db: Connection, { account }: Reads["alreadySo"]["args"]): readonly AlreadySo[] =>
  db.all<AlreadySo>(
    "SELECT operation, outcome, count FROM already_so WHERE account_id = ? ORDER BY operation, outcome",
    account,
  );
