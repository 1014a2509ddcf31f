/** Blocks of addresses that were erased while they were on the block list. */
import type { AccountId } from "#domain/account.ts";
import { erasureHash } from "#domain/subscriber/erasure.ts";
import { suppressionColumns } from "../../reads/who-counts.ts";
import type { Db } from "../kit/db.ts";
import { bytes, change, nullable, statement } from "../kit/statement.ts";

const erasureKey = statement(
  { key: nullable(bytes) },
  "SELECT erasure_key AS key FROM account WHERE id = $1",
);
const clear = change(
  "UPDATE erased SET blocked_at = NULL WHERE account_id = $1 AND hash = $2 AND blocked_at IS NOT NULL",
);
const removeEmpty = change(
  `DELETE FROM erased
   WHERE account_id = $1 AND hash = $2
     AND coalesce(${suppressionColumns.join(", ")}) IS NULL`,
);

/** null: the account never erased a subscriber. */
export const erasureKeyOf = async (db: Db, account: AccountId): Promise<Uint8Array | null> =>
  (await db.get(erasureKey, account))?.key ?? null;

/** False if there is none. */
export async function removeErasedBlock(db: Db, account: AccountId, address: string): Promise<boolean> {
  const key = await erasureKeyOf(db, account);
  if (key === null) return false;
  const hash = erasureHash(key, { key: address });
  const wasBlocked = (await db.run(clear, account, hash)) > 0;
  await db.run(removeEmpty, account, hash);
  return wasBlocked;
}
