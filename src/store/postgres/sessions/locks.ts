/**
 * The locks of a transaction, and their order. Every transaction takes its locks in this order, so that no
 * two can wait for each other:
 *
 * 0. idempotency keys, in order of user and hash: a repeat of a request waits here, and holds nothing else
 * 1. the installation: creates accounts and tables
 * 2. the gates of accounts, in order of id. A gate is an advisory lock. An admin command holds it
 *    exclusively; groups of writes share it, except where one needs the account for itself
 *    (`hot/load-group.ts`)
 * 3. the rows of these accounts, in order of id: `FOR UPDATE` for an admin command, `FOR KEY SHARE` for a
 *    group
 * 4. the subscribers that a group names, in order of account and address: `FOR UPDATE`
 * 5. the addresses of new subscribers, in one order, as entries of their unique index
 * 6. the rows of the accounts whose counters change, in order of id: `FOR NO KEY UPDATE`
 * 7. the row of a mailing, then that of its sender: `FOR UPDATE`. A transaction locks at most one of each
 *
 * What belongs to a subscriber (memberships, values, history, campaign events) is changed only under lock 4,
 * or under lock 5 if the subscriber is new. Counters, refused calls and no-ops are changed only under lock 6.
 * Everything else of an account – its settings, lists, fields, blocks, campaigns, erased addresses – is
 * changed only by a transaction that holds the gate exclusively. Such a transaction holds the whole account,
 * so admin commands need no lock after 3, except to change a mailing. What belongs to a mailing (its
 * counters, recipients and batches, and the counts for the limits of its sender) is changed under lock 7,
 * mostly without a lock on the account: so callers do not wait for campaigns that are being sent.
 *
 * The row locks (3) alone would keep an admin command and a group apart. But row locks do not queue: new
 * groups would share the row while an admin command waits, with several nodes perhaps for ever. A gate queues
 * them.
 */
import type { AccountId } from "#domain/account.ts";
import { text } from "../../cold/kit/statement.ts";
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
  { made: text, locked: text },
  `SELECT xmin::text AS made, xmax::text AS locked
   FROM account
   WHERE id = ANY ($1::bigint[])
   ORDER BY id
   FOR UPDATE`,
);
const OWN_TRANSACTION = statement({ id: text }, "SELECT pg_current_xact_id()::xid::text AS id");
/** For an admin command: no other transaction changes anything of these accounts until this one ends. */
export async function lockAccounts(db: Connection, accounts: readonly AccountId[]): Promise<AccountLock> {
  const ids = inOrder(accounts);
  const [, rows, self] = await Promise.all([
    db.run(CLOSE_GATES, ids),
    db.all(LOCK_ACCOUNTS, ids),
    db.get(OWN_TRANSACTION),
  ]);
  return {
    transaction: self?.id ?? "",
    before: new Set(rows.flatMap(({ made, locked }) => [made, locked])),
  };
}

/** Transactions by the ids that the server gives to writing ones. */
export interface AccountLock {
  readonly transaction: string;
  /** The last ones that changed or locked the row of the account, as every write of the account does. */
  readonly before: ReadonlySet<string>;
}
