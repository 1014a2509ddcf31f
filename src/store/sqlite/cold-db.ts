/** The database of the cold half, on a connection to a SQLite file. */
import type { SQLInputValue } from "node:sqlite";
import type { AccountId } from "#domain/account.ts";
import type { CallWrite } from "#domain/ports/refused-calls.ts";
import type { Retention } from "#domain/refused-call.ts";
import {
  Db,
  type DecidedChanges,
  type Parameter,
  type Slices,
  type TableWithIds,
  tablesWithIds,
} from "../cold/kit/db.ts";
import { sqliteDialect } from "../cold/kit/dialect.ts";
import { type Change, integer, type Statement } from "../cold/kit/statement.ts";
import { callerCommands } from "../writes/caller-commands.ts";
import type { Connection } from "./connection.ts";
import { Counters } from "./hot/counters.ts";
import { FEW_PAGES } from "./hot/import.ts";
import { saveChanges } from "./hot/subscriber-changes.ts";
import { SqliteUnitOfWork } from "./hot/unit-of-work.ts";
import { family } from "./statement.ts";

/** JSON without bigints, which `JSON.stringify` cannot write. */
const arrayText = (values: readonly (string | number | bigint)[]): string =>
  `[${values.map((value) => (typeof value === "string" ? JSON.stringify(value) : value)).join(",")}]`;

function bound(value: Parameter): SQLInputValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  return Array.isArray(value) ? arrayText(value) : (value as SQLInputValue);
}

const BY_ID = family(
  { one: integer },
  tablesWithIds,
  (table) => `SELECT 1 AS one FROM ${table} WHERE id = ?`,
);

export class SqliteDb extends Db {
  readonly dialect = sqliteDialect;
  override readonly slices: Slices | null;
  readonly #connection: Connection;

  constructor(connection: Connection, slices: Slices | null = null) {
    super();
    this.#connection = connection;
    this.slices = slices;
  }

  async all<Row>(statement: Statement<Row>, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    return this.#connection
      .arrays(statement.textFor(sqliteDialect), statement.isExact, parameters.map(bound))
      .map(statement.fromSqlite);
  }
  async run(change: Change, ...parameters: readonly Parameter[]): Promise<number> {
    return this.#connection.run(change.textFor(sqliteDialect), ...parameters.map(bound));
  }
  get atCommit(): this {
    return this;
  }
  async endImport(): Promise<void> {
    this.#connection.exec(FEW_PAGES);
  }
  async saveChanges(account: AccountId, decided: readonly DecidedChanges[]): Promise<void> {
    const counters = new Counters();
    for (const { subscriber, changes } of decided)
      saveChanges(this.#connection, counters, account, subscriber, changes);
    counters.save(this.#connection);
  }
  async execute(calls: readonly CallWrite[], retention: Retention): Promise<readonly string[]> {
    const work = new SqliteUnitOfWork(this.#connection, retention);
    const outcomes = calls.map(({ kind, args }) => callerCommands[kind](work, args as never));
    work.flush();
    return outcomes;
  }
  /** The transaction has the only write lock of the file. */
  async lockAccount(): Promise<void> {}
  async lockInstallation(): Promise<void> {}
  /** Later ids continue above the highest one ever assigned: SQLite remembers it. */
  async reserveId(table: TableWithIds, id: number | bigint): Promise<boolean> {
    return this.#connection.get(BY_ID(table), id) === undefined;
  }
}
