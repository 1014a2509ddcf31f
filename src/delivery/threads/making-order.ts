/**
 * For which campaign the delivery thread makes the next message. Accounts share its time equally, and so do
 * the campaigns of an account: a slow template gets its share of time, not its share of turns. The time for
 * preparing the content of a campaign counts, too.
 *
 * While a slow message is made, no connection is served. So after it the thread makes none of a slow campaign
 * for as long as that one took, if another campaign is quick: that one has at least half of the time,
 * whatever the number of slow ones.
 */
import type { AccountId } from "#domain/account.ts";
import { type CampaignQueue, SLOW_MS } from "./campaign-queue.ts";
import type { TurnId } from "./protocol.ts";
import { TimeShares } from "./time-shares.ts";

export type OrderedQueue = Pick<CampaignQueue, "account" | "turn" | "isSlow" | "isActive" | "took">;

export class MakingOrder {
  readonly #clock: () => number;
  readonly #accounts = new TimeShares<AccountId>();
  readonly #campaigns = new Map<AccountId, TimeShares<TurnId>>();
  #slowAfter = 0;

  /** The clock is monotonic, in milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** A number: only slow ones want a message, and may have one in so many milliseconds. */
  next<Queue extends OrderedQueue>(
    wanted: readonly Queue[],
    all: readonly OrderedQueue[],
  ): Queue | number | null {
    const pauseMs = this.#slowAfter - this.#clock();
    const isPaused = pauseMs > 0 && all.some(({ isSlow, isActive }) => !isSlow && isActive);
    const allowed = isPaused ? wanted.filter(({ isSlow }) => !isSlow) : wanted;
    const first = this.#accounts.next(allowed, ({ account }) => account);
    if (first === undefined) return wanted.length === 0 ? null : pauseMs;
    const { account } = first;
    const own = allowed.filter((queue) => queue.account === account);
    return this.#sharesOf(account).next(own, ({ turn }) => turn) ?? first;
  }

  made(queue: OrderedQueue, ms: number): void {
    queue.took(ms);
    this.#charge(queue, ms);
  }
  /** It says nothing about how long its messages take. */
  prepared(queue: OrderedQueue, ms: number): void {
    this.#charge(queue, ms);
  }
  #charge({ account, turn }: OrderedQueue, ms: number): void {
    this.#accounts.add(account, ms);
    this.#sharesOf(account).add(turn, ms);
    if (ms > SLOW_MS) this.#slowAfter = this.#clock() + ms;
  }

  /** The campaign is closed; `others` are the open ones. */
  forget({ account }: OrderedQueue, others: Iterable<OrderedQueue>): void {
    for (const other of others) if (other.account === account) return;
    this.#campaigns.delete(account);
  }

  #sharesOf(account: AccountId): TimeShares<TurnId> {
    const known = this.#campaigns.get(account);
    if (known !== undefined) return known;
    const shares = new TimeShares<TurnId>();
    this.#campaigns.set(account, shares);
    return shares;
  }
}
