/**
 * Copies a SQLite file page by page while others write to it, for a fraction of the cost of copying rows. One
 * transaction reads all pages, so they are one snapshot, and SQLite does not restart the copy after every
 * write.
 */
import { REWRITE_JOB } from "#domain/job/kinds.ts";
import { StoreRefused } from "#domain/ports/errors.ts";
import { PROGRAM } from "#shipped.ts";
import type { CopyOptions, Progress, TableCount } from "../../archive/copy.ts";
import { integer } from "../../cold/kit/statement.ts";
import { tables, temporaryTables } from "../../tables/tables.ts";
import { explained } from "../archive.ts";
import { Connection, isFull } from "../connection.ts";
import { beginSnapshot, countRows, tablesOf } from "../contents.ts";
import { integrity } from "../health.ts";
import { checkSchema, isOlder } from "../migrate.ts";
import { family, statement } from "../statement.ts";
import { openExisting, openFile } from "./database-file.ts";

/** Pages per batch; signals are handled between two batches. */
const PAGES = 1000;
const PAGE_COUNT = statement({ n: integer }, "SELECT page_count AS n FROM pragma_page_count");

/** Whether the traces of an erasure are still to be removed from the file, and so are in its pages. */
const HAS_TRACES = statement(
  { n: integer },
  `SELECT count(*) AS n FROM job WHERE kind = '${REWRITE_JOB}' AND ended_at IS NULL`,
);

const EMPTY = family({}, temporaryTables, (name) => `DELETE FROM ${name}`);

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
    beginSnapshot(db);
    pages = db.get(PAGE_COUNT)?.n ?? 0;
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
      throw new StoreRefused(`${from} is damaged (${wrong}), so no backup was made; run '${PROGRAM} doctor'`);
    db.exec("PRAGMA journal_mode=DELETE");
    const present = tablesOf(db);
    // Deleted rows are overwritten: a page that became free would still contain them.
    db.exec("PRAGMA secure_delete=ON");
    for (const name of temporaryTables) if (present.has(name)) db.run(EMPTY(name));
    if (!isOlder(db) && (db.get(HAS_TRACES)?.n ?? 0) > 0) db.exec("VACUUM");
    return tables
      .filter(({ name }) => present.has(name))
      .map((table) => ({ table: table.name, rows: countRows(db, table) }));
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
