/**
 * Rows on their way into the store, a thousand in one transaction. The next thousand are read meanwhile, but handed over
 * only when these are done: a server that writes to the same database gets its turn in between.
 */
import type { Imported, ImportedPerson, ImportOutcome } from "../domain/import-rules.ts";
import { addBlock } from "../operations/in-batches.ts";
import { DryRun } from "./dry-run.ts";
import type { ImportStore } from "./retrying-store.ts";
import type { Target } from "./target.ts";

const BATCH = 1000;

export interface Entry {
  readonly line: number;
  readonly cells: readonly string[];
  readonly person: ImportedPerson | null;
  readonly block: { readonly pattern: string; readonly at: number } | null;
}
/** How many rows, or blocks, came to what. */
export type Tally = Record<
  Exclude<ImportOutcome, "LimitReached"> | "NewPerson" | "NewBlock" | "OldBlock",
  number
>;

/** The list went away while its members came. */
export class ListGone extends Error {
  override readonly name = "ListGone";
}

export class ImportBatcher {
  readonly #store: ImportStore;
  readonly #target: Target;
  readonly #dryRun: DryRun | null;
  readonly #onRejected: (entry: Entry, reason: string) => void;
  #waiting: Entry[] = [];
  /** The batch that is being saved; what it failed with, if it did. */
  #running: Promise<unknown> = Promise.resolve(null);
  readonly tally: Tally = {
    NewPerson: 0,
    Joined: 0,
    HeldBack: 0,
    OnList: 0,
    LeftSince: 0,
    Erased: 0,
    Recorded: 0,
    NoOp: 0,
    NewBlock: 0,
    OldBlock: 0,
  };

  constructor(
    store: ImportStore,
    target: Target,
    isDryRun: boolean,
    onRejected: (entry: Entry, reason: string) => void,
  ) {
    this.#store = store;
    this.#target = target;
    this.#dryRun = isDryRun ? new DryRun(store, target) : null;
    this.#onRejected = onRejected;
  }

  /** To be waited for where it gives back a promise: a batch is full, and the one before it may not be done. */
  add(entry: Entry): Promise<void> | null {
    this.#waiting.push(entry);
    return this.#waiting.length < BATCH ? null : this.#handOver();
  }

  /** Everything given so far is in the store. */
  async settle(): Promise<void> {
    await this.#handOver();
    await this.#handOver();
  }

  async #handOver(): Promise<void> {
    const entries = this.#waiting;
    this.#waiting = [];
    const failure = await this.#running;
    if (failure !== null) throw failure;
    // Kept rather than thrown, because nobody waits for it yet.
    this.#running = this.#save(entries).then(
      () => null,
      (error: unknown) => error,
    );
  }

  async #save(entries: readonly Entry[]): Promise<void> {
    const blocks = entries.flatMap(({ block }) => block ?? []);
    await Promise.all(blocks.map((block) => this.#block(block)));
    const withPeople = entries.filter(({ person }) => person !== null);
    const people = withPeople.flatMap(({ person }) => person ?? []);
    if (people.length === 0) return;
    for (const [index, { outcome, isNew }] of (await this.#take(people)).entries()) {
      const entry = withPeople[index];
      if (isNew) this.tally.NewPerson += 1;
      if (outcome !== "LimitReached") this.tally[outcome] += 1;
      else if (entry !== undefined) this.#onRejected(entry, "the account's limit of subscribers is reached");
    }
  }

  /** It holds before the person comes, who is then held back. */
  async #block({ pattern, at }: NonNullable<Entry["block"]>): Promise<void> {
    const { account } = this.#target;
    const origin = { kind: "import" } as const;
    const isNew = await (this.#dryRun?.block(pattern) ??
      addBlock(this.#store, { account, pattern, at, origin }));
    this.tally[isNew ? "NewBlock" : "OldBlock"] += 1;
  }

  async #take(people: readonly ImportedPerson[]): Promise<readonly Imported[]> {
    if (this.#dryRun !== null) return this.#dryRun.take(people);
    const { account, list, now } = this.#target;
    const results = await this.#store.write("importPeople", { account, list, at: now, people });
    if (results === null) throw new ListGone("the list was deleted meanwhile");
    return results;
  }
}
