/**
 * Limits concurrent long lists: a number of places for all, and a share for one account. If no place is free,
 * the list whose client has read nothing for longest is ended, if that is long enough. While places are free,
 * no client is disconnected for reading slowly.
 */

export interface ListLimits {
  readonly lists: number;
  readonly listsPerAccount: number;
}

/** Identifies the account whose places are counted together. */
export type Account = number | bigint | string | null;

/**
 * A client that has read nothing for so long may lose its place to another. Not shorter: the kernel reports
 * progress only when about a third of its send buffer is free, which takes a steady client on a slow line
 * some time.
 */
export const STALLED_MS = 10_000;

/** The place of one list that is being sent, until it leaves. */
export class ListPlace {
  readonly account: Account;
  readonly #places: Set<ListPlace>;
  readonly #clock: () => number;
  /**
   * Since when a chunk has waited for the client; null while none does: a slow database is not the client's
   * fault.
   */
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
  /** The client has read it. */
  sent(): void {
    this.waitingSince = null;
  }
  leave(): void {
    this.#places.delete(this);
  }
  /** Frees the place at once, however long it takes to stop the list. */
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

  /** null if no place is free, in total or for this account. */
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
