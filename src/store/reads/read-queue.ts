/**
 * Waiting reads, in rotation of their accounts: however much one account reads, another waits for one page of
 * it. Within an account, listings that have begun go first, so that few are half read and in memory.
 */
import type { PageRange } from "#domain/ports/listing.ts";
import type { Owner } from "../writes/fair-queue.ts";

interface Lane<Item> {
  readonly continued: Item[];
  readonly begun: Item[];
}

/** Whether a page is a further one of a listing that has begun. */
export const isContinued = (range: PageRange): boolean =>
  ("after" in range ? range.after : range.before) !== null;

export class ReadQueue<Item> {
  /** The lane to serve next is first. */
  readonly #lanes = new Map<Owner, Lane<Item>>();

  add(item: Item, owner: Owner, continued: boolean): void {
    let lane = this.#lanes.get(owner);
    if (lane === undefined) {
      lane = { continued: [], begun: [] };
      this.#lanes.set(owner, lane);
    }
    (continued ? lane.continued : lane.begun).push(item);
  }

  take(): Item | undefined {
    for (const [owner, lane] of this.#lanes) {
      const item = lane.continued.shift() ?? lane.begun.shift();
      this.#lanes.delete(owner);
      if (lane.continued.length + lane.begun.length > 0) this.#lanes.set(owner, lane);
      return item;
    }
    return undefined;
  }
}
