/**
 * An import of an upload that runs piece by piece, as the work of a job. The file is read from its beginning
 * when a session begins, also one that continues after an interruption: rows that are saved are read and
 * skipped. Between two pieces the session is held in memory.
 */
import type { Audited } from "#domain/access/audit.ts";
import { type ImportCounts, starterOf } from "#domain/import/batch.ts";
import type { ImportJob, ImportJobProgress } from "#domain/import/job.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import type { OneUpload } from "#domain/ports/uploads.ts";
import { subscriberImporter, suppressionImporter } from "../table/importers.ts";
import { readTable, type TableImporter, TableReading } from "../table/read-table.ts";
import { ImportBatcher, ListGone } from "./batcher.ts";
import { Checkpoints, countedBefore, type Resumption, tableStateOf } from "./checkpoint.ts";
import { readUpload, UploadGone } from "./read-upload.ts";
import { RejectedUpload, type RejectedUploadState, rejectedName } from "./rejected-upload.ts";
import { type LeftOut, Rejections, type SampleLines } from "./rejections.ts";

/** Well under the time of a lease. */
const LONGEST_WAIT_MS = 5000;

/** Lets work run for a while, and then holds it until it may go on. */
class Pacer {
  readonly #clock: () => number;
  #until = 0;
  #goOn: () => void = () => {};
  #onHold: () => void = () => {};

  /** A monotonic clock. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** The work calls it wherever it can wait. Rejects with the reason of the signal. */
  async turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#clock() < this.#until) return;
    await new Promise<void>((resolve) => {
      this.#goOn = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
      this.#onHold();
    });
    signal.throwIfAborted();
  }

  /**
   * Resolves when the work is held again, or after some time if it cannot be held: a workbook is unpacked
   * before its first row, and nothing is changed meanwhile.
   */
  run(ms: number): Promise<void> {
    this.#until = this.#clock() + ms;
    const held = new Promise<void>((resolve) => {
      this.#onHold = resolve;
      setTimeout(resolve, LONGEST_WAIT_MS).unref();
    });
    this.#goOn();
    return held;
  }
}

/** As many as a step of other jobs: calls do not wait long for a transaction. */
const ROWS_PER_BATCH = 250;
/** A dry run keeps some 100 bytes of each address in memory. */
export const MAX_DRY_ROWS = 1_000_000;

interface SessionOptions extends ImportJob {
  readonly account: number;
}
export interface ImportResult {
  readonly counts: ImportCounts;
  readonly reasons: Rejections["reasons"];
  readonly leftOut: readonly LeftOut[];
  readonly rejected: RejectedUploadState;
  /** Lines that are not in the encoding of the others. */
  readonly mislabelled: number;
  /** Only the first rows of the table were read: it was a dry run. */
  readonly isPartial: boolean;
  /** How the table is read. */
  readonly notes: readonly string[];
  /** By outcome; the outcomes of rows that were imported before an interruption are not known. */
  readonly samples: SampleLines;
}

/** Of an import that ended, but its job did not. */
const resultOf = (resumed: Resumption): ImportResult => ({
  counts: resumed.counts,
  ...countedBefore(resumed),
  rejected: tableStateOf(resumed) ?? { id: null, bytes: 0, isCut: false },
  mislabelled: 0,
  isPartial: false,
  notes: [],
  samples: {},
});

interface Services {
  readonly store: Store;
  readonly clock: () => number;
}

export class ImportSession {
  readonly #services: Services;
  readonly #job: SessionOptions;
  readonly #pacer = new Pacer(() => performance.now());
  readonly #ending = new AbortController();
  readonly #reading = new TableReading();
  readonly #mostDryRows: number;
  #progress: ImportJobProgress = { pass: 1, rows: 0, bytes: 0 };
  #notes: readonly string[] = [];
  #task: Promise<ImportResult> | null = null;

  constructor(services: Services, job: SessionOptions, mostDryRows = MAX_DRY_ROWS) {
    this.#services = services;
    this.#job = job;
    this.#mostDryRows = mostDryRows;
  }

  get progress(): ImportJobProgress {
    return this.#progress;
  }

