/**
 * Copies a SQLite file page by page while others write to it, for a fraction of the cost of copying rows. One
 * transaction reads all pages, so they are one snapshot, and SQLite does not restart the copy after every
 * write.
 */
import { StoreRefused } from "../../../domain/ports/errors.ts";
import type { CopyOptions, Progress, TableCount } from "../../copy.ts";
import { tables } from "../../tables.ts";
import { explained } from "../archive.ts";
import { Connection, isFull } from "../connection.ts";
import { integrity } from "../health.ts";
import { checkSchema, isOlder } from "../migrate.ts";
import { openExisting, openFile } from "./database-file.ts";

/** Pages per batch; signals are handled between two batches. */
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
    // A deferred transaction takes its snapshot at the first statement.
    db.exec("BEGIN");
    db.get("SELECT 1 FROM schema_migration LIMIT 1");
    pages = db.get<{ n: number }>("SELECT page_count AS n FROM pragma_page_count")?.n ?? 0;
    tell("copying", 0);
    await db.copyPages(to, PAGES, (done) => tell("copying", done));
  } catch (error) {
    // Reading needs no disk space, so a full disk is that of the copy.
    throw explained(error, isFull(error) ? to : from);
  } finally {
    db.close();
  }
  tell("checking", pages);
  return checked(to, from);
}

/** Returns the row counts. The journal mode needs no files beside the database. */
function checked(file: string, from: string): readonly TableCount[] {
  const db = new Connection(file, { readOnly: false });
  try {
    const wrong = wrongWith(db);
    if (wrong !== null)
      throw new StoreRefused(`${from} is damaged (${wrong}), so no backup was made; run 'mailroll doctor'`);
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

/** A file can be so damaged that listing the damage fails. */
function wrongWith(db: Connection): string | null {
  try {
    return integrity(db)[0] ?? null;
  } catch (error) {
    return (error as Error).message;
  }
}
