/**
 * The locks of a transaction. A transaction that changes data of an account locks the account's row first,
 * several rows in order of id. So nodes cannot deadlock, and writes of one account are serialised. One lock
 * of the installation serialises the creation of accounts and tables.
 */
import type { AccountId } from "../../../domain/account.ts";
import type { Connection } from "./connection.ts";

/** Any number that nothing else uses in this database: "mailroll" in ASCII. */
export const INSTALLATION_LOCK = "SELECT pg_advisory_xact_lock(x'6d61696c726f6c6c'::bigint)";

export const lockAccount = async (db: Connection, account: AccountId): Promise<boolean> =>
  (await db.get("SELECT 1 AS one FROM account WHERE id = $1 FOR UPDATE", account)) !== undefined;
