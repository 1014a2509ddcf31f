/**
 * Writes imported rows to the store, many per transaction. The next rows are read meanwhile, but written only
 * after the current batch, so that others can write in between. With checkpoints, each batch also saves how
 * far the import got.
 */

import type { Audited } from "#domain/access/audit.ts";
import type { ImportId } from "#domain/access/origin.ts";
import type { AccountId } from "#domain/account.ts";
import type { Address } from "#domain/address.ts";
import type { Clock } from "#domain/clocks.ts";
import type { Field } from "#domain/field/field.ts";
import {
  countedAs,
  countRows,
  type ImportCounts,
  type NewImportBatch,
  noSubscriberCounts,
  noSuppressionCounts,
} from "#domain/import/batch.ts";
import type { Imported, ImportedPerson } from "#domain/import/rules.ts";
import { collect } from "#domain/paging.ts";
import { nameKey } from "#domain/text.ts";
import { addBlock } from "#jobs/in-batches.ts";
import { TableProblem } from "../table/problem.ts";
import type { Entry, RejectedRows, Target } from "../table/source.ts";
import { type Checkpoints, LIMIT_REASON, type Mark } from "./checkpoint.ts";
import { DryRun } from "./dry-run.ts";
import { Samples } from "./rejections.ts";
import type { ImportStore } from "./retrying-store.ts";

/** The blocks that an import adds, and which of them are new. */
interface Block {
  readonly pattern: string;
  readonly at: number;
}

class ImportBlocks {
  readonly #store: Pick<ImportStore, "blocks" | "jobs">;
  readonly #account: AccountId;
  readonly #dryRun: DryRun | null;
  /** The patterns of the blocks that this import added. */
  readonly #added = new Set<string>();
  #known: Set<string> | null = null;

  constructor(store: Pick<ImportStore, "blocks" | "jobs">, account: AccountId, dryRun: DryRun | null) {
    this.#store = store;
    this.#account = account;
    this.#dryRun = dryRun;
  }

