/** Recognises an erased address. */
import type { AccountId } from "../../domain/account.ts";
import type { Address } from "../../domain/address.ts";
import { erasureHash } from "../../domain/erasure.ts";
import type { Suppressions } from "../../domain/subscriber.ts";
import { FACTS } from "../rows.ts";
import type { Connection } from "./connection.ts";

/** What is stored for the address under the account's erasure key. */
export const erasedBy = (
  db: Connection,
  account: AccountId,
  key: Uint8Array,
  address: Pick<Address, "key">,
): Suppressions | null =>
  db.get<Suppressions>(
    `SELECT ${FACTS} FROM erased WHERE account_id = ? AND hash = ?`,
    account,
    erasureHash(key, address),
  ) ?? null;

export const erasureKeyOf = (db: Connection, account: AccountId): Uint8Array | null =>
  db.get<{ key: Uint8Array | null }>("SELECT erasure_key AS key FROM account WHERE id = ?", account)?.key ??
  null;

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
    "DELETE FROM erased WHERE account_id = ? AND hash = ? AND coalesce(unsubscribed_at, bounced_at, complained_at, blocked_at) IS NULL",
    account,
    hash,
  );
  return wasBlocked;
}
