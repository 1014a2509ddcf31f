/**
 * Places for long lists that are being sent: so many for all, and so many for one account. Where none is free, the
 * list whose reader has taken nothing for longest gives up its place, if that is long enough; while places are free,
 * nobody is disconnected for reading slowly.
 */

export interface ListLimits {
  readonly lists: number;
  readonly listsPerAccount: number;
}

/** Whose places are counted together; what it is, is the caller's business. */
export type Account = number | bigint | string | null;

/**
 * A reader that has taken nothing for so long may lose its place to another. No shorter: the kernel reports progress
 * only when about a third of its send buffer is free, which a steady reader on a slow line needs some time for.
 */
export const STALLED_MS = 10_000;

/** One list that is being sent, until it leaves. */
export class ListPlace {
  readonly account: Account;
  readonly #places: Set<ListPlace>;
  readonly #clock: () => number;
  /** Since when a chunk has waited for the reader; null while none does: a slow database is not the reader's fault. */
  waitingSince: number | null = null;
  #end: () => void = () => {};

  constructor(account: Account, places: Set<ListPlace>, clock: () => number) {
    this.account = account;
    this.#places = places;
    this.#clock = clock;
    places.add(this);
  }

  /** A chunk is being sent; `end` closes the connection. */
  sending(end: () => void): void {
    this.#end = end;
    this.waitingSince = this.#clock();
  }
  /** The reader has taken it. */
  sent(): void {
    this.waitingSince = null;
  }
  leave(): void {
    this.#places.delete(this);
  }
  /** Leaves at once: another one has the place, however long it takes to stop. */
  end(): void {
    this.leave();
    this.#end();
  }
}

export class ListPlaces {
  readonly #limits: ListLimits;
  readonly #clock: () => number;
  readonly #taken = new Set<ListPlace>();

  /** The clock is monotonic, in milliseconds. */
  constructor(limits: ListLimits, clock: () => number) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get taken(): number {
    return this.#taken.size;
  }

  /** null where there is none, for all or for this account. */
  take(account: Account): ListPlace | null {
    const own = [...this.#taken].filter((place) => place.account === account);
    const isShareFull = own.length >= this.#limits.listsPerAccount;
    if (isShareFull || this.#taken.size >= this.#limits.lists) {
      const stalled = this.#longestStalled(isShareFull ? own : this.#taken);
      if (stalled === null) return null;
      stalled.end();
    }
    return new ListPlace(account, this.#taken, this.#clock);
  }

  #longestStalled(places: Iterable<ListPlace>): ListPlace | null {
    let longest: ListPlace | null = null;
    let earliest = this.#clock() - STALLED_MS;
    for (const place of places) {
      if (place.waitingSince === null || place.waitingSince > earliest) continue;
      longest = place;
      earliest = place.waitingSince;
    }
    return longest;
  }
}
