/**
 * Waiting reads, in rotation of their accounts: however much one account reads, another waits for one page of
 * it. Within an account, listings that have begun go first, so that few are half read and in memory.
 */
import type { Owner } from "../writes/fair-queue.ts";

interface Lane<Item> {
  readonly continued: Item[];
  readonly begun: Item[];
}

export class ReadQueue<Item> {
  /** The lane to serve next is first. */
  readonly #lanes = new Map<Owner, Lane<Item>>();

  /** `isContinued`: a further page of a listing that has begun. */
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
