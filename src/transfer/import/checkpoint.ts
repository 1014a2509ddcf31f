/**
 * How far an import got, for one that continues after an interruption: saved in the transaction of each batch
 * of rows. It contains no address and no value of a row.
 */
import type { ImportId } from "#domain/access/origin.ts";
import type { ImportCounts } from "#domain/import/batch.ts";
import { type CreatedByFile, hashIn, type ImportProgress } from "#domain/import/job.ts";
import type { TableReading } from "../table/read-table.ts";
import type { RejectedUpload, RejectedUploadState } from "./rejected-upload.ts";
import type { Before, LeftOut, Rejections } from "./rejections.ts";

type Reasons = Rejections["reasons"];

interface State extends CreatedByFile {
  readonly table: RejectedUploadState;
  /** Rejected rows by reason. */
  readonly reasons: Reasons;
  readonly leftOut: readonly LeftOut[];
  /** How many blocks of the next batch were new before it was begun; null: it was not begun. */
  readonly newBlocks: number | null;
}

/** What was read of the file at some moment. */
export interface Mark {
  readonly rows: number;
  /** How many of them the reader rejected. */
  readonly rejected: number;
  /** Whether anything was read since the last one that was saved. */
  readonly hasMore: boolean;
  readonly reasons: Reasons;
  readonly leftOut: readonly LeftOut[];
  /** The rows that were rejected since the last mark, as text. */
  readonly text: string;
}

export const LIMIT_REASON = "the account's subscriber limit is reached";

/** Where an import continues. */
export interface Resumption {
  readonly batch: ImportId;
  readonly counts: ImportCounts;
  readonly progress: ImportProgress | null;
}

const stateOf = ({ progress }: Resumption): State | null =>
  progress === null ? null : (JSON.parse(progress.state) as State);

/**
 * The rejected rows and the values that were left out so far, by reason. Rows that the store rejects are
 * counted with their batch, but their reason is only saved with the next.
 */
export function countedBefore(resumed: Resumption): Before {
  const state = stateOf(resumed);
  const reasons = new Map(state?.reasons);
  const known = [...reasons.values()].reduce((sum, rows) => sum + rows, 0);
  const missing = resumed.counts.rejected - known;
  if (missing > 0) reasons.set(LIMIT_REASON, (reasons.get(LIMIT_REASON) ?? 0) + missing);
  return { reasons: [...reasons], leftOut: state?.leftOut ?? [] };
}
export const tableStateOf = (resumed: Resumption): RejectedUploadState | null =>
  stateOf(resumed)?.table ?? null;

interface Parts {
  readonly reading: TableReading;
  readonly rejections: Rejections;
  readonly table: RejectedUpload;
}

export class Checkpoints {
  /** null in a dry run. */
  readonly batch: ImportId | null;
  readonly counts: ImportCounts | null;
  readonly #reading: TableReading;
  readonly #rejections: Rejections;
  readonly #table: RejectedUpload;
  readonly #created: Set<string>;
  /** What was saved last; `created` is kept apart, as it grows after its batch is saved. */
  #version: number;
  #rows: number;
  #state: Omit<State, "created">;

  /** `resumed`: null for a dry run, which saves nothing. */
  constructor(resumed: Resumption | null, { reading, rejections, table }: Parts) {
    this.batch = resumed?.batch ?? null;
    this.counts = resumed?.counts ?? null;
    this.#reading = reading;
    this.#rejections = rejections;
    this.#table = table;
    this.#version = resumed?.progress?.version ?? 0;
    this.#rows = resumed?.progress?.rows ?? 0;
    const saved = resumed === null ? null : stateOf(resumed);
    this.#state = saved ?? { table: table.state, reasons: [], leftOut: [], newBlocks: null };
    this.#created = new Set(saved?.created);
  }

  /** How many rows of the file are saved. */
  get rows(): number {
    return this.#rows;
  }
  /** Of the batch that was begun before an interruption; null: none was. */
  get newBlocks(): number | null {
    return this.#state.newBlocks;
  }
  /** Whether so many rows were rejected that they should be written. */
  get isFull(): boolean {
    return this.#table.isFull;
  }

  mark(rejected: number): Mark {
    const { rows } = this.#reading;
    const { reasons, leftOut } = this.#rejections;
    return { rows, rejected, hasMore: rows > this.#rows, reasons, leftOut, text: this.#table.take() };
  }

  /** Durable before the batch is saved. If that is not saved, the same rows are written again. */
  async write(mark: Mark | null): Promise<void> {
    if (mark !== null) await this.#table.write(mark.text);
  }

  /** To be saved with a batch. */
  at({ rows, reasons, leftOut }: Mark): ImportProgress {
    return this.#next(rows, { table: this.#table.state, reasons, leftOut, newBlocks: null });
  }
  saved({ rows, reasons, leftOut }: Mark): void {
    this.#version += 1;
    this.#rows = rows;
    this.#state = { table: this.#table.state, reasons, leftOut, newBlocks: null };
  }

  /** To be saved before the blocks of a batch are added. */
  beforeBlocks(newBlocks: number): ImportProgress {
    return this.#next(this.#rows, { ...this.#state, newBlocks });
  }
  savedBlocks(newBlocks: number): void {
    this.#version += 1;
    this.#state = { ...this.#state, newBlocks };
  }

  #next(rows: number, state: Omit<State, "created">): ImportProgress {
    const created = [...this.#created];
    return { version: this.#version + 1, rows, state: JSON.stringify({ ...state, created }) };
  }

  noteCreated(addressKey: string): void {
    this.#created.add(hashIn(this.batch, addressKey));
  }
  isCreated(addressKey: string): boolean {
    return this.#created.size > 0 && this.#created.has(hashIn(this.batch, addressKey));
  }
}
