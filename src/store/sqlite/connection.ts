/**
 * One connection to a SQLite file, for one thread. Statements are prepared once, and errors are classified as
 * unavailable or as defects. A write is on disk when its commit returns (`synchronous=FULL`).
 */
import { backup, constants, DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { DiskFailed, StoreUnavailable } from "#domain/ports/errors.ts";
import type { SqliteValue, SqlText } from "../cold/kit/statement.ts";

const BUSY_TIMEOUT_MS = 5000;
/** Waits for a lock are rounded down to this, so that SQLite is seldom given another one. */
const WAIT_UNIT_MS = 250;
/** A time that all threads of the process share. */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);
/** Result codes that mean our SQL is wrong. All others are about the disk, the file or another process. */
const DEFECTS = new Set([1, 19, 20, 21, 25]);

/** The memory of a connection for pages. */
export const CACHE = "PRAGMA cache_size=-8192";

export type Parameters = readonly SQLInputValue[];

/** Rows as the driver returns them; in the exact modes every integer is a bigint. */
export type PlainRow = Readonly<Record<string, Exclude<SqliteValue, bigint>>>;
type ExactRow = Readonly<Record<string, Exclude<SqliteValue, number>>>;

/** How rows are returned if not as objects. */
type Mode = "exactObjects" | "arrays" | "exactArrays";

export interface ConnectionOptions {
  readonly readOnly: boolean;
  /** How long to wait for another process that writes. */
  readonly busyTimeoutMs?: number;
}

