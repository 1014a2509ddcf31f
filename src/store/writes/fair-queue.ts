/**
 * The queue for the next group. A group takes everything if that fits; otherwise accounts in round-robin
 * order, so that no account waits for the work of another. Items of one account stay in order. Depends only
 * on the owner of an item and its approximate work.
 */

/** The account of an item; null for items of no account, which share a lane of their own. */
export type Owner = number | null;

export interface Share<Item> {
  readonly ownerOf: (item: Item) => Owner;
  /** 1 for a plain item. */
  readonly workOf: (item: Item) => number;
}

/** Limits how long one transaction takes. */
export const MAX_ITEMS = 512;
/**
 * The work of a full group of plain items with one custom value each: about 20 ms, for which other accounts
 * wait.
 */
export const MAX_WORK = 2 * MAX_ITEMS;

interface Lane<Item> {
  readonly items: Item[];
  /** How many items have been taken. */
  taken: number;
}

export class FairQueue<Item> {
  readonly #share: Share<Item>;
  /** In order of arrival; `#work` is the sum of their work. */
  #arrived: Item[] = [];
  #work = 0;
  /** What did not fit into a group, by owner. The lane to serve next is first. */
  readonly #lanes = new Map<Owner, Lane<Item>>();
  #inLanes = 0;
  /** The owners served by the last group. They queue behind owners that have arrived since. */
  #served: ReadonlySet<Owner> = new Set();

  constructor(share: Share<Item>) {
    this.#share = share;
  }

  get length(): number {
    return this.#arrived.length + this.#inLanes;
  }

  add(item: Item): void {
    this.#arrived.push(item);
    this.#work += this.#share.workOf(item);
  }

  /** The next group; empty only if the queue is empty. */
  take(): readonly Item[] {
    if (this.#inLanes > 0 || this.#arrived.length > MAX_ITEMS || this.#work > MAX_WORK) {
      this.#sortIntoLanes();
      return this.#takeInTurns();
    }
    const group = this.#arrived;
    this.#arrived = [];
    this.#work = 0;
    return group;
  }

  #sortIntoLanes(): void {
    for (const item of this.#arrived) {
      const owner = this.#share.ownerOf(item);
      const lane = this.#lanes.get(owner);
      if (lane === undefined) this.#lanes.set(owner, { items: [item], taken: 0 });
      else lane.items.push(item);
    }
    this.#inLanes += this.#arrived.length;
    this.#arrived = [];
    this.#work = 0;
    for (const owner of this.#served) {
      const lane = this.#lanes.get(owner);
      if (lane === undefined) continue;
      this.#lanes.delete(owner);
      this.#lanes.set(owner, lane);
    }
  }

  /**
   * One item per lane in rotation. The first item goes whatever its work, which prevents starvation; the
   * limit applies to the others without it, so that a light item does not wait for a second heavy one. A lane
   * whose next item does not fit gets no more of this group.
   */
  #takeInTurns(): readonly Item[] {
    const group: Item[] = [];
    const served = new Set<Owner>();
    let work = 0;
    let open = [...this.#lanes];
    while (open.length > 0 && group.length < MAX_ITEMS)
      open = open.filter(([owner, lane]) => {
        const item = lane.items[lane.taken];
        if (item === undefined || group.length === MAX_ITEMS) return false;
        const more = group.length === 0 ? 0 : this.#share.workOf(item);
        if (work + more > MAX_WORK) return false;
        work += more;
        group.push(item);
        served.add(owner);
        lane.taken += 1;
        return true;
      });
    this.#leave(served);
    this.#inLanes -= group.length;
    return group;
  }

  /** Removes empty lanes, and frees the taken items of lanes that never become empty. */
  #leave(served: ReadonlySet<Owner>): void {
    for (const owner of served) {
      const lane = this.#lanes.get(owner);
      if (lane === undefined) continue;
      if (lane.taken === lane.items.length) this.#lanes.delete(owner);
      else if (lane.taken >= MAX_ITEMS) {
        lane.items.splice(0, lane.taken);
        lane.taken = 0;
      }
    }
    this.#served = served;
  }
}