  /** The blocks are added before the subscribers, who are then suppressed. Returns how many are new. */
  async add(blocks: readonly Block[], batch: ImportId | null, now: number): Promise<number> {
    const account = this.#account;
    const origin = { kind: "import", batch } as const;
    const isNew = await Promise.all(
      blocks.map(
        async ({ pattern, at }) =>
          await (this.#dryRun?.block(pattern) ??
            (await addBlock(this.#store, { account, pattern, at, now, origin })).isChanged),
      ),
    );
    for (const [index, { pattern }] of blocks.entries()) {
      this.#known?.add(pattern);
      if (isNew[index] === true) this.#added.add(pattern);
    }
    return isNew.filter((one) => one).length;
  }

  /** How many of these are not blocked yet. */
  async countNew(blocks: readonly Pick<Block, "pattern">[]): Promise<number> {
    const account = this.#account;
    this.#known ??= new Set(
      (await collect(this.#store.blocks.all.pages({ account }))).map(({ pattern }) => pattern),
    );
    return new Set(blocks.map(({ pattern }) => pattern)).difference(this.#known).size;
  }

  /** The pattern of a block that this import added and that covers the address. */
  patternOf({ key, domain }: Address): string | undefined {
    return [key, `@${domain}`].find((pattern) => this.#added.has(pattern));
  }
}

const BATCH = 1000;

/** What the import is recorded as; a dry run is not recorded. */
type Source = Pick<NewImportBatch, "fileName" | "startedBy" | "startedKind"> & Audited;

/** The list was deleted during the import. */
export class ListGone extends Error {
  override readonly name = "ListGone";
}

interface BatcherOptions {
  readonly source: Source;
  readonly isDryRun: boolean;
  readonly clock: Clock;
  /** For an import that continues after an interruption. */
  readonly checkpoints?: Checkpoints;
  /** Rows per transaction. */
  readonly size?: number;
}

export class ImportBatcher {
  readonly #store: ImportStore;
  readonly #target: Target;
  readonly #source: Source;
  readonly #dryRun: DryRun | null;
  readonly #rejected: RejectedRows;
  readonly #clock: Clock;
  readonly #checkpoints: Checkpoints | null;
  readonly #size: number;
  readonly #blocks: ImportBlocks;
  #waiting: Entry[] = [];
  #rejectedSince = 0;
  /** Rows that the store rejected; the reader of the file does not count them. */
  #limited = 0;
  /** Rows that the reader had rejected when the last batch was saved. */
  #savedRejected: number;
  /** The batch that is being saved, and its error if it failed. */
  #running: Promise<unknown> = Promise.resolve(null);
  #batch: ImportId | null;
  #counts: ImportCounts;
  /** Of the rows of a list's import, by what they are counted as. */
  readonly samples = new Samples();
  /** Subscribers whom a row created that a later row of the file replaces; there are few. */
  readonly #created = new Set<string>();

  constructor(
    store: ImportStore,
    target: Target,
    rejected: RejectedRows,
    { source, isDryRun, clock, checkpoints, size = BATCH }: BatcherOptions,
  ) {
    this.#store = store;
    this.#target = target;
    this.#source = source;
    this.#dryRun = isDryRun ? new DryRun(store, target) : null;
    this.#rejected = rejected;
    this.#savedRejected = rejected.count;
    this.#clock = clock;
    this.#checkpoints = checkpoints ?? null;
    this.#size = size;
    this.#blocks = new ImportBlocks(store, target.account, this.#dryRun);
    this.#batch = isDryRun ? null : (checkpoints?.batch ?? null);
    const none = target.list === null ? noSuppressionCounts : noSubscriberCounts;
    this.#counts = checkpoints?.counts ?? none;
  }

  leaveOut(line: number, heading: string, reason: string): void {
    this.#rejected.leaveOut(line, heading, reason);
  }

  /** Before the first row. A dry run creates nothing; its field has an id that no other one has. */
  async createField({ name, type }: Pick<Field, "name" | "type">): Promise<Field> {
    const { account, now } = this.#target;
    const field = { name, type, isPrivate: false };
    if (this.#dryRun !== null) return { ...field, id: this.#dryRun.fieldId(), createdAt: now };
    const { audit } = this.#source;
    const by = audit === undefined ? audit : { ...audit, action: "field.create" };
    const { fields } = this.#store;
    const created = await fields.create({ account, id: null, field, at: this.#clock(), audit: by });
    if (typeof created === "object") return created;
    // Another import of the same table may have created it.
    const found = (await collect(fields.all.pages({ account }))).find(
      (one) => nameKey(one.name) === nameKey(name),
    );
    if (found === undefined) throw new TableProblem({ kind: "no new field", name });
    return found;
  }

  /** The recorded import; null in a dry run. */
  get batch(): ImportId | null {
    return this.#batch;
  }
  get counts(): ImportCounts {
    return { ...this.#counts, rejected: this.#rejected.count };
  }

  /**
   * If it returns a promise, wait for it: a batch is full, and the one before it may still be running.
   */
  add(entry: Entry): Promise<void> | null {
    this.#waiting.push(entry);
    return this.#waiting.length < this.#size ? null : this.#handOver();
  }

  /** The reader of the file has rejected a row. Returns what to wait for, as `add` does. */
  rejected(): Promise<void> | null {
    this.#rejectedSince += 1;
    const checkpoints = this.#checkpoints;
    if (checkpoints === null) return null;
    return this.#rejectedSince < this.#size && !checkpoints.isFull ? null : this.#handOver();
  }

  /** Resolves when all rows so far are in the store. */
  async flush(): Promise<void> {
    await this.#handOver();
    await this.#handOver();
  }

  /** After the last row: the import is recorded as finished. */
  async finish(): Promise<void> {
    await this.flush();
    if (this.#dryRun !== null) return;
    const { account } = this.#target;
    const id = await this.#started();
    await this.#store.imports.finish({
      account,
      id,
      counts: this.counts,
      finishedAt: this.#clock(),
    });
  }

  async #started(): Promise<ImportId> {
    const { account, list, now } = this.#target;
    this.#batch ??= await this.#store.imports.start({
      ...this.#source,
      account,
      list,
      startedAt: now,
      counts: this.counts,
    });
    return this.#batch;
  }

  async #handOver(): Promise<void> {
    const entries = this.#waiting;
    this.#waiting = [];
    this.#rejectedSince = 0;
    // Before the next row is read.
    const mark = this.#checkpoints?.mark(this.#rejected.count - this.#limited) ?? null;
    const failure = await this.#running;
    if (failure !== null) throw failure;
    // Stored rather than thrown, because no caller awaits it yet.
    this.#running = this.#save(entries, mark).then(
      () => null,
      (error: unknown) => error,
    );
  }

  async #save(entries: readonly Entry[], mark: Mark | null): Promise<void> {
    if (entries.length === 0 && (mark === null || !mark.hasMore)) return;
    // Each batch has its own time, so that the history has its changes after the changes that other programs
    // made while the file was read. Retries repeat the batch with the same time.
    const at = this.#clock();
    const blocks = entries.flatMap(({ block }) => block ?? []).map((one) => ({ ...one, at: one.at ?? at }));
    const batch = this.#dryRun === null ? await this.#started() : null;
    const rejected = mark?.rejected ?? this.#rejected.count - this.#limited;
    const before = { ...this.#counts, rejected: this.#savedRejected + this.#limited };
    const expected = await this.#expectedBlocks(blocks, before, at);
    const added = await this.#blocks.add(blocks, batch, at);
    this.#countBlocks(expected ?? added, blocks.length);
    const withPeople = entries.filter(({ person }) => person !== null);
    const people = withPeople.flatMap(({ person }) => (person === null ? [] : this.#marked(person)));
    await this.#checkpoints?.write(mark);
    const results = await (this.#dryRun?.take(people) ?? this.#import(people, rejected, at, mark));
    for (const [index, { outcome, isNew }] of results.entries()) {
      const entry = withPeople[index];
      this.#sample(entry, results[index]);
      if (outcome === "Duplicate" && isNew) this.#noteCreated(entry?.person?.address.key ?? "");
      if (outcome === "LimitReached" && entry !== undefined) {
        this.#limited += 1;
        this.#rejected.add(entry, LIMIT_REASON);
      }
    }
    this.#counts = countRows(this.#counts, people, results);
  }

  #sample(entry: Entry | undefined, row: Imported | undefined): void {
    if (entry === undefined || row === undefined || this.#target.list === null) return;
    this.samples.add(countedAs(row), entry.line);
  }

  #noteCreated(key: string): void {
    this.#created.add(key);
    this.#checkpoints?.noteCreated(key);
  }

  /** With what the preceding rows of the file did. */
  #marked(person: ImportedPerson): ImportedPerson {
    const { key } = person.address;
    const blockPattern = this.#blocks.patternOf(person.address);
    return {
      ...person,
      isCreatedByFile: this.#created.has(key) || (this.#checkpoints?.isCreated(key) ?? false),
      ...(blockPattern === undefined ? {} : { blockPattern }),
    };
  }

  /**
   * With checkpoints: how many blocks are new, saved before the first of them is added. Afterwards, an import
   * that continues could not tell. Otherwise null.
   */
  async #expectedBlocks(
    blocks: readonly { readonly pattern: string }[],
    counts: ImportCounts,
    at: number,
  ): Promise<number | null> {
    const checkpoints = this.#checkpoints;
    if (checkpoints === null || this.#dryRun !== null || blocks.length === 0) return null;
    if (checkpoints.newBlocks !== null) return checkpoints.newBlocks;
    const expected = await this.#blocks.countNew(blocks);
    if (expected > 0) {
      await this.#send([], counts, at, checkpoints.beforeBlocks(expected));
      checkpoints.savedBlocks(expected);
    }
    return expected;
  }

  #countBlocks(added: number, rows: number): void {
    const counts = this.#counts;
    const newBlocks = counts.newBlocks + added;
    this.#counts =
      "noOps" in counts
        ? { ...counts, newBlocks, noOps: counts.noOps + rows - added }
        : { ...counts, newBlocks };
  }

  async #import(
    people: readonly ImportedPerson[],
    rejected: number,
    at: number,
    mark: Mark | null,
  ): Promise<readonly Imported[]> {
    const counts = { ...this.#counts, rejected: rejected + this.#limited };
    const results = await this.#send(people, counts, at, mark === null ? null : this.#checkpoints?.at(mark));
    if (mark !== null) this.#checkpoints?.saved(mark);
    this.#savedRejected = rejected;
    return results;
  }

  async #send(
    people: readonly ImportedPerson[],
    counts: ImportCounts,
    at: number,
    progress: ReturnType<Checkpoints["at"]> | null | undefined,
  ): Promise<readonly Imported[]> {
    const { account, list, overwrite } = this.#target;
    const batch = await this.#started();
    const command = { account, list, overwrite, batch, counts, at, people };
    const results = await this.#store.imports.add(
      progress === null || progress === undefined ? command : { ...command, progress },
    );
    if (results === null) throw new ListGone("the list was deleted during the import");
    return results;
  }
}
