/**
 * Sends a mailing for a while: takes batches, gives them to the delivery thread, and stores what becomes of
 * them. It ends when there is nothing to take, when it is preempted, or when nothing more may be sent; then
 * no message of it is in flight, and its batches are given back.
 */
import type { Batch, BatchId } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import { mustWait } from "#domain/sending/mailing.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { sleep } from "#jobs/sleep.ts";
import type { MailingToSend, Ready, Reported, RunId } from "../threads/protocol.ts";
import { LEASE_MS, SendingBatch } from "./batch.ts";
import { LedgerWriter, type WriterOptions, type Written } from "./ledger-writer.ts";

/** A signal that something has changed. A signal between two looks is not lost. */
class Change {
  #signal: () => void = () => {};

  /** Resolves at the next signal. To be called before the look at what has changed. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#signal = resolve;
    });
  }
  signal(): void {
    this.#signal();
  }
}

const BATCH = 500;
/** With fewer recipients that are not started, the next batch is taken. */
const LOW_WATER = 250;
/** So many may be waiting because of a limit by domain, while others are sent to. */
const MAX_LEFT = 2000;
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5000;
/** If a limit lasts for longer, the batches are given back. */
const LONG_LIMIT_MS = 60_000;

/** After this time another mailing may be taken over: nothing of this one can take so long to make. */
const LONGEST_TAKE_OVER_MS = 30_000;
/** When to ask again, if another mailing is being taken over. */
const ASK_AGAIN_MS = 1000;

/**
 * What a process that died has left is taken over one mailing at a time, until that has its first result. So
 * if this process dies as well, only the mailing whose messages may have killed both is held.
 */
export class TakeOvers {
  #runId: RunId | null = null;
  #since = 0;

