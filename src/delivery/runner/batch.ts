/**
 * A batch of recipients that this process has taken: who of them is still to be sent to, and what waits to be
 * stored. Knows neither the store nor the thread.
 */
import type { BatchId, DeliveryResult, Batch as TakenBatch } from "#domain/ports/sending/ledger.ts";
import type { MergeData } from "#domain/ports/sending/mailings.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { mayBecome, type Transitions } from "#domain/transitions.ts";
import type { Slot } from "../threads/protocol.ts";

/** For how long a process owns a batch of recipients, unless it extends the lease. */
export const LEASE_MS = 20_000;
export const EXTEND_MS = 7000;

export interface WaitingStart {
  readonly subscriber: SubscriberId;
  readonly address: string;
  readonly slot: Slot;
}
export interface WaitingResult {
  readonly result: DeliveryResult;
  /** The slot of its message; null: it was never started. */
  readonly slot: Slot | null;
}

const THREAD_DIED = "the delivery thread ended before the reply of the relay was known";

/** `halted`: no further recipient is started. `lost`: nor that, and another process has taken it over. */
type BatchState = "open" | "halted" | "lost";
export const batchTransitions: Transitions<BatchState> = {
  open: ["halted", "lost"],
  halted: ["lost"],
  lost: [],
};

export class SendingBatch {
  readonly id: BatchId;
  /** Not started yet: by address. */
  readonly #left = new Map<SubscriberId, string>();
  /** Marked as sending; the result is not stored yet. */
  readonly #started = new Map<SubscriberId, Slot>();
  /** Results that are being stored. */
  readonly #storing = new Set<SubscriberId>();
  #starts: WaitingStart[] = [];
  #results: WaitingResult[] = [];
  #state: BatchState = "open";

  constructor({ id, recipients }: TakenBatch) {
    this.id = id;
    this.expect(recipients);
  }

  /** Recipients, or their new addresses. */
  expect(people: readonly MergeData[]): void {
    if (this.isHalted) return;
    for (const { subscriber, address } of people) this.#left.set(subscriber, address);
  }

  has(subscriber: SubscriberId): boolean {
    return this.#left.has(subscriber) || this.#started.has(subscriber);
  }
  /** Not started yet. */
  isLeft(subscriber: SubscriberId): boolean {
    return this.#left.has(subscriber);
  }
  /** How many are not started yet. */
  get left(): number {
    return this.#left.size;
  }
  get state(): BatchState {
    return this.#state;
  }
  /** No further recipient is started. */
  get isHalted(): boolean {
    return this.#state !== "open";
  }
  /** No recipient is left, nothing is being sent, and everything is stored. */
  get isDone(): boolean {
    const unstored = this.#started.size + this.#results.length + this.#storing.size;
    return this.#left.size === 0 && unstored === 0;
  }
  /** No recipient is being sent to or about to be. */
  get isQuiet(): boolean {
    return this.#started.size + this.#starts.length + this.#results.length + this.#storing.size === 0;
  }

  /** Ignores recipients that were dropped meanwhile. */
  ready(subscriber: SubscriberId, slot: Slot): void {
    const address = this.#left.get(subscriber);
    if (address !== undefined) this.#starts.push({ subscriber, address, slot });
  }
  addResult(result: DeliveryResult): void {
    this.#left.delete(result.subscriber);
    this.#results.push({ result, slot: this.#started.get(result.subscriber) ?? null });
  }

  takeResults(): readonly WaitingResult[] {
    const taken = this.#results;
    this.#results = [];
    for (const { result } of taken) this.#storing.add(result.subscriber);
    return taken;
  }
  /** Recipients whose slot may be used. */
  takeStarts(isFree: (slot: Slot) => boolean): readonly WaitingStart[] {
    const taken = this.#starts.filter(({ slot }) => isFree(slot));
    if (taken.length > 0) this.#starts = this.#starts.filter(({ slot }) => !isFree(slot));
    return taken;
  }
  markStarted({ subscriber, slot }: WaitingStart): void {
    this.#left.delete(subscriber);
    this.#started.set(subscriber, slot);
  }
  /** It has ended, or is left to another process. */
  forget(subscriber: SubscriberId): void {
    this.#left.delete(subscriber);
  }
  stored(results: readonly WaitingResult[]): void {
    for (const { result } of results) {
      this.#started.delete(result.subscriber);
      this.#storing.delete(result.subscriber);
    }
  }
  /** To be stored again: storing them failed. */
  keep(results: readonly WaitingResult[]): void {
    for (const { result } of results) {
      this.#left.delete(result.subscriber);
      this.#storing.delete(result.subscriber);
    }
    this.#results = [...results, ...this.#results];
  }
  /** What is being sent may have arrived or not. Returns how many recipients that are. */
  threadDied(): number {
    const hasResult = new Set(this.#results.map(({ result }) => result.subscriber));
    const lost = [...this.#started.keys()].filter((id) => !hasResult.has(id) && !this.#storing.has(id));
    for (const subscriber of lost) this.addResult({ subscriber, state: "unknown", reply: THREAD_DIED });
    return lost.length;
  }
  /** Forgets all that are not started. */
  halt(): void {
    this.#forgetLeft("halted");
  }
  /** Another process has taken it over. Returns who was not started. */
  lose(): readonly SubscriberId[] {
    return this.#forgetLeft("lost");
  }
  #forgetLeft(state: BatchState): readonly SubscriberId[] {
    if (mayBecome(batchTransitions, this.#state, state)) this.#state = state;
    const left = [...this.#left.keys()];
    this.#left.clear();
    this.#starts = [];
    return left;
  }
}