  /** Continues for some time. Returns null if there is more to do. */
  async run(ms: number): Promise<ImportResult | null> {
    const held = this.#pacer.run(ms).then(() => null);
    this.#task ??= this.#begin();
    return await Promise.race([this.#task, held]);
  }

  /** It does nothing any more, beside what is being saved. */
  end(): void {
    this.#task?.catch(() => null);
    this.#ending.abort(new Error("the import is continued elsewhere"));
  }

  async #begin(): Promise<ImportResult> {
    const { store, clock } = this.#services;
    const { account, batch, upload: id, fileName, format, contents } = this.#job;
    const one: OneUpload = { account, id };
    const resumed = await this.#resumed();
    const state = resumed === null ? null : tableStateOf(resumed);
    if (resumed?.isFinished === true) return resultOf(resumed);
    const upload = await store.uploads.byId(one);
    if (upload === null) throw new UploadGone(`the upload ${id} was deleted`);
    const name = rejectedName(fileName);
    const table = new RejectedUpload(store.uploads, { account, name, batch, clock }, state);
    const rejections = new Rejections(table, resumed === null ? undefined : countedBefore(resumed));
    const reading = this.#reading;
    const checkpoints = new Checkpoints(resumed, { reading, rejections, table });
    const list = contents.kind === "subscribers" ? contents.list : null;
    const overwrite = contents.kind === "subscribers" && contents.overwrite;
    const target = { account, list, overwrite, now: this.#job.startedAt };
    const source = { fileName, startedBy: "", audit: resumed?.audit };
    const batcher = new ImportBatcher(store, target, rejections, {
      ...{ source, isDryRun: batch === null, clock, checkpoints, size: ROWS_PER_BATCH },
    });
    const chunks = () => readUpload(store.uploads, one, upload);
    const tableSource = { size: upload.size, first: chunks, second: chunks };
    const events = {
      signal: this.#ending.signal,
      turn: () => this.#pacer.turn(this.#ending.signal),
      onProgress: (progress: ImportJobProgress) => {
        this.#progress = progress;
      },
      // The others have values of the file.
      onNotes: (notes: readonly string[]) => {
        this.#notes = notes;
      },
    };
    const mostRows = batch === null ? this.#mostDryRows : Infinity;
    const tableState = { events, rejections, reading, doneRows: checkpoints.rows, mostRows };
    await readTable(tableSource, format, tableState, await this.#workOf(batcher));
    await table.write(table.take());
    await table.finish();
    const { rows, mislabelled, isPartial } = reading;
    this.#progress = { pass: 2, rows, bytes: upload.size };
    const { reasons, leftOut } = rejections;
    const { counts, samples } = batcher;
    const counted = { counts, reasons, leftOut, samples: samples.lines };
    return { ...counted, rejected: table.state, mislabelled, isPartial, notes: this.#notes };
  }

  /** null in a dry run, which begins again. */
  async #resumed(): Promise<(Resumption & Audited & { readonly isFinished: boolean }) | null> {
    const { store, clock } = this.#services;
    const { account, batch: id } = this.#job;
    if (id === null) return null;
    // Before the counts: if another session saves in between, this one has an old version and ends.
    const before = await store.imports.progress({ account, id });
    const batch = await store.imports.byId({ account, id });
    if (batch === null) throw new ListGone("the import was deleted");
    const isFinished = batch.finishedAt !== null;
    const progress = isFinished ? await store.imports.progress({ account, id }) : before;
    // Of what the import creates before its first row.
    const audit = { at: clock(), origin: starterOf(batch), from: null, action: "import.start" };
    return { batch: id, counts: batch.counts, progress, isFinished, audit };
  }

  async #workOf(batcher: ImportBatcher): Promise<TableImporter> {
    const { store } = this.#services;
    const { account, contents, startedAt: now } = this.#job;
    if (contents.kind === "suppressions") return suppressionImporter(batcher, contents.as, now);
    const { map, ignoresUnknown, isStrict = false, hasHeader = true } = contents;
    const owner = await store.accounts.byId({ id: account });
    const fields = await collect(store.fields.all.pages({ account }));
    const [country, fieldLimit] = [owner?.country ?? null, owner?.limitFields ?? null];
    const how = { map, ignoresUnknown, isStrict, hasHeader };
    return subscriberImporter(batcher, { fields, fieldLimit, country, now, ...how });
  }
}