  /** Whether this run may take something over: until it says that it has ended. */
  begin(runId: RunId): boolean {
    const now = performance.now();
    if (this.#runId !== null && this.#runId !== runId && now - this.#since < LONGEST_TAKE_OVER_MS)
      return false;
    [this.#runId, this.#since] = [runId, now];
    return true;
  }
  end(runId: RunId): void {
    if (this.#runId === runId) this.#runId = null;
  }
}

/** `idle`: there was nothing to take, for now at least. */
export type RunEnding = "idle" | "preempted" | "halted" | { readonly limitedUntil: number };

interface RunOptions extends Omit<WriterOptions, "onChange"> {
  /** A text: why it cannot be sent. */
  readonly prepare: (mailing: OfMailing) => Promise<MailingToSend | string>;
  readonly takeOvers: TakeOvers;
  /** Connections were released, for which other runs may wait. */
  readonly onReleased: () => void;
}

export class MailingRun {
  readonly #options: RunOptions;
  readonly #mailing: OfMailing;
  readonly #writer: LedgerWriter;
  readonly #batches = new Map<BatchId, SendingBatch>();
  readonly #change = new Change();
  #taking: Promise<void> | null = null;
  #isOpen = false;
  /** There was nothing to take, and nothing has been given back since. */
  #isExhausted = false;
  #isStarved = false;
  #isTurnOver = false;
  #isHalted = false;
  #isAbandoned = false;
  #hasSent = false;
  /** It has taken over a batch, and stored no result since. */
  #isTakingOver = false;
  #hasRelayFailed = false;
  #limitedUntil = 0;
  /** When limits by domain end that were reached. */
  #domainLimitEnds = 0;
  /** How long it waits until it tries again to store; 0: storing works. */
  #pauseMs = 0;
  /** Other writes than those of the ledger. */
  #asides: Promise<unknown>[] = [];

  constructor(options: RunOptions) {
    this.#options = options;
    const { account, campaign } = options.mailing;
    this.#mailing = { account, campaign };
    this.#writer = new LedgerWriter({ ...options, onChange: () => this.kick() });
  }

  async run(): Promise<RunEnding> {
    while (!this.#isAbandoned) {
      const changed = this.#change.next();
      if (this.#wantsMore()) this.#taking ??= this.#take();
      await this.#storeAll();
      if (this.#batches.size === 0 && this.#taking === null && !this.#wantsMore()) break;
      await (this.#pauseMs > 0 ? sleep(this.#pauseMs) : changed);
    }
    this.#endTakeOver();
    this.#options.thread.post({ do: "close", runId: this.#options.runId });
    await Promise.all(this.#asides);
    if (this.#limitedUntil > 0) return { limitedUntil: this.#limitedUntil };
    if (this.#isTurnOver) return "preempted";
    return this.#isHalted ? "halted" : "idle";
  }

  /** Something may be possible now that was not before. */
  kick(): void {
    this.#change.signal();
  }
  /** It starts nothing more: it has given up its place. */
  get isEnding(): boolean {
    return this.#isHalted;
  }
  /** Those whose leases are to be extended. */
  get batches(): readonly BatchId[] {
    return [...this.#batches.values()].filter(({ isLost }) => !isLost).map(({ id }) => id);
  }
  /** When a limit ends for which everybody waits who is left of its batches; null: it has something to do. */
  get limitEnds(): number | null {
    const isWaiting =
      this.#isStarved &&
      this.#taking === null &&
      this.#pauseMs === 0 &&
      !this.#isHalted &&
      !this.#wantsMore();
    if (!isWaiting || this.#domainLimitEnds <= this.#options.clock()) return null;
    return [...this.#batches.values()].every((batch) => batch.isQuiet) ? this.#domainLimitEnds : null;
  }
  /** Gives back who is not started, and ends with the results of those that are being sent to. */
  preempt(): void {
    if (this.#isHalted) return;
    this.#limitedUntil = this.limitEnds ?? 0;
    this.#isTurnOver = true;
    this.halt();
  }
  /** Starts nothing more; the results of what is being sent are stored. */
  halt(): void {
    if (this.#isHalted) return;
    this.#isHalted = true;
    this.#endTakeOver();
    this.#options.thread.post({ do: "halt", runId: this.#options.runId });
    for (const batch of this.#batches.values()) batch.halt();
    this.kick();
  }
  /** Ends even if something could not be stored: the leases expire. */
  abandon(): void {
    this.halt();
    this.#isAbandoned = true;
    this.kick();
  }

  onReady({ batch, subscriber, slot }: Ready): void {
    this.#batches.get(batch)?.ready(subscriber, slot);
    this.kick();
  }
  onResult({ result }: Reported): void {
    this.#batchOf(result.subscriber)?.addResult(result);
    this.kick();
  }
  onStarved(): void {
    this.#isStarved = true;
    this.kick();
  }
  onProblem(reason: string): void {
    if (!this.#isHalted) this.#endAfter(this.#pauseMailing(reason));
  }
  /** The thread makes nothing more ready. */
  onRelayFailed(reason: string): void {
    if (this.#hasRelayFailed) return;
    this.#hasRelayFailed = true;
    // Also after a preemption: a relay that lets everybody wait for longer than a time slice would never be noted.
    this.#endAfter(this.#relayFailed(reason));
  }
  /** Returns how many recipients are unknown now. */
  onThreadDied(): number {
    let unknown = 0;
    for (const batch of this.#batches.values()) unknown += batch.threadDied();
    this.halt();
    return unknown;
  }

  #batchOf(subscriber: SubscriberId): SendingBatch | undefined {
    for (const batch of this.#batches.values()) if (batch.has(subscriber)) return batch;
    return undefined;
  }

  #wantsMore(): boolean {
    if (this.#isHalted || this.#isExhausted || this.#pauseMs > 0) return false;
    let left = 0;
    for (const batch of this.#batches.values()) left += batch.left;
    return left < LOW_WATER || (this.#isStarved && left < MAX_LEFT);
  }

  async #take(): Promise<void> {
    const { store, owner, clock, events, takeOvers, runId } = this.#options;
    try {
      const now = clock();
      const until = now + LEASE_MS;
      const takesOver = takeOvers.begin(runId);
      const given = { ...this.#mailing, owner, until, now, limit: BATCH, takesOver };
      const { batch, isTakenOver, heldBecause, unknown } = await store.ledger.take(given);
      this.#isTakingOver ||= isTakenOver && !this.#isHalted;
      if (!this.#isTakingOver) this.#endTakeOver();
      if (unknown > 0) events.onUnreported(this.#mailing, unknown);
      if (heldBecause !== null) events.onHeld(this.#mailing, heldBecause);
      this.#isExhausted = batch === null;
      if (batch === null && !takesOver) this.#limitedUntil = now + ASK_AGAIN_MS;
      if (batch !== null) await this.#giveToThread(batch);
    } catch (error) {
      events.onStoreFailed(this.#mailing, error);
      // What was taken is given back, and the runner will look again.
      this.halt();
    }
    this.#taking = null;
    this.kick();
  }

  async #giveToThread(batch: Batch): Promise<void> {
    // This process stood still for longer than its lease, and has now taken over a batch of its own.
    for (const other of this.#batches.values())
      if (batch.recipients.some(({ subscriber }) => other.isLeft(subscriber))) this.#lose(other);
    const sending = new SendingBatch(batch);
    this.#batches.set(batch.id, sending);
    this.#isStarved = false;
    if (!this.#isOpen) {
      const toSend = await this.#options.prepare(this.#mailing);
      if (typeof toSend === "string") this.onProblem(toSend);
      else this.#open(toSend);
    }
    // It may have happened meanwhile.
    if (this.#isHalted) return sending.halt();
    const { thread, runId } = this.#options;
    thread.post({ do: "compose", runId, batch: batch.id, people: batch.recipients });
  }

  #open(mailing: MailingToSend): void {
    this.#isOpen = true;
    const { thread, runId } = this.#options;
    thread.post({ do: "open", runId, mailing });
  }

  #endTakeOver(): void {
    this.#isTakingOver = false;
    this.#options.takeOvers.end(this.#options.runId);
  }

  /** Of all batches: one after the other, because they change the same counters. */
  async #storeAll(): Promise<void> {
    const { events, onReleased } = this.#options;
    for (const batch of this.#batches.values()) {
      try {
        // After a failure, storing must work again before anything is started.
        const written = await this.#writer.write(batch, !this.#isHalted && this.#pauseMs === 0);
        if (written !== null) {
          this.#seen(batch, written);
          if (written.hasResults) this.#endTakeOver();
          onReleased();
        }
        if (batch.isDone) await this.#giveBack(batch);
      } catch (error) {
        events.onStoreFailed(this.#mailing, error);
        this.#pauseMs = Math.min(Math.max(this.#pauseMs * 2, FIRST_PAUSE_MS), LAST_PAUSE_MS);
        return;
      }
    }
    if (this.#pauseMs === 0) return;
    this.#pauseMs = 0;
    this.kick();
  }

  async #giveBack(batch: SendingBatch): Promise<void> {
    const { store, owner, clock } = this.#options;
    if (!batch.isLost)
      await store.ledger.giveBack({ ...this.#mailing, batch: batch.id, owner, now: clock() });
    this.#batches.delete(batch.id);
    // Only when nobody has a batch can the mailing be finished.
    this.#isExhausted = false;
    this.kick();
  }

  /** Somebody has taken it over. The results of what is being sent are still stored. */
  #lose(batch: SendingBatch): void {
    const { thread, runId, events } = this.#options;
    batch.isLost = true;
    thread.post({ do: "drop", runId, subscribers: batch.leftOnes });
    batch.halt();
    events.onLost(this.#mailing);
  }

  #seen(batch: SendingBatch, { proceeded, hasSent, limitedUntil, domainLimitEnds }: Written): void {
    const { store, clock } = this.#options;
    const { state, waitsUntil, isOurs } = proceeded;
    if (!isOurs && !batch.isLost) this.#lose(batch);
    // After a failure, messages that were on their way say nothing about the relay: the mailing waits.
    if (hasSent && !this.#hasSent && !this.#hasRelayFailed) {
      this.#hasSent = true;
      this.#aside(store.ledger.relayWorks(this.#mailing));
    }
    const now = clock();
    if (domainLimitEnds !== null) this.#domainLimitEnds = domainLimitEnds;
    if (limitedUntil !== null && limitedUntil > now + LONG_LIMIT_MS) {
      this.#limitedUntil = limitedUntil;
      this.halt();
    }
    if (this.#isHalted) return;
    if (state === "paused") this.#aside(this.#notePause());
    if (state !== "sending" || mustWait(waitsUntil, now)) this.halt();
  }

  /** Halts, and does not end before the write. */
  #endAfter(write: Promise<unknown>): void {
    this.#aside(write);
    this.halt();
  }
  #aside(write: Promise<unknown>): void {
    const { events } = this.#options;
    this.#asides.push(write.catch((error: unknown) => events.onStoreFailed(this.#mailing, error)));
  }

  async #relayFailed(reason: string): Promise<void> {
    const { store, clock, events } = this.#options;
    // An earlier note that the relay works must not be stored after this one.
    await Promise.all(this.#asides);
    const until = await store.ledger.relayFailed({ ...this.#mailing, now: clock(), reason });
    events.onRelayFailed(this.#mailing, reason, until);
  }
  async #pauseMailing(reason: string): Promise<void> {
    const { store, clock, events } = this.#options;
    const now = clock();
    await store.mailings.change({ ...this.#mailing, change: "pause", at: now, now, reason });
    events.onPaused(this.#mailing, reason);
  }
  /** A pause with a reason is not one of a person. */
  async #notePause(): Promise<void> {
    const { store, events } = this.#options;
    const reason = (await store.mailings.byId(this.#mailing))?.mailing.reason ?? null;
    if (reason !== null) events.onPaused(this.#mailing, reason);
  }
}
