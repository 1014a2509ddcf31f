/**
 * The database as the features in `store/cold` use it: declared statements inside one transaction, or on a
 * connection that only reads. Each store implements it in its `cold-db.ts`.
 */
import type { AccountId } from "#domain/account.ts";
import type { CallWrite } from "#domain/ports/refused-calls.ts";
import type { Retention } from "#domain/refused-call.ts";
import type { SubscriberChange } from "#domain/subscriber/change.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import type { Dialect } from "./dialect.ts";
import type { Change, Statement } from "./statement.ts";

type Scalar = string | number | bigint | boolean | Uint8Array | null;
/** An array is for `dialect.isIn`. */
export type Parameter = Scalar | readonly (string | number | bigint)[];

export interface DecidedChanges {
  readonly subscriber: SubscriberId;
  readonly changes: readonly SubscriberChange[];
}

/** The tables in which an id may be chosen, because programs already contain it. */
export const tablesWithIds = ["list", "field", "campaign"] as const;
export type TableWithIds = (typeof tablesWithIds)[number];

/** Changes whose number of rows is of no interest. */
export interface Saves {
  run(change: Change, ...parameters: readonly Parameter[]): Promise<unknown>;
}

/** A read that visits many rows does so in slices. In the pause after each, others may use the connection. */
export interface Slices {
  readonly visits: number;
  readonly pause: () => Promise<void>;
}

export abstract class Db implements Saves {
  abstract readonly dialect: Dialect;
  /** null: no other read waits for the connection. */
  readonly slices: Slices | null = null;
  abstract all<Row>(statement: Statement<Row>, ...parameters: readonly Parameter[]): Promise<readonly Row[]>;
  /** The first row. */
  async get<Row>(statement: Statement<Row>, ...parameters: readonly Parameter[]): Promise<Row | null> {
    return (await this.all(statement, ...parameters))[0] ?? null;
  }
  /** For a statement that always returns a row, such as an INSERT with RETURNING. */
  async one<Row>(statement: Statement<Row>, ...parameters: readonly Parameter[]): Promise<Row> {
    const row = await this.get(statement, ...parameters);
    if (row === null) throw new Error("the statement returned no row");
    return row;
  }
  /** The number of rows changed. */
  abstract run(change: Change, ...parameters: readonly Parameter[]): Promise<number>;
  /**
   * For the last changes of a transaction: PostgreSQL gets them together with the commit, which saves a round
   * trip. What the transaction does after them must not depend on them.
   */
  abstract get atCommit(): Saves;
  /** After an import: shrinks memory and journal to their usual size. */
  abstract endImport(): Promise<void>;
  /**
   * Excludes all other writes of the account until the transaction ends. Not needed in a command whose
   * arguments contain `account`: that account is already locked.
   */
  abstract lockAccount(account: AccountId): Promise<void>;
  /** Saves what a rule decided for subscribers of an account, in order. Locks nothing. */
  abstract saveChanges(account: AccountId, decided: readonly DecidedChanges[]): Promise<void>;
  /** Executes calls in order, and returns their outcomes. Locks nothing. */
  abstract execute(calls: readonly CallWrite[], retention: Retention): Promise<readonly string[]>;
  /** Serialises what concerns the installation as a whole, such as its first account. */
  abstract lockInstallation(): Promise<void>;
  /**
   * False if a row of any account has the id. Otherwise it cannot be taken by others any more, and later ids
   * continue above it when it is inserted (but see `MAX_CONTINUED_ID`).
   */
  abstract reserveId(table: TableWithIds, id: number | bigint): Promise<boolean>;
}
