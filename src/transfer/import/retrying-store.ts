/**
 * A store for imports with retries: what fails because the database does not respond is retried for about two
 * minutes, longer than a failover takes. All reads and writes of an import are idempotent. If the connection
 * was lost during a commit, the next attempt may find rows that the first one saved; they are counted by the
 * result of the first.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Imported } from "#domain/import/rules.ts";
import { pagesBy } from "#domain/paging.ts";
import type { ChangedBlock } from "#domain/ports/blocks.ts";
import { CommitUnknown, DatabaseFileReplaced, StoreUnavailable } from "#domain/ports/errors.ts";
import type { Listing, Page, PageRange } from "#domain/ports/listing.ts";
import type { Store } from "#domain/ports/store.ts";

// Wraps the methods and listings of a port, for instance to retry them.

/** Makes a call, or several, or none. */
type Around<Port> = (method: keyof Port, call: () => Promise<unknown>) => Promise<unknown>;

type AnyListing = Listing<unknown, unknown>;
const isListing = (method: unknown): method is AnyListing =>
  typeof method === "object" && method !== null && "page" in method;

const PAGE_SIZE = 500;

/** Each page is a call of its own. */
function wrapListing(
  listing: AnyListing,
  around: (call: () => Promise<unknown>) => Promise<unknown>,
): AnyListing {
  const page = async (args: unknown, range: PageRange) =>
    (await around(() => listing.page(args, range))) as Page<unknown>;
  return {
    page,
    pages: (args) => pagesBy(PAGE_SIZE, (range) => page(args, range)),
  };
}

export function wrapPort<Port extends object>(port: Port, around: Around<Port>): Port {
  const methods = Object.entries(port).map(([key, method]: [string, unknown]) => {
    const name = key as keyof Port;
    if (isListing(method)) return [key, wrapListing(method, (call) => around(name, call))];
    if (typeof method !== "function") return [key, method];
    return [key, (...args: unknown[]) => around(name, () => method(...args) as Promise<unknown>)];
  });
  return Object.fromEntries(methods) as Port;
}

export type ImportStore = Pick<Store, "imports" | "blocks" | "fields" | "jobs">;

const PAUSES_MS = [1000, 2000, 4000, 8000, 15_000, 30_000, 30_000, 30_000];

export interface Pause {
  readonly error: StoreUnavailable;
  readonly ms: number;
  /** The number of the next attempt. */
  readonly attempt: number;
  readonly attempts: number;
}
interface RetryOptions {
  /** Ends a pause, and all further attempts. */
  readonly signal: AbortSignal;
  /** Called once for several calls that wait at the same time. */
  readonly onPause: (pause: Pause) => void;
  readonly pausesMs?: readonly number[];
}

/** Combines the result of an attempt that may have been committed with that of one that was. */
type Combine<Result> = (maybe: Result, later: Result) => Result;
const combineBlocks: Combine<ChangedBlock> = (maybe, later) => ({
  ...later,
  isChanged: maybe.isChanged || later.isChanged,
});
const combineImports: Combine<readonly Imported[] | null> = (maybe, later) =>
  later?.map((row, index) => {
    const before = maybe?.[index];
    return before === undefined ? row : combineRows(before, row);
  }) ?? null;
const combineRows = (maybe: Imported, later: Imported): Imported => {
  const { outcome, isNew, updatedValues } = later;
  const isDone = outcome === "OnList" || outcome === "NoOp" || outcome === maybe.outcome;
  return isDone && !isNew && updatedValues === 0 && maybe.outcome !== "LimitReached" ? maybe : later;
};

/** Retries with increasing pauses while the database does not respond. */
export class Retries {
  readonly #signal: AbortSignal;
  readonly #onPause: RetryOptions["onPause"];
  readonly #pausesMs: readonly number[];
  #paused = 0;

  constructor({ signal, onPause, pausesMs = PAUSES_MS }: RetryOptions) {
    this.#signal = signal;
    this.#onPause = onPause;
    this.#pausesMs = pausesMs;
  }

  async run<Result>(
    attempt: () => Promise<Result>,
    combine: Combine<Result> = (_, later) => later,
  ): Promise<Result> {
    let maybe: { readonly result: Result } | null = null;
    const withEarlier = (result: Result): Result => (maybe === null ? result : combine(maybe.result, result));
    for (let number = 1; ; number += 1) {
      try {
        return withEarlier(await attempt());
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || error instanceof DatabaseFileReplaced) throw error;
        if (error instanceof CommitUnknown) maybe = { result: withEarlier(error.result as Result) };
        await this.#pause(error, number);
      }
    }
  }

  /** Throws if there is no further attempt. */
  async #pause(error: StoreUnavailable, number: number): Promise<void> {
    const attempts = this.#pausesMs.length + 1;
    const ms = this.#pausesMs[number - 1];
    if (ms === undefined)
      throw new StoreUnavailable(`${error.message}; gave up after ${attempts} attempts`, { cause: error });
    this.#paused += 1;
    try {
      if (this.#paused === 1) this.#onPause({ error, ms, attempt: number + 1, attempts });
      await delay(ms, undefined, { signal: this.#signal });
    } catch (reason) {
      throw this.#signal.aborted ? error : reason;
    } finally {
      this.#paused -= 1;
    }
  }
}

/** Retries every call, and combines the results of the two that count what they have changed. */
export function retryingStore({ imports, blocks, fields, jobs }: ImportStore, retries: Retries): ImportStore {
  const retried = <Port extends object>(port: Port): Port => wrapPort(port, (_, call) => retries.run(call));
  return {
    imports: {
      ...retried(imports),
      add: (command) => retries.run(() => imports.add(command), combineImports),
    },
    blocks: { ...retried(blocks), add: (command) => retries.run(() => blocks.add(command), combineBlocks) },
    fields: retried(fields),
    // A step that may have been committed is repeated from the stored progress.
    jobs: retried(jobs),
  };
}
