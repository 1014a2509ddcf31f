/**
 * A SQLite file copied page by page, while others write to it: for a fraction of what it takes row by row. The pages are read in
 * one transaction, so they are of one moment, and SQLite does not begin anew whenever somebody writes.
 */
import { StoreRefused } from "../../domain/ports.ts";
import type { CopyOptions, Progress, TableCount } from "../copy.ts";
import { tables } from "../tables.ts";
import { explained } from "./archive.ts";
import { Connection, isFull } from "./connection.ts";
import { openExisting, openFile } from "./database-file.ts";
import { integrity } from "./health.ts";
import { checkSchema, isOlder } from "./migrate.ts";

/** At a time: between two of them signals get their turn. */
const PAGES = 1000;

export async function copyPages(
  from: string,
  to: string,
  { onProgress, signal }: CopyOptions,
): Promise<readonly TableCount[]> {
  const db = openExisting(from);
  let pages = 0;
  const tell = (doing: Progress["doing"], done: number): void => {
    onProgress({ doing, table: null, done, total: 2 * pages });
    signal.throwIfAborted();
  };
  try {
    if (!isOlder(db)) checkSchema(db, from);
    openFile(to, () => new Connection(to, { readOnly: true })).close();
    // The first statement is what the moment is of.
    db.exec("BEGIN");
    db.get("SELECT 1 FROM schema_migration LIMIT 1");
    pages = db.get<{ n: number }>("SELECT page_count AS n FROM pragma_page_count")?.n ?? 0;
    tell("copying", 0);
    await db.copyPages(to, PAGES, (done) => tell("copying", done));
  } catch (error) {
    // Reading needs no room.
    throw explained(error, isFull(error) ? to : from);
  } finally {
    db.close();
  }
  tell("checking", pages);
  return checked(to, from);
}

/** Gives back what is in it. Its journal mode is one that needs no files beside it. */
function checked(file: string, from: string): readonly TableCount[] {
  const db = new Connection(file, { readOnly: false });
  try {
    const wrong = wrongWith(db);
    if (wrong !== null)
      throw new StoreRefused(`${from} is damaged (${wrong}), so there is no backup; see 'mailroll doctor'`);
    db.exec("PRAGMA journal_mode=DELETE");
    const there = new Set(
      db.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => name),
    );
    return tables
      .filter(({ name }) => there.has(name))
      .map(({ name }) => ({
        table: name,
        rows: db.get<{ n: number }>(`SELECT count(*) AS n FROM ${name}`)?.n ?? 0,
      }));
  } finally {
    db.close();
  }
}

/** What is wrong with a file can be so bad that it cannot be listed. */
function wrongWith(db: Connection): string | null {
  try {
    return integrity(db)[0] ?? null;
  } catch (error) {
    return (error as Error).message;
  }
}
