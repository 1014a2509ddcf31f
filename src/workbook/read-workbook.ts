/**
 * Reads a workbook in a thread of its own, with a limit of its memory: unpacking and parsing never hold up
 * other work, and a workbook that is too large costs the thread, not the process.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { CsvError, type CsvRow } from "#csv/rows.ts";
import { threadModule } from "#shipped.ts";
import type { Sheets, ThreadAnswer, ThreadData } from "./workbook.ts";

export type { Sheets };

const MAX_BYTES = 50 * 1024 ** 2;
const HEAP_MB = 512;
/** A thread and its workbook take memory: so many are read at a time, and others wait. */
const MAX_THREADS = 4;

const entry = threadModule("workbook/workbook-thread.ts");

let places = MAX_THREADS;
const waiting: (() => void)[] = [];
async function takePlace(): Promise<void> {
  if (places > 0) places -= 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
}
function givePlace(): void {
  const next = waiting.shift();
  if (next === undefined) places += 1;
  else next();
}

/** In memory of its own, so that the thread can take it over. */
async function collected(bytes: AsyncIterable<Buffer>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > MAX_BYTES)
      throw new CsvError(
        `a workbook of more than ${MAX_BYTES / 1024 ** 2} MiB is not read; save the sheet as CSV`,
      );
    chunks.push(chunk);
  }
  const file = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    file.set(chunk, at);
    at += chunk.length;
  }
  return file;
}

/** `ended`: rejects when the thread ends, also between two requests. */
async function nextOf(worker: Worker, ended: Promise<never>): Promise<ThreadAnswer> {
  worker.postMessage(null);
  try {
    const [answer] = (await Promise.race([once(worker, "message"), ended])) as [ThreadAnswer];
    return answer;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"))
      throw error;
    throw new CsvError(
      `reading the workbook needs more than ${HEAP_MB} MiB of memory; save the sheet as CSV`,
    );
  }
}

export interface WorkbookOptions {
  /** null: the first one with rows. */
  readonly sheet?: string | null;
  /** Called before the first rows. */
  readonly onSheets?: (sheets: Sheets) => void;
  /** How much of the sheet has been read, from 0 to 1. */
  readonly onPart?: (part: number) => void;
}

/** A zip archive, which a workbook is. */
export const isZip = (start: Buffer): boolean => start.toString("latin1", 0, 4) === "PK\x03\x04";

/** Yields groups of rows, each with the number of its row as the line. Throws a CsvError. */
export async function* readWorkbook(
  bytes: AsyncIterable<Buffer>,
  { sheet = null, onSheets, onPart }: WorkbookOptions,
): AsyncGenerator<readonly CsvRow[]> {
  await takePlace();
  try {
    const file = await collected(bytes);
    const workerData: ThreadData = { file, sheet };
    const worker = new Worker(entry, {
      workerData,
      transferList: [file.buffer],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    const ended = new Promise<never>((_, reject) => {
      worker.once("error", reject);
      // Its last message arrives in the same turn, and counts.
      worker.once("exit", () =>
        setImmediate(reject, new Error("the thread that reads a workbook has ended")),
      );
    });
    ended.catch(() => {});
    try {
      for (let next = nextOf(worker, ended); ; ) {
        const answer = await next;
        if ("unreadable" in answer) throw new CsvError(answer.unreadable);
        if ("isDone" in answer) return;
        next = nextOf(worker, ended);
        // It is awaited in the next round, if there is one.
        next.catch(() => {});
        if ("sheets" in answer) onSheets?.(answer.sheets);
        else {
          onPart?.(answer.part);
          yield answer.rows;
        }
      }
    } finally {
      await worker.terminate();
    }
  } finally {
    givePlace();
  }
}
