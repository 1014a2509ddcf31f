/** The database of the cold half, on a session with PostgreSQL. */
import type { AccountId } from "#domain/account.ts";
import { MAX_CONTINUED_ID } from "#domain/field/field.ts";
import type { CallWrite } from "#domain/ports/refused-calls.ts";
import type { Retention } from "#domain/refused-call.ts";
import {
  Db,
  type DecidedChanges,
  type Parameter,
  type Saves,
  type TableWithIds,
  tablesWithIds,
} from "../cold/kit/db.ts";
import { postgresDialect } from "../cold/kit/dialect.ts";
import { type Change, integer, type Statement } from "../cold/kit/statement.ts";
import { type CallerCommand, decide } from "./hot/caller-command.ts";
import { loadGroup } from "./hot/load-group.ts";
import { loadAccount } from "./hot/load-rows.ts";
import { loadPeopleById } from "./hot/people.ts";
import { saveChanges, saveGroup } from "./hot/save-group.ts";
import { applyChanges } from "./hot/subscriber-changes.ts";
import { PostgresUnitOfWork } from "./hot/unit-of-work.ts";
import { WorkingSet } from "./hot/working-set.ts";
import type { Connection, Statement as SentStatement } from "./sessions/connection.ts";
import { INSTALLATION_LOCK, lockAccounts } from "./sessions/locks.ts";
import { family } from "./statement.ts";

const BY_ID = family(
  { one: integer },
  tablesWithIds,
  (table) => `SELECT 1 AS one FROM ${table} WHERE id = $1`,
);
const CONTINUE_AFTER = family(
  { setval: integer },
  tablesWithIds,
  (table) => `SELECT setval('${table}_id_seq', $1) FROM ${table}_id_seq WHERE last_value <= $1`,
);

export class PostgresDb extends Db {
  readonly dialect = postgresDialect;
  readonly #connection: Connection;
  readonly atCommit: Saves;

  /** `saves` gets the statements to send together with the commit. Without it they are sent at once. */
  constructor(connection: Connection, saves: SentStatement[] | null = null) {
    super();
    this.#connection = connection;
    this.atCommit =
      saves === null
        ? this
        : { run: async (change, ...values) => saves.push({ sql: change.textFor(postgresDialect), values }) };
  }

  async all<Row>(statement: Statement<Row>, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    const rows = await this.#connection.texts(statement.textFor(postgresDialect), parameters);
    return rows.map(statement.fromText);
  }
  run(change: Change, ...parameters: readonly Parameter[]): Promise<number> {
    return this.#connection.run(change.textFor(postgresDialect), ...parameters);
  }
  /** PostgreSQL does not import in another way than it adds. */
  async endImport(): Promise<void> {}
  async lockAccount(account: AccountId): Promise<void> {
    await lockAccounts(this.#connection, [account]);
  }
  async saveChanges(account: AccountId, decided: readonly DecidedChanges[]): Promise<void> {
    const db = this.#connection;
    const set = new WorkingSet();
    const ids = decided.map(({ subscriber }) => subscriber);
    await Promise.all([loadAccount(db, set, account), loadPeopleById(db, set, account, ids)]);
    const byId = new Map([...set.people.values()].map((person) => [person.id, person]));
    for (const { subscriber, changes } of decided)
      applyChanges(set, account, byId.get(subscriber) ?? null, changes);
    await Promise.all(saveChanges(set).map(({ sql, values }) => db.run(sql, ...values)));
  }
  async execute(calls: readonly CallWrite[], retention: Retention): Promise<readonly string[]> {
    if (calls.length === 0) return [];
    const db = this.#connection;
    const group = calls.map((call) => ({ ...call, key: undefined }) as CallerCommand);
    const set = await loadGroup(db, group, [], true);
    const work = new PostgresUnitOfWork(set);
    const outcomes = group.map((command) => decide(work, command) as string);
    await Promise.all(saveGroup(set, retention).map(({ sql, values }) => db.run(sql, ...values)));
    return outcomes;
  }
  lockInstallation(): Promise<void> {
    return this.#connection.exec(INSTALLATION_LOCK);
  }
  /**
   * Ids are unique across accounts, but no index enforces it, because keys start with the account. The lock
   * therefore keeps others from creating such rows meanwhile. The sequence never moves back.
   */
  async reserveId(table: TableWithIds, id: number | bigint): Promise<boolean> {
    const db = this.#connection;
    await db.exec(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
    if ((await db.get(BY_ID(table), id)) !== undefined) return false;
    if (id <= MAX_CONTINUED_ID) await db.run(CONTINUE_AFTER(table), id);
    return true;
  }
}
