/**
 * The locks of a transaction, and their order. Every transaction takes its locks in this order, so that no
 * two can wait for each other:
 *
 * 1. the installation: creates accounts and tables
 * 2. the gates of accounts, in order of id. An admin command closes the gate; groups of writes share it,
 *    except where one needs the account for itself (`hot/group-locks.ts`)
 * 3. the rows of these accounts, in order of id: `FOR UPDATE` for an admin command, `FOR KEY SHARE` for a
 *    group
 * 4. the subscribers that a group names, in order of account and address: `FOR UPDATE`
 * 5. the addresses of new subscribers, in one order, as entries of their unique index
 * 6. the rows of the accounts whose counters change, in order of id: `FOR NO KEY UPDATE`
 *
 * What hangs on a subscriber (memberships, values, history, campaign events) is changed only under 4, or
 * under 5 if the subscriber is new. Counters, refused calls and no-ops are changed only under 6. All the rest
 * of an account – its settings, lists, fields, blocks, campaigns, erased addresses – is changed only by one
 * that has closed the gate. Admin commands therefore need no lock after 3.
 *
 * The row locks (3) alone would keep an admin command and a group apart. But a row lets every new group in
 * while an admin command waits, which with several nodes may be for ever; a gate queues them.
 */
import type { AccountId } from "../../../domain/account.ts";
import { integer, text } from "../../cold/statement.ts";
import { statement } from "../statement.ts";
import type { Connection } from "./connection.ts";

/** Any number that nothing else uses in this database: "mailroll" in ASCII. */
const INSTALLATION = "x'6d61696c726f6c6c'::bigint";
export const INSTALLATION_LOCK = `SELECT pg_advisory_xact_lock(${INSTALLATION})`;

/** The numbers after it are the gates of the accounts. */
export const gateOf = (id: string): string => `${INSTALLATION} + ${id}`;

const inOrder = (accounts: readonly AccountId[]): readonly AccountId[] =>
  accounts.toSorted((one, other) => one - other);

const CLOSE_GATES = statement(
  { gate: text },
  `SELECT pg_advisory_xact_lock(${gateOf("n.id")})::text AS gate FROM unnest($1::bigint[]) AS n (id)`,
);
const LOCK_ACCOUNTS = statement(
  { one: integer },
  "SELECT 1 AS one FROM account WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE",
);
/** For an admin command: nobody else changes anything of these accounts until the transaction ends. */
export async function lockAccounts(db: Connection, accounts: readonly AccountId[]): Promise<void> {
  const ids = inOrder(accounts);
  await Promise.all([db.run(CLOSE_GATES, ids), db.run(LOCK_ACCOUNTS, ids)]);
}
