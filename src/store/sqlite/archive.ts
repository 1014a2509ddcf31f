/**
 * A whole SQLite file, read or filled in one transaction. It is filled with a rollback journal: an empty
 * database has nothing to save in it, so every page is written once, and after a crash the next program to
 * open the file finds it empty.
 */
import { statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { StoreRefused, StoreUnavailable } from "../../domain/ports/errors.ts";
import {
  type Archive,
  columnsOf,
  nameRow,
  notEmpty,
  ROWS_PER_PAGE,
  type Row,
  type Source,
  type Target,
  unfit,
} from "../archive.ts";
import { type ColumnKind, type Table, tables } from "../tables.ts";
import { asStoreError, Connection, isBusy, isConstraint } from "./connection.ts";
import { openExisting, openFile } from "./file/database-file.ts";
import { appliedTo, checkSchema, migrate } from "./migrate.ts";

const read: Readonly<Record<ColumnKind, (column: string) => string>> = {
  integer: (column) => `CAST(${column} AS TEXT)`,
  boolean: (column) => `CAST(${column} AS TEXT)`,
  text: (column) => column,
  // hex() returns an empty text for NULL.
  bytes: (column) => `iif(${column} IS NULL, NULL, lower(hex(${column})))`,
};
/** An INTEGER column converts digits to a number. */
const written: Readonly<Record<ColumnKind, string>> = {
  integer: "?",
  boolean: "?",
  text: "?",
  bytes: "unhex(?)",
};

class SqliteArchive implements Archive {
  readonly name: string;
  protected readonly db: Connection;
  #isOpen = true;

  constructor(file: string, db: Connection) {
    this.name = file;
    this.db = db;
  }

  async count({ name }: Table): Promise<number> {
    return this.attempt(() => this.db.get<{ n: number }>(`SELECT count(*) AS n FROM ${name}`)?.n ?? 0);
  }

  async *pages(table: Table): AsyncGenerator<readonly Row[]> {
    const columns = Object.entries(table.columns).map(([column, kind]) => read[kind](column));
    const rows = this.db.rows<string | null>(
      `SELECT ${columns.join(", ")} FROM ${table.name} ORDER BY ${table.key.join(", ")}`,
    );
    for (;;) {
      const page = this.attempt(() => take(rows, ROWS_PER_PAGE));
      for (const row of page.filter(isSuspicious)) this.#refuseOtherText(table, row);
      if (page.length > 0) yield page;
      if (page.length < ROWS_PER_PAGE) return;
      // Yields to the event loop, for signals and sockets.
      await setImmediate();
    }
  }

  async lastId({ name }: Table): Promise<string> {
    const sql = "SELECT CAST(seq AS TEXT) AS seq FROM sqlite_sequence WHERE name = ?";
    return this.attempt(() => this.db.get<{ seq: string }>(sql, name)?.seq ?? "0");
  }

  protected attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explained(error, this.name);
    }
  }

  async close(): Promise<void> {
    if (this.#isOpen) this.db.close();
    this.#isOpen = false;
  }

  #refuseOtherText(table: Table, row: Row): void {
    const columns = columnsOf(table);
    const where = table.key.map((column) => `${column} = ?`).join(" AND ");
    const key = table.key.map((column) => row[columns.indexOf(column)] ?? null);
    for (const [index, cell] of row.entries()) {
      if (cell === null) continue;
      const sql = `SELECT CAST(${columns[index]} AS BLOB) AS bytes FROM ${table.name} WHERE ${where}`;
      const bytes = this.db.get<{ bytes: Uint8Array }>(sql, ...key)?.bytes;
      if (table.columns[columns[index] ?? ""] === "text" && !Buffer.from(cell).equals(bytes ?? Buffer.of()))
        throw unfit(table, `${columns[index]} of ${nameRow(table, row)} is not UTF-8`);
    }
  }
}

