/**
 * The writes of a request that may be repeated are numbered in the order in which the request makes them. So
 * a repeat finds the result of each, and continues with the one that is missing.
 */
import type { Idempotency, StoredRequest } from "#domain/idempotency.ts";
import type { Requests } from "#domain/ports/work/requests.ts";
import type { Kind } from "../methods.ts";
import type { Kept } from "./idempotency.ts";

/**
 * Writes that a process makes for itself. No request asks for them, so none has a key. A request and its
 * repeat may differ in them.
 */
const ofProcess: ReadonlySet<string> = new Set<Kind>([
  "jobs.claim",
  "jobs.ensurePeriodic",
  "jobs.fail",
  "jobs.handBack",
  "jobs.proceed",
  "jobs.release",
  "jobs.resume",
  "jobs.step",
  "jobs.take",
  "keys.touch",
  "users.rehash",
  "users.touchTokens",
  "uploads.dropParts",
  "secrets.ofInstallation",
  "health.probeWrite",
]);

interface KeyedWrites {
  write(kind: string, args: object, key?: Idempotency): Promise<unknown>;
}

/**
 * Ordinals of one item; those of the request itself come before those of the first item. An erasure makes the
 * most writes: it searches the refused calls of the account in steps.
 */
const ORDINALS_PER_ITEM = 100_000;

/** The writes of one request, or of one item of it. */
export class NumberedWrites {
  readonly #calls: KeyedWrites;
  readonly #request: StoredRequest;
  readonly #first: number;
  #next: number;
  #isRepeat = false;
  #wasExecuted: Promise<boolean> | null = null;

  constructor(calls: KeyedWrites, request: StoredRequest, item = -1) {
    this.#calls = calls;
    this.#request = request;
    this.#first = (item + 1) * ORDINALS_PER_ITEM;
    this.#next = this.#first;
  }

  get isRepeat(): boolean {
    return this.#isRepeat;
  }

  wasExecuted(find: Requests["wasExecuted"]): Promise<boolean> {
    this.#wasExecuted ??= find(this.#request);
    return this.#wasExecuted;
  }

  item(index: number): NumberedWrites {
    return new NumberedWrites(this.#calls, this.#request, index);
  }

  /** Numbered when it is called, whenever it is executed. */
  readonly write = async (kind: string, args: object): Promise<unknown> => {
    if (ofProcess.has(kind)) return this.#calls.write(kind, args);
    const ordinal = this.#next;
    if (ordinal - this.#first >= ORDINALS_PER_ITEM)
      throw new Error(`a request with an idempotency key makes more than ${ORDINALS_PER_ITEM} writes`);
    this.#next += 1;
    const { value, isRepeat } = (await this.#calls.write(kind, args, { ...this.#request, ordinal })) as Kept;
    if (ordinal === this.#first) this.#isRepeat = isRepeat;
    return value;
  };
}
