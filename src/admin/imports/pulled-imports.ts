/**
 * The imports of a pull: one for each list, and one of everybody else, which also has how far the pull got. A
 * pull that was interrupted continues from there, if it began a short time ago: what the other service has
 * changed since about people who were read already, only the next pull sees.
 */
import { actorName } from "#domain/access/audit.ts";
import { DAY_MS } from "#domain/calendar.ts";
import {
  type ImportBatch,
  type ImportCounts,
  noSubscriberCounts,
  noSuppressionCounts,
} from "#domain/import/batch.ts";
import { PLANNED_LIST } from "#domain/import/job.ts";
import type { ImportedPerson } from "#domain/import/rules.ts";
import type { ListId } from "#domain/list.ts";
import { collect } from "#domain/paging.ts";
import { ImportBatcher } from "#transfer/import/batcher.ts";
import { Checkpoints, countedBefore, tableStateOf } from "#transfer/import/checkpoint.ts";
import { RejectedUpload } from "#transfer/import/rejected-upload.ts";
import { Rejections } from "#transfer/import/rejections.ts";
import { type Retries, retryingStore } from "#transfer/import/retrying-store.ts";
import { TableReading } from "#transfer/table/read-table.ts";
import type { InAccount, Performing } from "../kit/action.ts";

/** Later than this, an interrupted pull is not continued: the next one begins again. */
const CONTINUED_MS = DAY_MS;
/** Imports that were recorded since; of more, an older interrupted one is not found. */
const MOST_IMPORTS = 1000;
/** Saved together, as many as rows of a file: one transaction for each list that one of them is on. */
export const PEOPLE_PER_SAVE = 1000;

interface PullOptions extends InAccount {
  /** Of the other service, as imports are called that come from it. */
  readonly origin: string;
  /** The columns of rejected rows. */
  readonly header: readonly string[];
  readonly isDryRun: boolean;
  readonly retries: Retries;
  readonly onNote: (note: string) => void;
}

/** A row of the other service. `id`: there. */
export interface PulledRow {
  readonly id: number;
  readonly cells: readonly string[];
}

/** What an import of a pull did. */
export interface PulledCounts {
  readonly import: number | null;
  readonly counts: ImportCounts;
  /** The line of a row is its id there. */
  readonly rejections: Pick<Rejections, "reasons" | "leftOut" | "exampleOf">;
}

export class PulledImport {
  readonly #batcher: ImportBatcher;
  readonly #rejections: Rejections;
  readonly #reading: TableReading;
  readonly #table: RejectedUpload | null;
  /** The rows up to this id were saved before an interruption. */
  readonly savedUpTo: number;

  constructor(
    batcher: ImportBatcher,
    rejections: Rejections,
    { reading, table }: { readonly reading: TableReading; readonly table: RejectedUpload | null },
  ) {
    this.#batcher = batcher;
    this.#rejections = rejections;
    this.#reading = reading;
    this.#table = table;
    this.savedUpTo = reading.rows;
  }

  /** To be called before a row is added: with it, everything up to this position is saved. */
  reach(id: number): void {
    this.#reading.rows = Math.max(this.#reading.rows, id);
  }
  async add({ id, cells }: PulledRow, person: ImportedPerson, isBlocked: boolean): Promise<void> {
    const block = isBlocked ? { pattern: person.address.key, at: null } : null;
    await this.#batcher.add({ line: id, cells, person, block });
  }
  reject({ id, cells }: PulledRow, reason: string): void {
    this.#rejections.add({ line: id, cells }, reason);
  }
  leaveOut({ id }: PulledRow, what: string, reason: string): void {
    this.#batcher.leaveOut(id, what, reason);
  }
  async flush(): Promise<void> {
    await this.#batcher.flush();
  }
  async finish(): Promise<void> {
    await this.#batcher.finish();
    await this.#table?.finish();
  }
  get result(): PulledCounts {
    const { batch, counts } = this.#batcher;
    return { import: batch, counts, rejections: this.#rejections };
  }
}

export class PulledImports {
  readonly #admin: Performing;
  readonly #options: PullOptions;
  readonly #unfinished: readonly ImportBatch[];
  readonly #everybody: PulledImport;
  readonly #lists = new Map<ListId, PulledImport>();

  private constructor(
    admin: Performing,
    options: PullOptions,
    unfinished: readonly ImportBatch[],
    everybody: PulledImport,
  ) {
    this.#admin = admin;
    this.#options = options;
    this.#unfinished = unfinished;
    this.#everybody = everybody;
  }

  /** The import of everybody begins before the others and ends after them. */
  static async begin(admin: Performing, options: PullOptions): Promise<PulledImports> {
    const unfinished = options.isDryRun ? [] : await unfinishedOf(admin, options);
    const before = unfinished.find(isOfEverybody);
    const everybody = await beginImport(admin, options, null, before);
    if (before !== undefined && everybody.savedUpTo > 0)
      options.onNote(
        `this continues the pull that began at ${new Date(before.startedAt).toISOString()}; what the other service has changed since then about what was read before is taken by the next pull`,
      );
    return new PulledImports(admin, options, unfinished, everybody);
  }

