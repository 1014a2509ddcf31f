/**
 * How much is in hand at a time. Beyond these bounds a call is turned away at once, which costs next to nothing, rather
 * than made to wait for longer than callers do, or taken into memory that there is not.
 *
 * Whoever only sends or reads slowly holds up nobody else: a call counts from when its body is there, small bodies are
 * always taken (connections are bounded anyway), and long lists have places of their own.
 */

export interface Bounds {
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
/** Of what all share, one may have a quarter: three more of its kind are served as ever. */
const SHARE = 4;
export const SMALL_BODY = 4 * 1024;

/** Two bodies of the largest size must have room. */
export const boundsFor = (bodyLimit: number): Bounds => ({
  calls: MOST_CALLS,
  lists: MOST_LISTS,
  listsPerAccount: MOST_LISTS / SHARE,
  bytes: Math.max(MOST_BYTES, 2 * bodyLimit),
  connections: MOST_CONNECTIONS,
  connectionsPerClient: MOST_CONNECTIONS / SHARE,
  unsent: MOST_UNSENT,
});

/** Whose places are counted together; what it is, is the caller's business. */
type Account = number | bigint | string | null;

export class Load {
  readonly #most: Bounds;
  calls = 0;
  lists = 0;
  /** Accounts without a long list are not in it. */
  readonly #listsOf = new Map<Account, number>();
  bytes = 0;
  /** How often there was no room. */
  readonly refused = { calls: 0, bodies: 0, lists: 0 };

  constructor(most: Bounds) {
    this.#most = most;
  }

  get hasRoomForCall(): boolean {
    return this.calls < this.#most.calls;
  }
  get accountsWithLists(): number {
    return this.#listsOf.size;
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
   * A place for a long list of this account, until what is given back is called; null where there is none, for all or for
   * this account.
   */
  takeListPlace(account: Account): (() => void) | null {
    const taken = this.#listsOf.get(account) ?? 0;
    if (this.lists >= this.#most.lists || taken >= this.#most.listsPerAccount) {
      this.refused.lists += 1;
      return null;
    }
    this.lists += 1;
    this.#listsOf.set(account, taken + 1);
    return () => {
      this.lists -= 1;
      const left = (this.#listsOf.get(account) ?? 0) - 1;
      if (left > 0) this.#listsOf.set(account, left);
      else this.#listsOf.delete(account);
    };
  }
  /** Whether more of a body, which would then be `length` long, may be taken. */
  hasRoomFor(more: number, length: number): boolean {
    return length <= SMALL_BODY || this.bytes + more <= this.#most.bytes;
  }
}
