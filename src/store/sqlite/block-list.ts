/** Reads the block list. */
import type { AccountId } from "../../domain/account.ts";
import type { Connection } from "./connection.ts";

/** Since when a block covers the address, directly or by its domain. */
export const blockedAt = (db: Connection, account: AccountId, key: string, domain: string): number | null =>
  db.get<{ at: number | null }>(
    "SELECT min(created_at) AS at FROM block WHERE account_id = ? AND pattern IN (?, ?)",
    account,
    key,
    `@${domain}`,
  )?.at ?? null;
