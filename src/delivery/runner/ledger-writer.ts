/**
 * Writes to the ledger for one mailing: stores the results of a batch and marks the recipients as sending
 * whose messages are ready, in one transaction, and commands the thread to send these messages. If the write
 * fails, nothing is sent: the results are kept, and who was to be started is queued again, because the mark
 * may have been written.
 */
import type { Clock } from "#domain/clocks.ts";
import type { Fields } from "#domain/ports/fields.ts";
import type { DeliveryResult, Ledger, Proceeded, StartOutcome } from "#domain/ports/sending/ledger.ts";
import type { Mailings, MergeData, OfMailing } from "#domain/ports/sending/mailings.ts";
import type { Paces } from "#domain/ports/sending/paces.ts";
import type { Senders } from "#domain/ports/sending/senders.ts";
import type { UnsubscribeLinks } from "#domain/ports/sending/unsubscribe-links.ts";
import { isDomainLimit } from "#domain/sending/delivery.ts";
import { domainOf } from "#domain/sending/domains.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { type ClockReading, countSuspensions, readClocks } from "../clock-reading.ts";
import type { DeliveryThread } from "../threads/delivery-thread.ts";
import type { Command, RunId, Slot } from "../threads/protocol.ts";
import { LEASE_MS, type SendingBatch, type WaitingResult, type WaitingStart } from "./batch.ts";

/** What the runner needs of a store, and what it reports for the log and the metrics. */
export interface DeliveryStore {
  readonly ledger: Ledger;
  readonly mailings: Mailings;
  readonly senders: Senders;
  readonly unsubscribeLinks: UnsubscribeLinks;
  readonly fields: Fields;
  readonly paces: Paces;
}

export interface DeliveryEvents {
  /** Its recipients are being selected. */
  onBegan(mailing: OfMailing): void;
  /** What was stored. */
  onResults(results: readonly DeliveryResult[]): void;
  /** They became unknown: the process that was sending to them has lost its lease. */
  onUnreported(mailing: OfMailing, count: number): void;
  /** They must not get the campaign any more. */
  onSkipped(count: number): void;
  /** `until`: when the mailing is tried again. */
  onRelayFailed(mailing: OfMailing, reason: string, until: number): void;
  /** By the service itself, not by a person. */
  onPaused(mailing: OfMailing, reason: string): void;
  /** Another process has taken over a batch. */
  onLost(mailing: OfMailing): void;
  /** Something could not be stored; it is repeated. */
  onStoreFailed(mailing: OfMailing, error: unknown): void;
  /** The search for mailings failed; it is repeated. */
  onSearchFailed(error: unknown): void;
  onSearched(): void;
  /** By the service itself. */
  onHeld(mailing: OfMailing, reason: string): void;
  /** `unknown`: to how many recipients it was sending. */
  onThreadDied(error: Error, unknown: number): void;
}

/**
 * Which connections carry a message whose result is not stored yet. The next message of such a connection is
 * marked as sending at the earliest in the transaction that stores the result; so there are never more
 * recipients in the state `sending` than connections.
 */
export class UnstoredSlots {
  readonly #used = new Set<Slot>();

  /** From the mark until the result is stored. */
  use(slot: Slot): void {
    this.#used.add(slot);
  }
  release(slot: Slot): void {
    this.#used.delete(slot);
  }
  isFree(slot: Slot): boolean {
    return !this.#used.has(slot);
  }
}

export interface WriterOptions {
  readonly runId: RunId;
  readonly mailing: OfMailing;
  readonly store: DeliveryStore;
  readonly thread: DeliveryThread;
  readonly slots: UnstoredSlots;
  readonly owner: string;
  readonly clock: Clock;
  readonly events: DeliveryEvents;
  /** Something has changed besides what `write` returns. */
  readonly onChange: () => void;
}
/** What a write has shown about the mailing. */
export interface Written {
  readonly proceeded: Proceeded;
  readonly hasResults: boolean;
  /** Whether a relay has accepted a message. */
  readonly hasSent: boolean;
  /** A limit that holds for all recipients. */
  readonly limitedUntil: number | null;
  /** When limits by domain end that were reached. */
  readonly domainLimitEnds: number | null;
}

