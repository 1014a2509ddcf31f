/**
 * What the delivery thread does: makes the messages of all campaigns ahead of their connections, says which
 * are ready, and sends to the recipients that the runner has marked. Campaigns share its time, see
 * `MakingOrder`. It sends nothing without a command of the runner.
 */
import type { AccountId } from "#domain/account.ts";
import type { CampaignId } from "#domain/campaign.ts";
import type { HandOver } from "#domain/sending/hand-over.ts";
import { MAX_TOO_SLOW, tooSlowReason, unmadeReason } from "#domain/sending/mailing.ts";
import { paceKeyOfSender } from "#domain/sending/pace.ts";
import { classify, tooFastReason } from "#domain/sending/smtp-reply.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { isWithin } from "../clock-reading.ts";
import type { Sign } from "../mime/dkim.ts";
import { type PaceAnswer, Pacers } from "../smtp/pacer.ts";
import { CampaignQueue, type RelaySlots, type Reserved, SLOW_MS } from "./campaign-queue.ts";
import { type MakeMessage, prepareMessages } from "./composition.ts";
import type { Command, MailingToSend, Reports, RunId } from "./protocol.ts";
import { MakingMark } from "./watchdog.ts";

/**
 * Fair shares of time: the key that has used the least time is served next. A key that is new, or was idle,
 * starts level with the others: time that was not used is not saved up.
 */
class TimeShares<Key> {
  /** The time that each key has used that is ahead of `#level`. */
  readonly #used = new Map<Key, number>();
  /** What the key that was served last had used before. */
  #level = 0;

  /** Of several that have used the same time, the first. */
  next<Candidate>(
    candidates: Iterable<Candidate>,
    keyOf: (candidate: Candidate) => Key,
  ): Candidate | undefined {
    let best: Candidate | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const candidate of candidates) {
      const used = this.#usedBy(keyOf(candidate));
      if (used >= least) continue;
      best = candidate;
      least = used;
    }
    return best;
  }

  add(key: Key, time: number): void {
    const used = this.#usedBy(key);
    this.#level = used;
    this.#used.set(key, used + time);
    // They count as new.
    for (const [other, total] of this.#used) if (total <= this.#level) this.#used.delete(other);
  }

  #usedBy(key: Key): number {
    return Math.max(this.#used.get(key) ?? 0, this.#level);
  }
}

/**
 * For which campaign the delivery thread makes the next message. Accounts share its time equally, and so do
 * the campaigns of an account: a slow template gets its share of time, not of messages. The time for
 * preparing the content of a campaign counts, too.
 *
 * While a slow message is made, no connection is served. So after it the thread makes none of a slow campaign
 * for as long as that one took, if another campaign is quick: that one has at least half of the time,
 * whatever the number of slow ones.
 */
export type OrderedQueue = Pick<CampaignQueue, "account" | "runId" | "isSlow" | "isActive" | "took">;

export class MakingOrder {
  readonly #clock: () => number;
  readonly #accounts = new TimeShares<AccountId>();
  readonly #campaigns = new Map<AccountId, TimeShares<RunId>>();
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
    return this.#sharesOf(account).next(own, ({ runId }) => runId) ?? first;
  }

  made(queue: OrderedQueue, ms: number): void {
    queue.took(ms);
    this.#charge(queue, ms);
  }
  /** It says nothing about how long its messages take. */
  prepared(queue: OrderedQueue, ms: number): void {
    this.#charge(queue, ms);
  }
  #charge({ account, runId }: OrderedQueue, ms: number): void {
    this.#accounts.add(account, ms);
    this.#sharesOf(account).add(runId, ms);
    if (ms > SLOW_MS) this.#slowAfter = this.#clock() + ms;
  }

  /** The campaign is closed; `others` are the open ones. */
  forget({ account }: OrderedQueue, others: Iterable<OrderedQueue>): void {
    for (const other of others) if (other.account === account) return;
    this.#campaigns.delete(account);
  }

  #sharesOf(account: AccountId): TimeShares<RunId> {
    const known = this.#campaigns.get(account);
    if (known !== undefined) return known;
    const shares = new TimeShares<RunId>();
    this.#campaigns.set(account, shares);
    return shares;
  }
}

/** Messages that are made before a connection is free, for each connection. */
const AHEAD = 2;
/**
 * For how long a mark as `sending` is valid. If it is older and the relay does not know of the message yet,
 * the recipient is queued again: meanwhile the person may have opted out, the campaign may be cancelled, or
 * another process may have taken the batch over.
 */
const MARK_MS = 5000;

