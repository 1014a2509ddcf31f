/** Erases a subscriber, and recognises an erased address. */
import type { AccountId } from "../../domain/account.ts";
import type { Address } from "../../domain/address.ts";
import { erasureHash, keptWhenErased, newErasureKey } from "../../domain/erasure.ts";
import type { Erasure } from "../../domain/ports/subscribers.ts";
import { isActive, type SubscriberId, type Suppressions, suppressionKinds } from "../../domain/subscriber.ts";
import type { Args } from "../methods.ts";
import { KNOWN, type KnownRow, SUPPRESSIONS, toKnown } from "../rows.ts";
import { COUNTED_MEMBERSHIP, suppressionColumns } from "../who-counts.ts";
import type { Connection } from "./connection.ts";
import { eraseFileNames } from "./import-batches.ts";

/** What is stored for the address under the account's erasure key. */
export const erasedBy = (
  db: Connection,
  account: AccountId,
  key: Uint8Array,
  address: Pick<Address, "key">,
): Suppressions | null =>
  db.get<Suppressions>(
    `SELECT ${SUPPRESSIONS} FROM erased WHERE account_id = ? AND hash = ?`,
    account,
    erasureHash(key, address),
  ) ?? null;

export const erasureKeyOf = (db: Connection, account: AccountId): Uint8Array | null =>
  db.get<{ key: Uint8Array | null }>("SELECT erasure_key AS key FROM account WHERE id = ?", account)?.key ??
  null;

/** Created on first use, and never replaced. */
function requireErasureKey(db: Connection, account: AccountId): Uint8Array {
  const made = newErasureKey();
  db.run("UPDATE account SET erasure_key = coalesce(erasure_key, ?) WHERE id = ?", made, account);
  const key = erasureKeyOf(db, account);
  if (key === null) throw new Error(`no account ${account}`);
  return key;
}

interface PersonRow extends KnownRow {
  readonly id: SubscriberId;
}

export function eraseSubscriber(
  db: Connection,
  { account, address, at }: Args<"subscribers.erase">,
): Erasure {
  const row = db.get<PersonRow>(
    `SELECT id, ${KNOWN} FROM subscriber WHERE account_id = ? AND address_key = ?`,
    account,
    address.key,
  );
  const key = erasureKeyOf(db, account);
  const kept = keptWhenErased({
    known: row === undefined ? null : toKnown(row),
    ownBlockAt: dropBlock(db, account, address),
    erased: key === null ? null : erasedBy(db, account, key, address),
  });
  if (key !== null)
    db.run("DELETE FROM erased WHERE account_id = ? AND hash = ?", account, erasureHash(key, address));
  if (kept !== null) keep(db, account, address, at, kept);
  eraseFileNames(db, account, address);
  return { ...remove(db, account, row), kept };
}

const dropBlock = (db: Connection, account: AccountId, { key }: Address): number | null =>
  db.get<{ at: number }>(
    "DELETE FROM block WHERE account_id = ? AND pattern = ? RETURNING created_at AS at",
    account,
    key,
  )?.at ?? null;

function keep(db: Connection, account: AccountId, address: Address, at: number, kept: Suppressions): void {
  db.run(
    `INSERT INTO erased (account_id, hash, erased_at, ${suppressionColumns.join(", ")}) VALUES (?, ?, ?${", ?".repeat(suppressionColumns.length)})`,
    account,
    erasureHash(requireErasureKey(db, account), address),
    at,
    ...suppressionKinds.map((kind) => kept[kind]),
  );
}

function remove(db: Connection, account: AccountId, row: PersonRow | undefined): Omit<Erasure, "kept"> {
  if (row === undefined) return { wasKnown: false, values: 0, lists: 0, history: 0, losses: 0 };
  const { id } = row;
  if (isActive(toKnown(row).suppressions)) {
    db.run("UPDATE account SET active_subscribers = active_subscribers - 1 WHERE id = ?", account);
    db.run(
      `UPDATE list SET member_count = member_count - 1 WHERE id IN (SELECT list_id FROM membership AS m WHERE subscriber_id = ? AND ${COUNTED_MEMBERSHIP})`,
      id,
    );
  }
  const found = {
    wasKnown: true,
    values: db.run("DELETE FROM custom_value WHERE subscriber_id = ?", id),
    lists: db.run("DELETE FROM membership WHERE subscriber_id = ?", id),
    history: db.run("DELETE FROM history WHERE subscriber_id = ?", id),
    losses: db.run("DELETE FROM campaign_event WHERE subscriber_id = ?", id),
  };
  db.run("DELETE FROM subscriber WHERE id = ?", id);
  return found;
}

/** For an address that was on the block list when it was erased; false if there is none. */
export function removeErasedBlock(db: Connection, account: AccountId, address: string): boolean {
  const key = erasureKeyOf(db, account);
  if (key === null) return false;
  const hash = erasureHash(key, { key: address });
  const wasBlocked =
    db.run(
      "UPDATE erased SET blocked_at = NULL WHERE account_id = ? AND hash = ? AND blocked_at IS NOT NULL",
      account,
      hash,
    ) > 0;
  db.run(
    `DELETE FROM erased WHERE account_id = ? AND hash = ? AND coalesce(${suppressionColumns.join(", ")}) IS NULL`,
    account,
    hash,
  );
  return wasBlocked;
}
