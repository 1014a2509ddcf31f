/**
 * A whole database as rows of text, in one format for all stores: what a copy reads from and writes to.
 * Integers are written as digits, which keeps 64-bit ids exact; bytes as hexadecimal digits; booleans as 0
 * and 1.
 */
import { StoreRefused } from "#domain/ports/errors.ts";
import type { Table } from "../tables/entity.ts";

/** One cell per column of the table, in its order. */
export type Row = readonly (string | null)[];

/** Rows per page. A page is all that is in memory at a time, whatever the size of the database. */
export const ROWS_PER_PAGE = 1000;

export interface Archive {
  /** Shown in messages; contains no password. */
  readonly name: string;
  count(table: Table): Promise<number>;
  /** All rows in order of key, as they were when the archive was opened. */
  pages(table: Table): AsyncIterable<readonly Row[]>;
  /** The highest id the table ever assigned, even if its row is gone; "0" if it assigned none. */
  lastId(table: Table): Promise<string>;
  /** Idempotent. Closing during a read makes that read fail. */
  close(): Promise<void>;
}

export interface Source extends Archive {
  /** Another program seems to have it open. What that program writes from now on is not read here. */
  readonly isInUse: boolean;
  readonly schemaVersion: number;
  /** The tables of its schema version, with their columns. */
  readonly tables: readonly Table[];
}

/**
 * An empty database to be filled. Its rows are invisible to others until the commit; closed before that, it
 * is empty again.
 */
export interface Target extends Archive {
  add(table: Table, rows: readonly Row[]): Promise<void>;
  continueAfter(table: Table, lastId: string): Promise<void>;
  /** Called after the last row. Builds what is faster to build at once than row by row, such as indexes. */
  finish(): Promise<void>;
  commit(): Promise<void>;
}

export const columnsOf = ({ columns }: Table): readonly string[] => Object.keys(columns);

export const cellOf = (columns: readonly string[], row: Row, column: string): string | null =>
  row[columns.indexOf(column)] ?? null;

/** The row with other values in some columns; columns that the table does not have are left out. */
export const changedRow = (
  columns: readonly string[],
  row: Row,
  values: Readonly<Record<string, string | null>>,
): Row =>
  columns.map((column, index) => {
    const value = values[column];
    return value === undefined ? (row[index] ?? null) : value;
  });

/** Names a row in a message, such as "history 17". */
export function nameRow(table: Table, row: Row): string {
  const columns = columnsOf(table);
  return [table.name, ...table.key.map((column) => row[columns.indexOf(column)])].join(" ");
}

export const notEmpty = (name: string, table: Table): StoreRefused =>
  new StoreRefused(
    `${name} is not empty: there are rows in the table ${table.name}; use a new database, or move this one away first. It was left unchanged`,
  );

/** Rows that violate the target's schema, such as rows of an account that does not exist. */
export const unfit = (table: Table, reason: string): StoreRefused =>
  new StoreRefused(
    `a row of ${table.name} cannot be copied: ${reason}; was the source changed by something else?`,
  );
