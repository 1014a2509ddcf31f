/**
 * Admission control. Beyond these limits a call is refused at once, which costs next to nothing, instead of
 * waiting longer than clients do or taking memory that is not available.
 *
 * Slow clients do not block others: a call counts only once its body is complete, small bodies are always
 * accepted (connections are limited anyway), and long lists have places of their own.
 */
import { type Account, type ListPlace, ListPlaces } from "./list-places.ts";

export interface Limits {
  /** Calls that are being served: at a thousand a second, the last of them is answered within five. */
  readonly calls: number;
  /** Long lists on their way, each with a page or two in memory; and those of one account. */
  readonly lists: number;
  readonly listsPerAccount: number;
  /** Bytes of bodies, as they came and inflated. */
  readonly bytes: number;
  /** Each takes some kilobytes, whatever comes over it. */
  readonly connections: number;
  readonly connectionsPerClient: number;
  /** Bytes in memory for clients that do not read. */
  readonly unsent: number;
}

const MOST_CALLS = 4000;
const MOST_LISTS = 128;
const MOST_BYTES = 64 * 1024 ** 2;
const MOST_CONNECTIONS = 15_000;
const MOST_UNSENT = 128 * 1024 ** 2;
/** One client or account may take a quarter of the total. */
const SHARE = 4;
export const SMALL_BODY = 4 * 1024;

/** Leaves room for two bodies of the maximum size. */
export const limitsFor = (bodyLimit: number): Limits => ({
  calls: MOST_CALLS,
  lists: MOST_LISTS,
  listsPerAccount: MOST_LISTS / SHARE,
  bytes: Math.max(MOST_BYTES, 2 * bodyLimit),
  connections: MOST_CONNECTIONS,
  connectionsPerClient: MOST_CONNECTIONS / SHARE,
  unsent: MOST_UNSENT,
});

export class Load {
  readonly #limits: Limits;
  calls = 0;
  readonly #lists: ListPlaces;
  bytes = 0;
  /** Refused in total. */
  readonly refused = { calls: 0, bodies: 0, lists: 0 };

  /** The clock is monotonic, in milliseconds. */
  constructor(limits: Limits, clock: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#lists = new ListPlaces(limits, clock);
  }

  get hasRoomForCall(): boolean {
    return this.calls < this.#limits.calls;
  }
  get lists(): number {
    return this.#lists.taken;
  }
  /** Serves a call, which counts meanwhile; where there is no room for it, throws `tooBusy`. */
  async serve<Answer>(call: () => Promise<Answer>, tooBusy: Error): Promise<Answer> {
    if (!this.hasRoomForCall) {
      this.refused.calls += 1;
      throw tooBusy;
    }
    this.calls += 1;
    try {
      return await call();
    } finally {
      this.calls -= 1;
    }
  }
  /**
   * A place for a long list of this account, until it leaves; null where there is none, for all or for this
   * account.
   */
  takeListPlace(account: Account): ListPlace | null {
    const place = this.#lists.take(account);
    if (place === null) this.refused.lists += 1;
    return place;
  }
  /** Whether more of a body, which would then be `length` long, may be taken. */
  hasRoomFor(more: number, length: number): boolean {
    return length <= SMALL_BODY || this.bytes + more <= this.#limits.bytes;
  }
}