export class Connection {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Statements of their own for each mode: a mode that is set on a statement stays with it. */
  readonly #statementsIn: Readonly<Record<Mode, Map<string, StatementSync>>> = {
    exactObjects: new Map(),
    arrays: new Map(),
    exactArrays: new Map(),
  };
  #lockedAt = 0;
  #waitMs: number;

  constructor(file: string, { readOnly, busyTimeoutMs = BUSY_TIMEOUT_MS }: ConnectionOptions) {
    this.#waitMs = busyTimeoutMs;
    this.#db = new DatabaseSync(file, { readOnly, timeout: busyTimeoutMs });
    try {
      if (!readOnly) this.#db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
      this.#db.exec(`${CACHE}; PRAGMA temp_store=MEMORY`);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  get<Row extends PlainRow>(sql: SqlText<Row>, ...parameters: Parameters): Row | undefined {
    return this.#prepared(sql).get(...parameters) as Row | undefined;
  }
  all<Row extends PlainRow>(sql: SqlText<Row>, ...parameters: Parameters): Row[] {
    return this.#prepared(sql).all(...parameters) as Row[];
  }
  /** Like `all`, with every integer as a bigint: for 64-bit ids. */
  allExact<Row extends ExactRow>(sql: SqlText<Row>, ...parameters: Parameters): Row[] {
    return this.#preparedIn("exactObjects", sql).all(...parameters) as Row[];
  }
  /** Row by row, each as its values without column names; for a query whose columns are all text. */
  *rows(sql: string): Generator<(string | null)[]> {
    yield* this.#preparedIn("arrays", sql).iterate() as Iterable<unknown> as Iterable<(string | null)[]>;
  }
  /** All rows, each as its values. */
  arrays(sql: SqlText, isExact: boolean, parameters: Parameters): SqliteValue[][] {
    const found: unknown = this.#preparedIn(isExact ? "exactArrays" : "arrays", sql).all(...parameters);
    return found as SqliteValue[][];
  }
  /** The number of rows changed. */
  run(sql: SqlText, ...parameters: Parameters): number {
    return Number(this.#prepared(sql).run(...parameters).changes);
  }
  /** The id of the row inserted. */
  insert(sql: SqlText, ...parameters: Parameters): number {
    return Number(this.#prepared(sql).run(...parameters).lastInsertRowid);
  }
  /** Statements without parameters and rows, separated by semicolons. */
  exec(sql: string): void {
    this.#db.exec(sql);
  }
  /** Copies to another file, `rate` pages at a time. `onStep` gets the progress and can abort by throwing. */
  async copyPages(file: string, rate: number, onStep: (done: number, pages: number) => void): Promise<void> {
    await backup(this.#db, file, {
      rate,
      progress: ({ totalPages, remainingPages }) => onStep(totalPages - remainingPages, totalPages),
    });
  }

  /** From then on, statements fail, and those that one consists of. */
  stopWhen(isStopped: () => boolean): void {
    this.#db.setAuthorizer(() => (isStopped() ? constants.SQLITE_DENY : constants.SQLITE_OK));
  }

  /** When the last transaction got the write lock, by `performance.now()`. */
  get lockedAt(): number {
    return this.#lockedAt;
  }

  /** Takes the write lock at the start, so that what was read still holds when the changes are written. */
  transaction<T>(work: () => T): T {
    this.#begin();
    try {
      const result = work();
      this.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.exec("ROLLBACK");
      throw error;
    }
  }

  /**
   * Like `transaction`, for work that may await. Nothing else may use the connection meanwhile. `until`: how
   * long to wait for the write lock, by `monotonicMs`.
   */
  async transact<T>(work: () => Promise<T>, until?: number): Promise<T> {
    if (until !== undefined) this.#waitUntil(until);
    this.#begin();
    try {
      const result = await work();
      this.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.exec("ROLLBACK");
      throw error;
    }
  }

  /** All reads of the callback see the same snapshot. Nothing else may use the connection meanwhile. */
  async snapshot<T>(read: () => Promise<T>): Promise<T> {
    this.exec("BEGIN");
    try {
      return await read();
    } finally {
      this.exec("COMMIT");
    }
  }

  close(): void {
    this.#db.close();
  }

  #waitUntil(until: number): void {
    const waitMs = Math.max(Math.floor((until - monotonicMs()) / WAIT_UNIT_MS), 0) * WAIT_UNIT_MS;
    if (waitMs === this.#waitMs) return;
    this.exec(`PRAGMA busy_timeout=${waitMs}`);
    this.#waitMs = waitMs;
  }

  #begin(): void {
    this.exec("BEGIN IMMEDIATE");
    this.#lockedAt = performance.now();
  }

  /** SQLite prepares a statement with a bound LIMIT again each time, so limits belong into the text. */
  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
  #preparedIn(mode: Mode, sql: string): StatementSync {
    let statement = this.#statementsIn[mode].get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      statement.setReadBigInts(mode !== "arrays");
      statement.setReturnArrays(mode !== "exactObjects");
      this.#statementsIn[mode].set(sql, statement);
    }
    return statement;
  }
}

const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CONSTRAINT = 19;
const extendedCode = (error: unknown): number | null => {
  const code = (error as { readonly errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code : null;
};
const resultCode = (error: unknown): number | null => {
  const code = extendedCode(error);
  return code === null ? null : code & 0xff;
};
/** Another connection holds a lock, perhaps only for a moment. */
export const isBusy = (error: unknown): boolean => resultCode(error) === SQLITE_BUSY;
/** The disk is full. */
export const isFull = (error: unknown): boolean => resultCode(error) === SQLITE_FULL;
/** The row violates the schema. */
export const isConstraint = (error: unknown): boolean => resultCode(error) === SQLITE_CONSTRAINT;

/** SQLite's error as the port defines it; any other error is returned unchanged. */
export function asStoreError(error: unknown): Error {
  const failure = error instanceof Error ? error : new Error(String(error));
  const code = resultCode(error);
  if (code === null || DEFECTS.has(code)) return failure;
  const answers = "the database does not answer";
  if (code === SQLITE_FULL) return new DiskFailed(`${answers}: the disk is full`, { cause: error });
  // SQLite's text does not say whether it is about a limit of the file size, a quota or a broken disk.
  if (code === SQLITE_IOERR)
    return new DiskFailed(`${answers}: ${failure.message}, SQLite's code ${extendedCode(error)}`, {
      cause: error,
    });
  return new StoreUnavailable(`${answers}: ${failure.message}`, { cause: error });
}
