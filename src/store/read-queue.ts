/**
 * Reads that wait, in rotation of the accounts that they are for: however much one account reads, another waits for a page
 * of it and not for all. Of one account, lists that have begun come first, so that few are half read and in memory.
 */
import type { Owner } from "./fair-queue.ts";

interface Lane<Item> {
  readonly continued: Item[];
  readonly begun: Item[];
}

export class ReadQueue<Item> {
  /** The one whose turn is next is the first. */
  readonly #lanes = new Map<Owner, Lane<Item>>();

  /** `isContinued`: a page behind another one of the same list. */
  add(item: Item, owner: Owner, isContinued: boolean): void {
    let lane = this.#lanes.get(owner);
    if (lane === undefined) {
      lane = { continued: [], begun: [] };
      this.#lanes.set(owner, lane);
    }
    (isContinued ? lane.continued : lane.begun).push(item);
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
