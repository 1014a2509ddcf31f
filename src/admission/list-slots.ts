/**
 * Limits concurrent long lists: a number of slots for all, and a share for one account. If no slot is free,
 * the list whose client has read nothing for longest is ended, if that is long enough. While slots are free,
 * no client is disconnected for reading slowly.
 */

export interface ListLimits {
  readonly lists: number;
  readonly listsPerAccount: number;
}

/** Identifies the account whose slots are counted together. */
export type AccountRef = number | bigint | string | null;

/**
 * A client that has read nothing for so long may lose its slot to another. Not shorter: the kernel reports
 * progress only when about a third of its send buffer is free, which takes a steady client on a slow line
 * some time.
 */
export const STALLED_MS = 10_000;

/** The slot of one list that is being sent. It is taken until `release` or `end`. */
export class ListSlot {
  readonly account: AccountRef;
  readonly #slots: Set<ListSlot>;
  readonly #clock: () => number;
  /**
   * Since when a chunk has waited for the client; null while none does: a slow database is not the client's
   * fault.
   */
  waitingSince: number | null = null;
  #end: () => void = () => {};

  constructor(account: AccountRef, slots: Set<ListSlot>, clock: () => number) {
    this.account = account;
    this.#slots = slots;
    this.#clock = clock;
    slots.add(this);
  }

  /** A chunk is being sent; `end` closes the connection. */
  sending(end: () => void): void {
    this.#end = end;
    this.waitingSince = this.#clock();
  }
  /** The client has read it. */
  sent(): void {
    this.waitingSince = null;
  }
  release(): void {
    this.#slots.delete(this);
  }
  /** Frees the slot at once, however long it takes to stop the list. */
  end(): void {
    this.release();
    this.#end();
  }
}

export class ListSlots {
  readonly #limits: ListLimits;
  readonly #clock: () => number;
  readonly #taken = new Set<ListSlot>();

  /** The clock is monotonic, in milliseconds. */
  constructor(limits: ListLimits, clock: () => number) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get taken(): number {
    return this.#taken.size;
  }

  /** null if no slot is free, in total or for this account. */
  take(account: AccountRef): ListSlot | null {
    const own = [...this.#taken].filter((slot) => slot.account === account);
    const isShareFull = own.length >= this.#limits.listsPerAccount;
    if (isShareFull || this.#taken.size >= this.#limits.lists) {
      const stalled = this.#longestStalled(isShareFull ? own : this.#taken);
      if (stalled === null) return null;
      stalled.end();
    }
    return new ListSlot(account, this.#taken, this.#clock);
  }

  #longestStalled(slots: Iterable<ListSlot>): ListSlot | null {
    let longest: ListSlot | null = null;
    let earliest = this.#clock() - STALLED_MS;
    for (const slot of slots) {
      if (slot.waitingSince === null || slot.waitingSince > earliest) continue;
      longest = slot;
      earliest = slot.waitingSince;
    }
    return longest;
  }
}