export class Delivery {
  readonly #slots: RelaySlots;
  readonly #reports: Reports;
  readonly #sign: Sign;
  readonly #mark: MakingMark;
  readonly #pacers: Pacers;
  readonly #queues = new Map<RunId, CampaignQueue>();
  readonly #order = new MakingOrder();
  /** How many messages of a campaign took too long to make, over all its runs. */
  readonly #tooSlow = new Map<CampaignId, number>();
  #isMaking = false;
  #timer: NodeJS.Timeout | null = null;
  #pause: NodeJS.Timeout | null = null;

  constructor(
    slots: RelaySlots,
    reports: Reports,
    sign: Sign,
    mark = new MakingMark(),
    pacers = new Pacers(() => {}),
  ) {
    this.#slots = slots;
    this.#reports = reports;
    this.#sign = sign;
    this.#pacers = pacers;
    this.#mark = mark;
  }

  run(command: Command): void {
    switch (command.do) {
      case "open":
        this.#open(command.runId, command.mailing);
        break;
      case "compose":
        this.#queues.get(command.runId)?.add(command.batch, command.people);
        break;
      case "send":
        for (const subscriber of command.subscribers) this.#send(command, subscriber);
        break;
      case "drop":
        for (const subscriber of command.subscribers) this.#queues.get(command.runId)?.drop(subscriber);
        break;
      case "delay":
        this.#queues.get(command.runId)?.delay(command.subscriber, command.domain, command.ms);
        break;
      case "pace":
        this.#paced(command.keys);
        break;
      case "permit":
        this.#answer(command.answer);
        break;
      case "halt":
        this.#queues.get(command.runId)?.halt();
        break;
      case "close":
        this.#close(this.#queues.get(command.runId));
        break;
      case "abort":
        void this.#slots.close();
        break;
      case "end":
        break;
    }
  }

  /** After commands, and whenever a slot was released or a message was made. */
  next(): void {
    this.#reserve();
    void this.#make();
  }

