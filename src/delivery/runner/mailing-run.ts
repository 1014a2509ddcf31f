/**
 * Sends a mailing for a while: takes batches, gives them to the delivery thread, and stores what becomes of
 * them. It ends when there is nothing to take, when it is preempted, or when nothing more may be sent; then
 * no message of it is in flight, and its batches are given back.
 */
import type { Batch, BatchId } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import { mustWait, refusesAll } from "#domain/sending/mailing.ts";
import { quotaWait } from "#domain/sending/smtp-reply.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { mayBecome, type Transitions } from "#domain/transitions.ts";
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
  /** `hasTaken`: it has taken over a batch, and stored no result since. */
  #current: { readonly runId: RunId; readonly since: number; readonly hasTaken: boolean } | null = null;

  /** Whether this run may take something over: until it says that it has ended. */
  begin(runId: RunId): boolean {
    const since = performance.now();
    const current = this.#current;
    const isOwn = current?.runId === runId;
    if (current !== null && !isOwn && since - current.since < LONGEST_TAKE_OVER_MS) return false;
    this.#current = { runId, since, hasTaken: isOwn && current.hasTaken };
    return true;
  }
  /** `wasLeft`: what it took was left by another process. */
  took(runId: RunId, wasLeft: boolean): void {
    if (this.#current?.runId !== runId) return;
    const hasTaken = this.#current.hasTaken || wasLeft;
    this.#current = hasTaken ? { ...this.#current, hasTaken } : null;
  }
  end(runId: RunId): void {
    if (this.#current?.runId === runId) this.#current = null;
  }
}

/** `idle`: there was nothing to take, for now at least. */
export type RunEnding = "idle" | "preempted" | "halted" | { readonly limitedUntil: number };

/**
 * What a run does. `preparing`: the thread does not know the campaign yet. `feeding`: batches are taken
 * whenever few recipients are left. `starved`: the thread has no recipient left to whom it may send now, so
 * more are taken. `exhausted`: there was nothing to take, and nothing has been given back since;
 * `askAgainAt`: another mailing was being taken over. `draining`: nothing more is started, and the results of
 * what is being sent are stored. `abandoned`: it ends even if something could not be stored; the leases
 * expire.
 */
type RunPhase =
  | { readonly name: "preparing" | "feeding" | "starved" }
  | { readonly name: "exhausted"; readonly isStarved: boolean; readonly askAgainAt: number | null }
  | { readonly name: "draining" | "abandoned"; readonly ending: RunEnding };

/** Any other change is ignored: what arrives late for a run that is draining changes nothing. */
export const runTransitions: Transitions<RunPhase["name"]> = {
  preparing: ["feeding", "exhausted", "draining"],
  feeding: ["starved", "exhausted", "draining"],
  starved: ["feeding", "exhausted", "draining"],
  exhausted: ["feeding", "starved", "draining"],
  draining: ["abandoned"],
  abandoned: [],
};

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
  #phase: RunPhase = { name: "preparing" };
  #taking: Promise<void> | null = null;
  /** What this run has noted about the relay. */
  #relay: "nothing" | "works" | "failed" = "nothing";
  /** When limits by domain end that were reached. */
  #domainLimitEnds = 0;
  /** How long it waits until it tries again to store; 0: storing works. */
  #pauseMs = 0;
  /** Writes other than to the ledger. */
  #pendingWrites: Promise<unknown>[] = [];

  constructor(options: RunOptions) {
    this.#options = options;
    const { account, campaign } = options.mailing;
    this.#mailing = { account, campaign };
    this.#writer = new LedgerWriter({ ...options, onChange: () => this.kick() });
  }

  async run(): Promise<RunEnding> {
    while (this.#phase.name !== "abandoned") {
      const changed = this.#change.next();
      if (this.#wantsMore()) this.#taking ??= this.#take();
      await this.#storeAll();
      if (this.#batches.size === 0 && this.#taking === null && !this.#wantsMore()) break;
      await (this.#pauseMs > 0 ? sleep(this.#pauseMs) : changed);
    }
    const { thread, takeOvers, runId } = this.#options;
    takeOvers.end(runId);
    thread.post({ do: "close", runId });
    await Promise.all(this.#pendingWrites);
    return endingOf(this.#phase);
  }

  /** Returns whether it is in this phase now. */
  #become(next: RunPhase): boolean {
    const isPossible = mayBecome(runTransitions, this.#phase.name, next.name);
    if (isPossible) this.#phase = next;
    return isPossible;
  }

  /** Something may be possible now that was not before. */
  kick(): void {
    this.#change.signal();
  }
  /** It starts nothing more. */
  get isEnding(): boolean {
    return "ending" in this.#phase;
  }
  /** The batches whose leases are to be extended. */
  get batches(): readonly BatchId[] {
    return [...this.#batches.values()].filter(({ state }) => state !== "lost").map(({ id }) => id);
  }
  /** When a limit ends for which everybody waits who is left of its batches; null: it has something to do. */
  get limitEnds(): number | null {
    const isWaiting = isStarved(this.#phase) && this.#taking === null && this.#pauseMs === 0;
    if (!isWaiting || this.#wantsMore() || this.#domainLimitEnds <= this.#options.clock()) return null;
    return [...this.#batches.values()].every((batch) => batch.isQuiet) ? this.#domainLimitEnds : null;
  }
  /** Gives back who is not started, and ends with the results of the recipients that are being sent to. */
  preempt(): void {
    const { limitEnds } = this;
    this.halt(limitEnds === null ? "preempted" : { limitedUntil: limitEnds });
  }
  /** Starts nothing more; the results of what is being sent are stored. */
  halt(ending: RunEnding = "halted"): void {
    if (this.isEnding) return;
    this.#become({ name: "draining", ending });
    const { thread, takeOvers, runId } = this.#options;
    takeOvers.end(runId);
    thread.post({ do: "halt", runId });
    for (const batch of this.#batches.values()) batch.halt();
    this.kick();
  }
  /** Ends even if something could not be stored: the leases expire. */
  abandon(): void {
    this.halt();
    this.#become({ name: "abandoned", ending: endingOf(this.#phase) });
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
    const phase = this.#phase;
    this.#become(phase.name === "exhausted" ? { ...phase, isStarved: true } : { name: "starved" });
    this.kick();
  }
  onProblem(reason: string): void {
    if (!this.isEnding) this.#haltAfter(this.#pauseMailing(reason));
  }
  /** The thread makes nothing more ready. */
  onRelayFailed(reason: string, isQuota: boolean): void {
    if (this.#relay === "failed") return;
    this.#relay = "failed";
    // Also after a preemption: a relay that lets everybody wait for longer than a time slice would never be
    // noted.
    this.#haltAfter(this.#relayFailed(reason, isQuota));
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
    if (this.isEnding || this.#phase.name === "exhausted" || this.#pauseMs > 0) return false;
    let left = 0;
    for (const batch of this.#batches.values()) left += batch.left;
    return left < LOW_WATER || (this.#phase.name === "starved" && left < MAX_LEFT);
  }

  async #take(): Promise<void> {
    const { store, owner, clock, events, takeOvers, runId } = this.#options;
    try {
      const now = clock();
      const until = now + LEASE_MS;
      const takesOver = takeOvers.begin(runId);
      const given = { ...this.#mailing, owner, until, now, limit: BATCH, takesOver };
      const { batch, isTakenOver, heldBecause, unknown } = await store.ledger.take(given);
      takeOvers.took(runId, isTakenOver && !this.isEnding);
      if (unknown > 0) events.onUnreported(this.#mailing, unknown);
      if (heldBecause !== null) events.onHeld(this.#mailing, heldBecause);
      if (batch === null) this.#exhaust(takesOver ? null : now + ASK_AGAIN_MS);
      else await this.#giveToThread(batch);
    } catch (error) {
      events.onStoreFailed(this.#mailing, error);
      // What was taken is given back, and the runner will look again.
      this.halt();
    }
    this.#taking = null;
    this.kick();
  }
  #exhaust(askAgainAt: number | null): void {
    this.#become({ name: "exhausted", isStarved: isStarved(this.#phase), askAgainAt });
  }

  async #giveToThread(batch: Batch): Promise<void> {
    // This process stood still for longer than its lease, and has now taken over a batch of its own.
    for (const other of this.#batches.values())
      if (batch.recipients.some(({ subscriber }) => other.isLeft(subscriber))) this.#lose(other);
    const sending = new SendingBatch(batch);
    this.#batches.set(batch.id, sending);
    const { thread, runId, prepare } = this.#options;
    if (this.#phase.name === "preparing") {
      const mailing = await prepare(this.#mailing);
      if (typeof mailing === "string") this.onProblem(mailing);
      else if (!this.isEnding) thread.post({ do: "open", runId, mailing });
    }
    // It may have been halted meanwhile.
    if (!this.#become({ name: "feeding" })) return sending.halt();
    thread.post({ do: "compose", runId, batch: batch.id, people: batch.recipients });
  }

  /** Of all batches: one after the other, because they change the same counters. */
  async #storeAll(): Promise<void> {
    const { events, onReleased, takeOvers, runId } = this.#options;
    for (const batch of this.#batches.values()) {
      try {
        // After a failure, storing must work again before anything is started.
        const written = await this.#writer.write(batch, !this.isEnding && this.#pauseMs === 0);
        if (written !== null) {
          this.#seen(batch, written);
          if (written.hasResults) takeOvers.end(runId);
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
    if (batch.state !== "lost")
      await store.ledger.giveBack({ ...this.#mailing, batch: batch.id, owner, now: clock() });
    this.#batches.delete(batch.id);
    // Only when no process has a batch can the mailing be finished.
    const phase = this.#phase;
    if (phase.name === "exhausted") this.#become({ name: phase.isStarved ? "starved" : "feeding" });
    this.kick();
  }

  /** Another process has taken it over. The results of what is being sent are still stored. */
  #lose(batch: SendingBatch): void {
    const { thread, runId, events } = this.#options;
    thread.post({ do: "drop", runId, subscribers: batch.lose() });
    events.onLost(this.#mailing);
  }

  #seen(batch: SendingBatch, { proceeded, hasSent, limitedUntil, domainLimitEnds }: Written): void {
    const { store, clock } = this.#options;
    const { state, waitsUntil, isOurs } = proceeded;
    if (!isOurs && batch.state !== "lost") this.#lose(batch);
    // After a failure, messages that were on their way say nothing about the relay: the mailing waits.
    if (hasSent && this.#relay === "nothing") {
      this.#relay = "works";
      this.#writeAlongside(store.ledger.relayWorks(this.#mailing));
    }
    const now = clock();
    if (domainLimitEnds !== null) this.#domainLimitEnds = domainLimitEnds;
    if (limitedUntil !== null && limitedUntil > now + LONG_LIMIT_MS) {
      this.halt();
      // Also if it was draining already: until then there is nothing to do for another run.
      this.#become({ name: "draining", ending: { limitedUntil } });
    }
    if (this.isEnding) return;
    if (state === "paused" || state === "held") this.#writeAlongside(this.#noteReason(state));
    if (state === "sending" && mustWait(waitsUntil, now))
      this.#writeAlongside(this.#noteRefusals(waitsUntil));
    if (state !== "sending" || mustWait(waitsUntil, now)) this.halt();
  }

  /** Halts, and does not end before the write. */
  #haltAfter(write: Promise<unknown>): void {
    this.#writeAlongside(write);
    this.halt();
  }
  #writeAlongside(write: Promise<unknown>): void {
    const { events } = this.#options;
    this.#pendingWrites.push(write.catch((error: unknown) => events.onStoreFailed(this.#mailing, error)));
  }

  async #relayFailed(reason: string, isQuota: boolean): Promise<void> {
    const { store, clock, events } = this.#options;
    // An earlier note that the relay works must not be stored after this one.
    await Promise.all(this.#pendingWrites);
    const now = clock();
    const waitMs = isQuota ? quotaWait(reason, now) : null;
    const until = await store.ledger.relayFailed({ ...this.#mailing, now, reason, waitMs });
    events.onRelayFailed(this.#mailing, reason, until);
  }
  async #pauseMailing(reason: string): Promise<void> {
    const { store, clock, events } = this.#options;
    const now = clock();
    await store.mailings.change({ ...this.#mailing, change: "pause", at: now, now, reason });
    events.onPaused(this.#mailing, reason);
  }
  /** The store has found that every message is refused; other failures of the relay are noted already. */
  async #noteRefusals(until: number): Promise<void> {
    const { store, events } = this.#options;
    const { reason = null } = (await store.mailings.byId(this.#mailing))?.mailing ?? {};
    if (reason !== null && refusesAll(reason)) events.onRelayFailed(this.#mailing, reason, until);
  }
  /** A pause with a reason is not one of a person. */
  async #noteReason(state: "paused" | "held"): Promise<void> {
    const { store, events } = this.#options;
    const reason = (await store.mailings.byId(this.#mailing))?.mailing.reason ?? null;
    if (reason === null) return;
    if (state === "paused") events.onPaused(this.#mailing, reason);
    else events.onHeld(this.#mailing, reason);
  }
}

const isStarved = (phase: RunPhase): boolean =>
  phase.name === "starved" || (phase.name === "exhausted" && phase.isStarved);

function endingOf(phase: RunPhase): RunEnding {
  if ("ending" in phase) return phase.ending;
  const askAgainAt = phase.name === "exhausted" ? phase.askAgainAt : null;
  return askAgainAt === null ? "idle" : { limitedUntil: askAgainAt };
}
