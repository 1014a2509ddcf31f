/**
 * A whole SQLite file, read or filled in one transaction. It is filled with a rollback journal: an empty
 * database has nothing to save in it, so every page is written once, and after a crash the next program to
 * open the file finds it empty.
 */
import { statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { StoreRefused, StoreUnavailable } from "#domain/ports/errors.ts";
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
} from "../archive/archive.ts";
import { bytes, integer, text } from "../cold/kit/statement.ts";
import type { ColumnKind, Table } from "../tables/entity.ts";
import { tables } from "../tables/tables.ts";
import { asStoreError, Connection, isBusy, isConstraint } from "./connection.ts";
import { beginSnapshot, countRows, tablesOf } from "./contents.ts";
import { openExisting, openFile } from "./file/database-file.ts";
import { appliedTo, checkSchema, migrate } from "./migrate.ts";
import { change, family, statement } from "./statement.ts";

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

const LAST_ID = statement({ id: text }, "SELECT CAST(seq AS TEXT) AS id FROM sqlite_sequence WHERE name = ?");
const FORGET_LAST_ID = change("DELETE FROM sqlite_sequence WHERE name = ?");
const SET_LAST_ID = change("INSERT INTO sqlite_sequence (name, seq) VALUES (?, CAST(? AS INTEGER))");
const INSERT = family({}, tables, ({ name, columns }) => {
  const values = Object.values(columns).map((kind) => written[kind]);
  return `INSERT INTO ${name} (${Object.keys(columns).join(", ")}) VALUES (${values.join(", ")})`;
});
const BYTES = family(
  { bytes },
  tables.map((table) => ({ table, column: columnsOf(table)[0] ?? "" })),
  ({ table: { name, key }, column }) => `
   SELECT CAST(${column} AS BLOB) AS bytes
   FROM ${name}
   WHERE ${key.map((part) => `${part} = ?`).join(" AND ")}`,
);
const ANY_ROW = family({ one: integer }, tables, ({ name }) => `SELECT 1 AS one FROM ${name} LIMIT 1`);

class SqliteArchive implements Archive {
  readonly name: string;
  protected readonly db: Connection;
  #isOpen = true;

  constructor(file: string, db: Connection) {
    this.name = file;
    this.db = db;
  }

  async count(table: Table): Promise<number> {
    return this.attempt(() => countRows(this.db, table));
  }

  async *pages(table: Table): AsyncGenerator<readonly Row[]> {
    const columns = Object.entries(table.columns).map(([column, kind]) => read[kind](column));
    const rows = this.db.rows(
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
    return this.attempt(() => this.db.get(LAST_ID, name)?.id ?? "0");
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
    const key = table.key.map((column) => row[columns.indexOf(column)] ?? null);
    for (const [index, cell] of row.entries()) {
      if (cell === null) continue;
      const column = columns[index] ?? "";
      const bytes = this.db.get(BYTES({ table, column }), ...key)?.bytes;
      if (table.columns[column] === "text" && !Buffer.from(cell).equals(bytes ?? Buffer.of()))
        throw unfit(table, `${column} of ${nameRow(table, row)} is not UTF-8`);
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

/** The last connection to close a file removes its journal. */
const hasJournal = (file: string): boolean =>
  (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

export async function openSource(file: string): Promise<Source> {
  const db = openExisting(file);
  try {
    const isInUse = hasJournal(file);
    checkSchema(db, file);
    beginSnapshot(db);
    return Object.assign(new SqliteArchive(file, db), { isInUse, schemaVersion: appliedTo(db), tables });
  } catch (error) {
    db.close();
    throw explained(error, file);
  }
}

class SqliteTarget extends SqliteArchive implements Target {
  async add(table: Table, rows: readonly Row[]): Promise<void> {
    const sql = INSERT(table);
    try {
      for (const row of rows) this.db.run(sql, ...row);
    } catch (error) {
      throw isConstraint(error) ? unfit(table, (error as Error).message) : explained(error, this.name);
    }
  }

  async continueAfter({ name }: Table, lastId: string): Promise<void> {
    this.attempt(() => {
      this.db.run(FORGET_LAST_ID, name);
      if (lastId !== "0") this.db.run(SET_LAST_ID, name, lastId);
    });
  }

  async finish(): Promise<void> {}

  async commit(): Promise<void> {
    this.attempt(() => this.db.exec("COMMIT"));
  }
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
    migrate(db, file, Date.now(), schemaVersion);
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
  const present = tablesOf(db);
  for (const table of tables)
    if (present.has(table.name) && db.get(ANY_ROW(table)) !== undefined) throw notEmpty(file, table);
}