export class LedgerWriter {
  readonly #options: WriterOptions;
  readonly #mailing: OfMailing;
  #isVisible = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    const { account, campaign } = options.mailing;
    this.#mailing = { account, campaign };
  }

  /** null: nothing was waiting. Throws what the store throws. */
  async write(batch: SendingBatch, mayStart: boolean): Promise<Written | null> {
    const { store, slots, owner, clock, events } = this.#options;
    const results = batch.takeResults();
    const released = new Set(results.map(({ slot }) => slot));
    const starts =
      mayStart && batch.state !== "lost"
        ? batch.takeStarts((slot) => slots.isFree(slot) || released.has(slot))
        : [];
    if (results.length === 0 && starts.length === 0) return null;
    for (const { slot } of starts) slots.use(slot);
    const now = clock();
    const before = { clocks: readClocks(), suspensions: countSuspensions() };
    let proceeded: Proceeded;
    try {
      proceeded = await store.ledger.proceed({
        ...this.#mailing,
        batch: batch.id,
        owner,
        until: now + LEASE_MS,
        now,
        results: results.map(({ result }) => result),
        starts: starts.map(({ subscriber, address }) => ({ subscriber, address })),
        isVisible: this.#isVisible,
      });
    } catch (error) {
      // The database may be another one now, which lacks the last commits.
      this.#isVisible = false;
      this.#keep(batch, results, starts);
      throw error;
    }
    // The write may have waited long for the lock, but its own time is limited: the checks in it are recent,
    // unless the process was suspended.
    const markedAt = countSuspensions() === before.suspensions ? readClocks() : before.clocks;
    this.#isVisible = proceeded.isVisible;
    batch.stored(results);
    for (const slot of released) if (slot !== null) slots.release(slot);
    events.onResults(results.map(({ result }) => result));
    const [hasResults, hasSent] = [results.length > 0, results.some(wasSent)];
    return { proceeded, ...this.#apply(batch, starts, proceeded, now, markedAt), hasResults, hasSent };
  }

  #keep(batch: SendingBatch, results: readonly WaitingResult[], starts: readonly WaitingStart[]): void {
    const { thread } = this.#options;
    const undone = starts.map(({ subscriber, slot }) => ({
      result: { subscriber, state: "queued", isAttempt: false, afterMs: 0 } as const,
      slot,
    }));
    batch.keep([...results, ...undone]);
    const subscribers = starts.map(({ subscriber }) => subscriber);
    if (subscribers.length > 0 && !batch.isHalted)
      thread.post({ do: "drop", runId: this.#options.runId, subscribers });
  }

  #apply(
    batch: SendingBatch,
    starts: readonly WaitingStart[],
    { starts: outcomes }: Proceeded,
    now: number,
    markedAt: ClockReading,
  ): Pick<Written, "limitedUntil" | "domainLimitEnds"> {
    const { slots, thread, clock, events } = this.#options;
    const { runId } = this.#options;
    const sent: SubscriberId[] = [];
    const dropped: SubscriberId[] = [];
    const changed: SubscriberId[] = [];
    const delays: Command[] = [];
    let skipped = 0;
    let limitedUntil: number | null = null;
    let domainLimitEnds: number | null = null;
    for (const [at, start] of starts.entries()) {
      const { subscriber, address, slot } = start;
      const outcome: StartOutcome = outcomes[at] ?? "stopped";
      if (outcome === "started") {
        slots.use(slot);
        batch.markStarted(start);
        // Meanwhile the thread got the command to forget it.
        if (batch.isHalted) batch.addResult({ subscriber, state: "queued", isAttempt: false, afterMs: 0 });
        else sent.push(subscriber);
        continue;
      }
      slots.release(slot);
      if (typeof outcome === "object" && "limitedUntil" in outcome) {
        const until = outcome.limitedUntil;
        const isOfDomain = isDomainLimit(until, now);
        if (isOfDomain) domainLimitEnds = until;
        else limitedUntil = Math.max(limitedUntil ?? 0, until);
        const ms = Math.max(until - clock(), 0);
        delays.push({ do: "delay", runId, subscriber, domain: isOfDomain ? domainOf(address) : null, ms });
        continue;
      }
      dropped.push(subscriber);
      if (outcome === "changed") changed.push(subscriber);
      else batch.forget(subscriber);
      if (typeof outcome === "object") skipped += 1;
    }
    if (skipped > 0) events.onSkipped(skipped);
    if (sent.length > 0) thread.post({ do: "send", runId, subscribers: sent, markedAt });
    // If the batch was halted meanwhile, they are dropped already, and may be in another batch.
    if (!batch.isHalted) {
      if (dropped.length > 0) thread.post({ do: "drop", runId, subscribers: dropped });
      if (delays.length > 0) thread.post(...delays);
    }
    if (changed.length > 0) this.#reload(batch, changed);
    return { limitedUntil, domainLimitEnds };
  }

  /** In passing: recipients whose address has changed are not waited for. */
  #reload(batch: SendingBatch, subscribers: readonly SubscriberId[]): void {
    const { store, thread, events, onChange } = this.#options;
    const compose = (people: readonly MergeData[]): void => {
      // Recipients that were not read stay queued, and are taken again after the batch was given back.
      const found = new Set(people.map(({ subscriber }) => subscriber));
      for (const subscriber of subscribers) if (!found.has(subscriber)) batch.forget(subscriber);
      batch.expect(people);
      if (!batch.isHalted && people.length > 0)
        thread.post({ do: "compose", runId: this.#options.runId, batch: batch.id, people });
      onChange();
    };
    store.ledger.reload({ ...this.#mailing, subscribers }).then(compose, (error: unknown) => {
      events.onStoreFailed(this.#mailing, error);
      compose([]);
    });
  }
}

const wasSent = ({ result }: WaitingResult): boolean => result.state === "sent";