/** Bytes that are not UTF-8, written by another program, are read as U+FFFD and would be copied as that. */
const isSuspicious = (row: Row): boolean => row.some((cell) => cell?.includes("\ufffd") === true);

function take<T>(rows: Iterator<T>, size: number): T[] {
  const page: T[] = [];
  while (page.length < size) {
    const { value, done } = rows.next();
    if (done === true) break;
    page.push(value);
  }
  return page;
}

/** An error names the file, because a copy has two databases. */
export function explained(error: unknown, file: string): Error {
  const failure = asStoreError(error);
  return failure instanceof StoreUnavailable
    ? new StoreUnavailable(`${failure.message} (${file})`, { cause: error })
    : failure;
}

class SqliteSource extends SqliteArchive implements Source {
  readonly isInUse: boolean;
  readonly schemaVersion: number;
  readonly tables = tables;
  constructor(file: string, db: Connection, isInUse: boolean) {
    super(file, db);
    this.isInUse = isInUse;
    this.schemaVersion = appliedTo(db);
  }
}

/** The last connection to close a file removes its journal. */
const hasJournal = (file: string): boolean =>
  (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

export async function openSource(file: string): Promise<Source> {
  const db = openExisting(file);
  try {
    const isInUse = hasJournal(file);
    checkSchema(db, file);
    // A deferred transaction takes its snapshot at the first statement.
    db.exec("BEGIN");
    db.get("SELECT 1 FROM schema_migration LIMIT 1");
    return new SqliteSource(file, db, isInUse);
  } catch (error) {
    db.close();
    throw explained(error, file);
  }
}

class SqliteTarget extends SqliteArchive implements Target {
  async add(table: Table, rows: readonly Row[]): Promise<void> {
    const sql = insertInto(table);
    try {
      for (const row of rows) this.db.run(sql, ...row);
    } catch (error) {
      throw isConstraint(error) ? unfit(table, (error as Error).message) : explained(error, this.name);
    }
  }

  async continueAfter({ name }: Table, lastId: string): Promise<void> {
    this.attempt(() => {
      this.db.run("DELETE FROM sqlite_sequence WHERE name = ?", name);
      if (lastId !== "0")
        this.db.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, CAST(? AS INTEGER))", name, lastId);
    });
  }

  async finish(): Promise<void> {}

  async commit(): Promise<void> {
    this.attempt(() => this.db.exec("COMMIT"));
  }
}

function insertInto({ name, columns }: Table): string {
  const values = Object.values(columns).map((kind) => written[kind]);
  return `INSERT INTO ${name} (${Object.keys(columns).join(", ")}) VALUES (${values.join(", ")})`;
}

/** Rows enter the indexes in random order; this limits the memory for that. */
const CACHE_KIB = 131_072;

/**
 * SQLite denies exclusive access while another program has the file open. The target gets the schema of the
 * source.
 */
export async function openTarget(file: string, schemaVersion: number): Promise<Target> {
  const db = openFile(file, () => new Connection(file, { readOnly: false }));
  try {
    // Before migrating, so that the data of an older version is left unchanged.
    refuseFilled(db, file);
    migrate(db, file, Date.now(), { upTo: schemaVersion });
    db.exec(`PRAGMA cache_size=-${CACHE_KIB}; PRAGMA journal_mode=DELETE; PRAGMA locking_mode=EXCLUSIVE`);
    db.exec("BEGIN EXCLUSIVE");
    refuseFilled(db, file);
    return new SqliteTarget(file, db);
  } catch (error) {
    db.close();
    throw isBusy(error)
      ? new StoreRefused(`${file} is in use by another program; stop that program first`, { cause: error })
      : explained(error, file);
  }
}

function refuseFilled(db: Connection, file: string): void {
  const there = new Set(
    db.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => name),
  );
  for (const table of tables)
    if (there.has(table.name) && db.get(`SELECT 1 FROM ${table.name} LIMIT 1`) !== undefined)
      throw notEmpty(file, table);
}