  /** Relays that have refused messages of another process, or earlier. */
  #paced(keys: readonly string[]): void {
    for (const key of keys) this.#pacers.get(key)?.pace();
  }
  /** Permits, or that none are needed. A campaign whose relays accept nothing waits for them. */
  #answer(answer: PaceAnswer): void {
    this.#pacers.get(answer.key)?.answer(answer);
    if (!answer.acceptsNothing) return;
    for (const queue of this.#queues.values()) {
      const { refusal } = queue.relays.transport;
      if (refusal !== null && queue.fail())
        this.#reports.relayFailed({ runId: queue.runId, reason: tooFastReason(refusal), isQuota: false });
    }
  }

  #open(runId: RunId, mailing: MailingToSend): void {
    const { account, campaign, sender } = mailing;
    const relays = this.#slots.acquire(sender.relays);
    this.#paced(mailing.paced);
    const pacer = this.#pacers.acquire(paceKeyOfSender(sender.id), { account, id: sender.id });
    if (sender.perSecond !== null) pacer.pace();
    const mark = this.#mark;
    const prepare = (): MakeMessage => {
      const make = mark.while({ account, campaign, subscriber: null }, () =>
        prepareMessages(mailing, this.#sign),
      );
      return (person, now) => {
        const { subscriber } = person;
        return mark.while({ account, campaign, subscriber }, () => make(person, now));
      };
    };
    const { fromAddress } = sender;
    const of = { account, campaign, fromAddress };
    this.#queues.set(runId, new CampaignQueue(runId, of, relays, prepare, pacer));
  }

  #send({ runId, markedAt }: Extract<Command, { do: "send" }>, subscriber: SubscriberId): void {
    const queue = this.#queues.get(runId);
    const reserved = queue?.takeReserved(subscriber);
    if (queue === undefined || reserved === undefined)
      return this.#reports.result({
        runId,
        result: { subscriber, state: "queued", isAttempt: false, afterMs: 0 },
      });
    queue.sending += 1;
    queue.relays.slots.send(reserved.slot);
    const mayBegin = (): boolean => isWithin(MARK_MS, markedAt);
    void queue.relays.transport.send(reserved.message, mayBegin, reserved.relay).then((handOver) => {
      queue.sending -= 1;
      this.#sent(queue, reserved, handOver);
    });
  }

  #sent(queue: CampaignQueue, { person, message, slot }: Reserved, handOver: HandOver): void {
    const { runId, relays, fromAddress } = queue;
    const { from, to } = message.envelope;
    const { result, relayFailure, isQuota } = classify(handOver, { to, senders: [from, fromAddress] });
    relays.slots.release(slot);
    this.#reports.result({ runId, result: { ...result, subscriber: person.subscriber } });
    // Of all connections, the first that fails reports it.
    if (relayFailure !== null && queue.fail())
      this.#reports.relayFailed({ runId, reason: relayFailure, isQuota });
    if (queue.phase === "closed" && queue.sending === 0) this.#slots.release(relays);
    this.next();
  }

  #close(queue: CampaignQueue | undefined): void {
    if (queue === undefined) return;
    queue.close();
    this.#queues.delete(queue.runId);
    this.#order.forget(queue, this.#queues.values());
    if (queue.pacer !== null) this.#pacers.release(queue.pacer);
    if (queue.sending === 0) this.#slots.release(queue.relays);
  }

  /**
   * Round robin: one message of each campaign, as long as there are slots and permits. The last one to get
   * any is the last to be asked next time.
   */
  #reserve(): void {
    let waitsUntil = Number.POSITIVE_INFINITY;
    for (let hasReserved = true; hasReserved; ) {
      hasReserved = false;
      for (const queue of [...this.#queues.values()]) {
        waitsUntil = Math.min(waitsUntil, queue.waitsUntil ?? waitsUntil);
        const reserved = queue.reserve();
        if (typeof reserved === "number") waitsUntil = Math.min(waitsUntil, performance.now() + reserved);
        if (reserved === null || typeof reserved === "number") continue;
        const { person, slot } = reserved;
        const { batch, subscriber } = person;
        const { runId } = queue;
        this.#reports.ready({ runId, batch, subscriber, slot });
        this.#queues.delete(runId);
        this.#queues.set(runId, queue);
        hasReserved = true;
      }
    }
    this.#wakeAt(waitsUntil);
  }
  /** When a limit ends, in monotonic time. */
  #wakeAt(time: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (Number.isFinite(time))
      this.#timer = setTimeout(() => this.next(), Math.min(Math.max(time - performance.now(), 1), 60_000));
  }

  /** Makes messages one by one, so that connections are served in between; before the first, the content. */
  async #make(): Promise<void> {
    if (this.#isMaking) return;
    this.#isMaking = true;
    /** Campaigns without a recipient to make a message for, since the last message. */
    const empty = new Set<CampaignQueue>();
    for (;;) {
      const queues = [...this.#queues.values()];
      const wanted = queues.filter((queue) => !empty.has(queue) && wantsMessage(queue));
      const queue = this.#order.next(wanted, queues);
      if (typeof queue === "number") this.#makeAfter(queue);
      if (typeof queue === "number" || queue === null) break;
      const began = performance.now();
      if (queue.mustPrepare) {
        this.#prepare(queue);
        this.#order.prepared(queue, performance.now() - began);
      } else if (this.#makeOne(queue)) {
        this.#order.made(queue, performance.now() - began);
      } else {
        empty.add(queue);
        continue;
      }
      empty.clear();
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
    }
    this.#isMaking = false;
  }
  #makeAfter(ms: number): void {
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.next(), Math.ceil(ms));
    this.#pause.unref();
  }

  #prepare(queue: CampaignQueue): void {
    try {
      queue.prepare();
    } catch (error) {
      this.#fail(queue, unmadeReason(textOf(error)));
    }
  }
  #fail(queue: CampaignQueue, reason: string): void {
    queue.fail();
    this.#reports.problem({ runId: queue.runId, reason });
  }

  #makeOne(queue: CampaignQueue): boolean {
    const { runId } = queue;
    const isMade = queue.makeNext(({ subscriber }, notMade) => {
      if (notMade !== null) {
        const { reason, reply, isTooSlow } = notMade;
        this.#reports.result({ runId, result: { subscriber, state: "skipped", reason, reply } });
        if (isTooSlow === true) this.#countTooSlow(queue);
      }
      this.next();
    });
    if (isMade) return true;
    if (queue.starve()) this.#reports.starved(runId);
    return false;
  }
  /** Each has kept the connections of everybody waiting. After a resume, the count starts again. */
  #countTooSlow(queue: CampaignQueue): void {
    const { campaign } = queue;
    const count = (this.#tooSlow.get(campaign) ?? 0) + 1;
    if (count < MAX_TOO_SLOW) return void this.#tooSlow.set(campaign, count);
    this.#tooSlow.delete(campaign);
    this.#fail(queue, tooSlowReason);
  }
}

const wantsMessage = ({ phase, ahead, relays }: CampaignQueue): boolean =>
  phase !== "failed" && ahead < AHEAD * relays.transport.connections;

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
