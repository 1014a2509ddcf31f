/**
 * The locks of a transaction. Whoever changes anything of an account locks the account's row first, several in the
 * order of their ids: so nodes cannot deadlock, and everything of an account happens one after the other. Making
 * accounts and tables is serialised by one lock of the installation.
 */
import type { AccountId } from "../../domain/account.ts";
import type { Connection } from "./connection.ts";

/** Any number will do that nobody else uses in this database: "mailroll" in ASCII. */
export const INSTALLATION_LOCK = "SELECT pg_advisory_xact_lock(x'6d61696c726f6c6c'::bigint)";

export const lockAccount = async (db: Connection, account: AccountId): Promise<boolean> =>
  (await db.get("SELECT 1 AS one FROM account WHERE id = $1 FOR UPDATE", account)) !== undefined;
