/**
 * A whole database as rows of text, the same whatever keeps it: what a copy reads from and writes to. Numbers travel
 * as their digits, so ids of 64 bits stay exact, bytes as hexadecimal digits, booleans as 0 and 1.
 */
import { StoreRefused } from "../domain/ports.ts";
import type { Table } from "./tables.ts";

/** One cell per column of the table, in its order. */
export type Row = readonly (string | null)[];

/** How many rows travel together: what is in memory at a time, whatever the size of the database. */
export const ROWS_PER_PAGE = 1000;

export interface Archive {
  /** In the words of a person, without a password. */
  readonly name: string;
  count(table: Table): Promise<number>;
  /** All rows by key. Everything that is read is of one moment: the one at which the archive was opened. */
  pages(table: Table): AsyncIterable<readonly Row[]>;
  /** The highest id that the table ever gave, be its row there or not; "0" where it gave none. */
  lastId(table: Table): Promise<string>;
  /** May be called while it is read, which then fails, and again. */
  close(): Promise<void>;
}

export interface Source extends Archive {
  /** Somebody else seems to have it open, and may be writing what is not seen here. */
  readonly isInUse: boolean;
  readonly schemaVersion: number;
  /** Those of its version, with their columns. */
  readonly tables: readonly Table[];
}

/** An empty database that is filled. Until the commit nobody else sees any of it; closed before, it is empty again. */
export interface Target extends Archive {
  add(table: Table, rows: readonly Row[]): Promise<void>;
  continueAfter(table: Table, lastId: string): Promise<void>;
  /** All rows are there: makes what is quicker made at once than row by row. */
  settle(): Promise<void>;
  commit(): Promise<void>;
}

export const columnsOf = ({ columns }: Table): readonly string[] => Object.keys(columns);

/** The row as a person would name it, such as "history 17". */
export function nameRow(table: Table, row: Row): string {
  const columns = columnsOf(table);
  return [table.name, ...table.key.map((column) => row[columns.indexOf(column)])].join(" ");
}

export const notEmpty = (name: string, table: Table): StoreRefused =>
  new StoreRefused(
    `${name} is not empty: there are rows in ${table.name}; take a new database, or move this one away first. Nothing was changed in it`,
  );

/** Rows that the schema of the target refuses, such as of an account that is not there. */
export const unfit = (table: Table, reason: string): StoreRefused =>
  new StoreRefused(
    `a row of ${table.name} cannot be copied: ${reason}; was the source changed by something else?`,
  );
