/**
 * Copies everything from one archive to another, and then reads it back: only a target that gives back the very rows
 * that the source gave is committed. What either of them is, is not known here.
 */
import { createHash } from "node:crypto";
import { StoreRefused } from "../domain/ports.ts";
import type { Archive, Row, Source, Target } from "./archive.ts";
import { givesIds, type Table } from "./tables.ts";

export interface Progress {
  readonly doing: "copying" | "settling" | "checking";
  /** Of the table; null where it is about all of them. */
  readonly table: string | null;
  /** Of all rows, each of which is copied and checked. */
  readonly done: number;
  readonly total: number;
}
export interface TableCount {
  readonly table: string;
  readonly rows: number;
}
export interface CopiedTable extends TableCount {
  /** Over all rows by key, in one form for all stores. */
  readonly sha256: string;
}
export interface CopyOptions {
  readonly onProgress: (progress: Progress) => void;
  /** Ends the copy with its reason. */
  readonly signal: AbortSignal;
}

export async function copyArchive(
  source: Source,
  target: Target,
  { onProgress, signal }: CopyOptions,
): Promise<readonly CopiedTable[]> {
  // A server may sort for a long time before it gives its first row; nobody should wait for that to be heard.
  const stop = (): void => void Promise.allSettled([source.close(), target.close()]);
  signal.addEventListener("abort", stop, { once: true });
  let copied: readonly CopiedTable[];
  try {
    signal.throwIfAborted();
    copied = await copyAndCheck(source, target, onProgress);
    signal.throwIfAborted();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  // Not to be broken off: nobody would know whether it was made.
  await target.commit();
  return copied;
}

async function copyAndCheck(
  source: Source,
  target: Target,
  onProgress: CopyOptions["onProgress"],
): Promise<readonly CopiedTable[]> {
  const { tables } = source;
  const counts = new Map<Table, number>();
  for (const table of tables) counts.set(table, await source.count(table));
  const total = 2 * [...counts.values()].reduce((sum, count) => sum + count, 0);
  let done = 0;
  const moved = (doing: Progress["doing"], table: Table | null, rows: number): void => {
    done += rows;
    onProgress({ doing, table: table?.name ?? null, done, total });
  };

  const expected: CopiedTable[] = [];
  const lastIds = new Map<Table, string>();
  for (const table of tables) {
    moved("copying", table, 0);
    const sha256 = await readAll(source, table, async (rows) => {
      await target.add(table, rows);
      moved("copying", table, rows.length);
    });
    expected.push({ table: table.name, rows: counts.get(table) ?? 0, sha256 });
    // Once: on a server others may be given ids meanwhile.
    if (givesIds(table)) lastIds.set(table, await source.lastId(table));
  }
  moved("settling", null, 0);
  for (const [table, lastId] of lastIds) await target.continueAfter(table, lastId);
  await target.settle();
  for (const [index, table] of tables.entries()) {
    moved("checking", table, 0);
    let rows = 0;
    const sha256 = await readAll(target, table, async (page) => {
      rows += page.length;
      moved("checking", table, page.length);
    });
    compare(expected[index], { table: table.name, rows, sha256 });
    const lastId = lastIds.get(table);
    if (lastId !== undefined) compareIds(table, lastId, await target.lastId(table));
  }
  return expected;
}

/** Goes on reading while the last page is being written; gives back the checksum of what was read. */
async function readAll(
  archive: Archive,
  table: Table,
  take: (rows: readonly Row[]) => Promise<void>,
): Promise<string> {
  const hash = createHash("sha256");
  let taken = Promise.resolve();
  for await (const rows of archive.pages(table)) {
    hash.update(canonical(rows));
    await taken;
    taken = take(rows);
    // Awaited with the next page; failing before that is no failure that nobody looks at.
    taken.catch(() => {});
  }
  await taken;
  return hash.digest("hex");
}

/** No two different rows look the same: each cell says its length first, and none is unlike an empty one. */
function canonical(rows: readonly Row[]): string {
  let text = "";
  for (const row of rows) for (const cell of row) text += cell === null ? "-" : `${cell.length}:${cell}`;
  return text;
}

function compare(expected: CopiedTable | undefined, found: CopiedTable): void {
  if (expected?.rows === found.rows && expected.sha256 === found.sha256) return;
  throw differs(found.table, describe(expected), describe(found));
}
const describe = (copied: CopiedTable | undefined): string =>
  `${copied?.rows} rows with checksum ${copied?.sha256.slice(0, 12)}`;

function compareIds(table: Table, given: string, kept: string): void {
  if (given !== kept) throw differs(table.name, `the last id ${given}`, kept);
}

const differs = (table: string, read: string, found: string): StoreRefused =>
  new StoreRefused(
    `the copy of ${table} is not the same: the source gave ${read}, the target gives back ${found}; the target was left empty`,
  );
