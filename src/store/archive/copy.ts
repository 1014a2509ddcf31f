/**
 * Copies one archive to another and reads the copy back. The target is committed only if it returns exactly
 * the rows of the source, except for what was under way there (`copied-rows.ts`). Does not depend on what the
 * two archives are.
 */
import { createHash } from "node:crypto";
import { StoreRefused } from "#domain/ports/errors.ts";
import type { Table } from "../tables/entity.ts";
import { givesIds } from "../tables/tables.ts";
import type { Archive, Row, Source, Target } from "./archive.ts";
import { copiedRows } from "./copied-rows.ts";

export interface Progress {
  readonly doing: "copying" | "indexing" | "checking";
  /** null while the step concerns all tables. */
  readonly table: string | null;
  /** Out of `total`. Each row counts twice: copied and checked. */
  readonly done: number;
  readonly total: number;
}
export interface TableCount {
  readonly table: string;
  readonly rows: number;
}
export interface CopiedTable extends TableCount {
  /** Over all rows in order of key; the same for all stores. */
  readonly sha256: string;
}
export interface CopyOptions {
  readonly onProgress: (progress: Progress) => void;
  /** Aborts the copy with the signal's reason. */
  readonly signal: AbortSignal;
}

export async function copyArchive(
  source: Source,
  target: Target,
  { onProgress, signal }: CopyOptions,
): Promise<readonly CopiedTable[]> {
  // A server may sort for a long time before its first row. Closing both ends makes an abort immediate.
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
  // Not abortable: the caller could not know whether the commit succeeded.
  await target.commit();
  return copied;
}

async function copyAndCheck(source: Source, target: Target, onProgress: CopyOptions["onProgress"]) {
  const { tables } = source;
  const now = Date.now();
  const counts = new Map<Table, number>();
  for (const table of tables) counts.set(table, await source.count(table));
  const total = 2 * [...counts.values()].reduce((sum, count) => sum + count, 0);
  let done = 0;
  const report = (doing: Progress["doing"], table: Table | null, rows: number): void => {
    done += rows;
    onProgress({ doing, table: table?.name ?? null, done, total });
  };

  const expected: CopiedTable[] = [];
  const lastIds = new Map<Table, string>();
  for (const table of tables) {
    report("copying", table, 0);
    const copied = (rows: readonly Row[]): readonly Row[] => copiedRows(table, rows, now);
    const sha256 = await readAll(source, table, copied, async (rows) => {
      await target.add(table, rows);
      report("copying", table, rows.length);
    });
    expected.push({ table: table.name, rows: counts.get(table) ?? 0, sha256 });
    // Read once: on a server, other sessions may be assigned ids meanwhile.
    if (givesIds(table)) lastIds.set(table, await source.lastId(table));
  }
  report("indexing", null, 0);
  for (const [table, lastId] of lastIds) await target.continueAfter(table, lastId);
  await target.finish();
  for (const [index, table] of tables.entries()) {
    report("checking", table, 0);
    let rows = 0;
    const sha256 = await readAll(target, table, asTheyAre, async (page) => {
      rows += page.length;
      report("checking", table, page.length);
    });
    compare(expected[index], { table: table.name, rows, sha256 });
    const lastId = lastIds.get(table);
    if (lastId !== undefined) compareIds(table, lastId, await target.lastId(table));
  }
  return expected;
}

const asTheyAre = (rows: readonly Row[]): readonly Row[] => rows;

/** Reads the next page while the last one is being written. Returns the checksum of what was taken. */
async function readAll(
  archive: Archive,
  table: Table,
  as: (rows: readonly Row[]) => readonly Row[],
  take: (rows: readonly Row[]) => Promise<void>,
): Promise<string> {
  const hash = createHash("sha256");
  let taken = Promise.resolve();
  for await (const read of archive.pages(table)) {
    const rows = as(read);
    hash.update(canonical(rows));
    await taken;
    taken = take(rows);
    // Awaited with the next page. Until then a failure must not count as an unhandled rejection.
    taken.catch(() => {});
  }
  await taken;
  return hash.digest("hex");
}

/** Unambiguous: each cell starts with its length, and null differs from an empty text. */
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

function compareIds(table: Table, expected: string, found: string): void {
  if (expected !== found) throw differs(table.name, `the last id ${expected}`, found);
}

const differs = (table: string, expected: string, found: string): StoreRefused =>
  new StoreRefused(
    `the copy of ${table} differs: the source has ${expected}, the target ${found}; the target was left empty`,
  );
