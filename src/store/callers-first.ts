/**
 * The queue of writes of two kinds: calls, for which somebody waits, and background work. While calls wait,
 * background work gets at most one group in four; alone it goes at once; and it never waits for more than
 * three groups of calls. A group contains one kind only. Does not know what an item does.
 */
import { FairQueue, type Share } from "./fair-queue.ts";

/** How many groups of calls go before a group of background work. */
export const CALL_GROUPS = 3;

export interface PriorityShare<Item> extends Share<Item> {
  readonly isBackground: (item: Item) => boolean;
}

export class CallersFirst<Item> {
  readonly #isBackground: (item: Item) => boolean;
  readonly #calls: FairQueue<Item>;
  readonly #background: FairQueue<Item>;
  /** The groups of calls that were taken while background work waited, since it was last taken. */
  #callGroups = 0;

  constructor(share: PriorityShare<Item>) {
    this.#isBackground = share.isBackground;
    this.#calls = new FairQueue(share);
    this.#background = new FairQueue(share);
  }

  get length(): number {
    return this.#calls.length + this.#background.length;
  }

  /** Whether the next group would be background work because no call waits. */
  get isIdle(): boolean {
    return this.#calls.length === 0 && this.#background.length > 0;
  }

  add(item: Item): void {
    if (this.#isBackground(item)) this.#background.add(item);
    else this.#calls.add(item);
  }

  /** The next group; empty only if the queue is empty. */
  take(): readonly Item[] {
    if (this.#background.length === 0) return this.#calls.take();
    if (this.#calls.length > 0 && this.#callGroups < CALL_GROUPS) {
      this.#callGroups += 1;
      return this.#calls.take();
    }
    this.#callGroups = 0;
    return this.#background.take();
  }
}