  /** The rows up to this id were saved before an interruption; 0: this pull begins again. */
  get savedUpTo(): number {
    return this.#everybody.savedUpTo;
  }

  /**
   * null: of everybody who is on no list, or who cannot be read. A list that a dry run only plans has a
   * negative number.
   */
  async of(list: ListId | null): Promise<PulledImport> {
    if (list === null) return this.#everybody;
    const known = this.#lists.get(list);
    if (known !== undefined) return known;
    const before = this.#unfinished.find((one) => one.list === list);
    const made = await beginImport(this.#admin, this.#options, list, before);
    this.#lists.set(list, made);
    return made;
  }

  /** Saves all rows so far: those of the lists before the position. */
  async save(reached: number): Promise<void> {
    // Together, so that the store can commit them together.
    await Promise.all([...this.#lists.values()].map((one) => one.flush()));
    this.#everybody.reach(reached);
    await this.#everybody.flush();
  }

  async finish(): Promise<void> {
    // Also those of lists for which nothing was left to read.
    for (const { list } of this.#unfinished) await this.of(list);
    for (const one of this.#lists.values()) await one.finish();
    await this.#everybody.finish();
  }

  get results(): {
    readonly everybody: PulledCounts;
    readonly lists: ReadonlyMap<ListId, PulledCounts>;
  } {
    const lists = new Map([...this.#lists].map(([list, { result }]) => [list, result] as const));
    return { everybody: this.#everybody.result, lists };
  }
}

const isOfEverybody = ({ list }: ImportBatch): boolean => list === null;

/** Of the last pull from there, if it was interrupted. */
async function unfinishedOf(
  { store, audit }: Performing,
  { account, origin, retries }: PullOptions,
): Promise<readonly ImportBatch[]> {
  const { rows } = await retries.run(() =>
    store.imports.all.page({ account }, { after: null, limit: MOST_IMPORTS }),
  );
  // The newest first: up to the one that began the pull.
  const fromThere = rows.filter(({ fileName }) => fileName === origin);
  const ofPull = fromThere.slice(0, fromThere.findIndex(isOfEverybody) + 1);
  const began = ofPull.at(-1);
  const lists = await retries.run(() => collect(store.lists.all.pages({ account })));
  const isThere = ({ list }: ImportBatch): boolean => list === null || lists.some(({ id }) => id === list);
  const isOver =
    began === undefined ||
    began.finishedAt !== null ||
    began.startedAt < audit.at - CONTINUED_MS ||
    // What was read into these is gone: it has to be read again.
    ofPull.some((one) => one.undoStartedAt !== null || !isThere(one));
  return isOver ? [] : ofPull.filter(({ finishedAt }) => finishedAt === null);
}

async function beginImport(
  { store, actor, audit, clock }: Performing,
  { account, origin, header, isDryRun, retries }: PullOptions,
  list: ListId | null,
  before: ImportBatch | undefined,
): Promise<PulledImport> {
  const source = {
    fileName: origin,
    startedBy: actorName(actor.origin) ?? "",
    startedKind: actor.origin.kind,
    audit,
  };
  const reading = new TableReading();
  const into = list !== null && list < 0 ? PLANNED_LIST : list;
  const target = { account, list: into, overwrite: false, now: before?.startedAt ?? audit.at };
  const retried = retryingStore(store, retries);
  // All of a save are in one transaction, and none before: the position counts for all lists.
  const how = { source, isDryRun, clock, size: PEOPLE_PER_SAVE + 1 };
  if (isDryRun) {
    const rejections = new Rejections(null);
    const batcher = new ImportBatcher(retried, target, rejections, how);
    return new PulledImport(batcher, rejections, { reading, table: null });
  }
  const counts = list === null ? noSuppressionCounts : noSubscriberCounts;
  const batch =
    before?.id ?? (await retried.imports.start({ ...source, account, list, startedAt: target.now, counts }));
  const progress = await retried.imports.progress({ account, id: batch });
  const resumed = { batch, counts: before?.counts ?? counts, progress };
  const name = `${origin.replaceAll(/[^\w.-]+/g, "-")}.rejected.csv`;
  const table = new RejectedUpload(store.uploads, { account, name, batch, clock }, tableStateOf(resumed));
  table.header = header;
  const rejections = new Rejections(table, countedBefore(resumed));
  reading.rows = progress?.rows ?? 0;
  const checkpoints = new Checkpoints(resumed, { reading, rejections, table });
  const batcher = new ImportBatcher(retried, target, rejections, { ...how, checkpoints });
  return new PulledImport(batcher, rejections, { reading, table });
}
