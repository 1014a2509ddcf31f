/**
 * Writes imported rows to the store, a thousand per transaction. The next thousand are read meanwhile, but
 * written only after the current batch, so that a server on the same database can write in between.
 */

import type { Clock } from "../domain/clocks.ts";
import {
  countRows,
  type ImportCounts,
  type NewImportBatch,
  noSubscriberCounts,
  noSuppressionCounts,
} from "../domain/import-batch.ts";
import type { Imported, ImportedPerson } from "../domain/import-rules.ts";
import type { ImportId } from "../domain/origin.ts";
import { addBlock } from "../jobs/in-batches.ts";
import { DryRun } from "./dry-run.ts";
import type { ImportStore } from "./retrying-store.ts";
import type { Target } from "./target.ts";

const BATCH = 1000;

export interface Entry {
  readonly line: number;
  readonly cells: readonly string[];
  readonly person: ImportedPerson | null;
  /** The time is null if the file has none. */
  readonly block: { readonly pattern: string; readonly at: number | null } | null;
}
/** Collects all rejected rows, also those that the reader of the file rejects. */
export interface RejectedRows {
  readonly count: number;
  add(entry: Entry, reason: string): void;
}
/** What the import is recorded as; a dry run is not recorded. */
export type Source = Pick<NewImportBatch, "fileName" | "startedBy">;

/** The list was deleted during the import. */
export class ListGone extends Error {
  override readonly name = "ListGone";
}

export class ImportBatcher {
  readonly #store: ImportStore;
  readonly #target: Target;
  readonly #source: Source;
  readonly #dryRun: DryRun | null;
  readonly #rejected: RejectedRows;
  readonly #clock: Clock;
  #waiting: Entry[] = [];
  /** The batch that is being saved, and its error if it failed. */
  #running: Promise<unknown> = Promise.resolve(null);
  #batch: ImportId | null = null;
  #counts: ImportCounts;
  /** Subscribers whom a row created that a later row of the file replaces; there are few. */
  readonly #created = new Set<string>();
  /** The patterns of the blocks that this import added. */
  readonly #patterns = new Set<string>();

  constructor(
    store: ImportStore,
    target: Target,
    rejected: RejectedRows,
    {
      source,
      isDryRun,
      clock,
    }: { readonly source: Source; readonly isDryRun: boolean; readonly clock: Clock },
  ) {
    this.#store = store;
    this.#target = target;
    this.#source = source;
    this.#dryRun = isDryRun ? new DryRun(store, target) : null;
    this.#rejected = rejected;
    this.#clock = clock;
    this.#counts = target.list === null ? noSuppressionCounts : noSubscriberCounts;
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
    return this.#waiting.length < BATCH ? null : this.#handOver();
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
      audit: {
        at: now,
        origin: { kind: "operator", name: this.#source.startedBy },
        from: null,
        action: list === null ? "import.suppressions" : "import.subscribers",
      },
    });
    return this.#batch;
  }

  async #handOver(): Promise<void> {
    const entries = this.#waiting;
    this.#waiting = [];
    const failure = await this.#running;
    if (failure !== null) throw failure;
    // Stored rather than thrown, because no caller awaits it yet.
    this.#running = this.#save(entries).then(
      () => null,
      (error: unknown) => error,
    );
  }

  async #save(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return;
    // Each batch has its own time, so that the history has its changes after those that other programs made
    // while the file was read. Retries repeat the batch with the same time.
    const at = this.#clock();
    const blocks = entries.flatMap(({ block }) => block ?? []);
    const batch = this.#dryRun === null ? await this.#started() : null;
    await Promise.all(blocks.map((block) => this.#block({ ...block, at: block.at ?? at }, batch)));
    const withPeople = entries.filter(({ person }) => person !== null);
    const people = withPeople.flatMap(({ person }) => (person === null ? [] : this.#marked(person)));
    const results = await (this.#dryRun?.take(people) ?? this.#import(people, at));
    for (const [index, { outcome, isNew }] of results.entries()) {
      const entry = withPeople[index];
      if (outcome === "Duplicate" && isNew) this.#created.add(entry?.person?.address.key ?? "");
      if (outcome === "LimitReached" && entry !== undefined)
        this.#rejected.add(entry, "the account's subscriber limit is reached");
    }
    this.#counts = countRows(this.#counts, people, results);
  }

  /** With what the preceding rows of the file did. */
  #marked(person: ImportedPerson): ImportedPerson {
    const { key, domain } = person.address;
    const blockPattern = [key, `@${domain}`].find((pattern) => this.#patterns.has(pattern));
    return {
      ...person,
      isCreatedByFile: this.#created.has(key),
      ...(blockPattern === undefined ? {} : { blockPattern }),
    };
  }

  /** The block is added before the subscriber, who is then suppressed. */
  async #block(
    { pattern, at }: { readonly pattern: string; readonly at: number },
    batch: ImportId | null,
  ): Promise<void> {
    const { account } = this.#target;
    const origin = { kind: "import", batch } as const;
    const isNew = await (this.#dryRun?.block(pattern) ??
      (await addBlock(this.#store, { account, pattern, at, origin })).isChanged);
    if (isNew) this.#patterns.add(pattern);
    const counts = this.#counts;
    if (isNew) this.#counts = { ...counts, newBlocks: counts.newBlocks + 1 };
    else if ("noOps" in counts) this.#counts = { ...counts, noOps: counts.noOps + 1 };
  }

  async #import(people: readonly ImportedPerson[], at: number): Promise<readonly Imported[]> {
    const { account, list, overwrite } = this.#target;
    const batch = await this.#started();
    const results = await this.#store.imports.add({
      account,
      list,
      overwrite,
      batch,
      counts: this.counts,
      at,
      people,
    });
    if (results === null) throw new ListGone("the list was deleted during the import");
    return results;
  }
}
