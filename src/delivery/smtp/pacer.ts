/**
 * The permits of this process for one relay, or for one sender with a limit by second. It asks for them a
 * little before they are used up. A relay that has refused nothing needs none. All times are monotonic. Rules
 * of the pace are in `domain/sending/pace.ts`.
 */
import type { OfSender } from "#domain/ports/sending/senders.ts";
import { AHEAD_MS, MAX_AHEAD_MS } from "#domain/sending/pace.ts";

/** The thread asks the runner for permits, and says what has happened since it asked last. */
export interface PaceReport {
  readonly key: string;
  /** As in `Paces.take`. */
  readonly sender: OfSender | null;
  readonly accepted: number;
  readonly refusedAfter: number | null;
  readonly aheadMs: number;
  /** Counts the questions: an answer to an earlier one is too late. */
  readonly question: number;
}

/** The answer. */
export interface PaceAnswer {
  readonly key: string;
  readonly question: number;
  /** null: none are needed. */
  readonly permits: { readonly inMs: number; readonly everyMs: number; readonly count: number } | null;
  readonly acceptsNothing: boolean;
}

interface Grant {
  next: number;
  readonly everyMs: number;
  left: number;
}

const RATE_MS = 1000;

export class Pacer {
  readonly key: string;
  readonly sender: OfSender | null;
  readonly #onReport: (pacer: Pacer) => void;
  #isPaced = false;
  #grants: Grant[] = [];
  /** 0: it does not wait for an answer. */
  #question = 0;
  #questions = 0;
  #askedAt = 0;
  /** For how long permits are asked for: twice as long as an answer takes. */
  #aheadMs = AHEAD_MS;
  /** Not reported yet. */
  #accepted = 0;
  #refusedAfter: number | null = null;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #lastRefusal = "";
  #acceptsNothing = false;
  /** In this second, and in the one before. */
  #seconds = { at: 0, accepted: 0, before: 0 };

  /** `sender`: as in `Paces.take`. */
  constructor(key: string, sender: OfSender | null, onReport: (pacer: Pacer) => void) {
    this.key = key;
    this.sender = sender;
    this.#onReport = onReport;
  }

  /** Whether a message needs a permit. */
  get isPaced(): boolean {
    return this.#isPaced;
  }
  /** The relay accepts nothing, however slow: what it said. null: it does. */
  get refusal(): string | null {
    return this.#acceptsNothing ? this.#lastRefusal : null;
  }

  /** A campaign begins, or has waited for the relay. */
  tryAgain(): void {
    this.#acceptsNothing = false;
  }
  /** Another process was refused, or the sender has a limit. */
  pace(): void {
    this.#isPaced = true;
  }

  /**
   * In how many milliseconds a message may begin; 0: now. Infinity: when permits have arrived, which it asks
   * for.
   */
  waitMs(now = performance.now()): number {
    if (!this.#isPaced) return 0;
    while (this.#grants[0] !== undefined && isUsedUp(this.#grants[0], now - this.#aheadMs))
      this.#grants.shift();
    const last = this.#grants.at(-1);
    const ends = last === undefined ? now : last.next + last.everyMs * last.left;
    if (this.#question === 0 && ends - now < this.#aheadMs / 2) this.#ask(now);
    const [first] = this.#grants;
    return first === undefined ? Number.POSITIVE_INFINITY : Math.max(0, first.next - now);
  }
  /** A message begins. */
  use(): void {
    const [first] = this.#grants;
    if (first === undefined) return;
    first.next += first.everyMs;
    first.left -= 1;
    if (first.left === 0) this.#grants.shift();
  }

  /** The relay has accepted a message. */
  accepted(now = performance.now()): void {
    this.#acceptsNothing = false;
    this.#count(now).accepted += 1;
    if (this.#isPaced) this.#accepted += 1;
  }
  /**
   * The relay has refused a message because messages come too fast. What had begun before it said so for the
   * first time is the same refusal.
   */
  refused(words: string, beganAt: number, now = performance.now()): void {
    if (beganAt <= this.#refusedAt) return;
    const { at, accepted, before } = this.#count(now);
    this.#refusedAt = now;
    this.#lastRefusal = words;
    this.#refusedAfter = Math.round(accepted + before * (1 - (now - at) / RATE_MS));
    this.#isPaced = true;
    this.#grants = [];
    this.#ask(now);
  }
  #count(now: number) {
    const seconds = this.#seconds;
    if (now - seconds.at < RATE_MS) return seconds;
    const isNext = now - seconds.at < 2 * RATE_MS;
    this.#seconds = {
      at: isNext ? seconds.at + RATE_MS : now,
      accepted: 0,
      before: isNext ? seconds.accepted : 0,
    };
    return this.#seconds;
  }

  #ask(now: number): void {
    this.#askedAt = now;
    this.#questions += 1;
    this.#question = this.#questions;
    this.#onReport(this);
  }
  /** For the runner; what was accepted is reported once. */
  takeReport(): PaceReport {
    const report = {
      key: this.key,
      sender: this.sender,
      accepted: this.#accepted,
      refusedAfter: this.#refusedAfter,
      aheadMs: this.#aheadMs,
      question: this.#question,
    };
    this.#accepted = 0;
    this.#refusedAfter = null;
    return report;
  }
  answer({ question, permits, acceptsNothing }: PaceAnswer, now = performance.now()): void {
    if (question !== this.#question) return;
    this.#question = 0;
    this.#aheadMs = Math.min(Math.max(2 * (now - this.#askedAt), AHEAD_MS), MAX_AHEAD_MS);
    this.#acceptsNothing = acceptsNothing;
    if (permits === null) this.#isPaced = false;
    else if (permits.count > 0)
      this.#grants.push({ next: now + permits.inMs, everyMs: permits.everyMs, left: permits.count });
  }
}

/** Permits that nobody used in time are lost: there was nothing to send. */
function isUsedUp(grant: Grant, before: number): boolean {
  const missed = Math.floor((before - grant.next) / grant.everyMs);
  if (missed > 0) {
    grant.left -= missed;
    grant.next += missed * grant.everyMs;
  }
  return grant.left <= 0;
}

/** The pacers of a process, by key: campaigns with the same relay share one. */
export class Pacers {
  readonly #onReport: (pacer: Pacer) => void;
  readonly #pacers = new Map<string, { readonly pacer: Pacer; users: number }>();

  constructor(onReport: (pacer: Pacer) => void) {
    this.#onReport = onReport;
  }

  acquire(key: string, sender: OfSender | null = null): Pacer {
    const entry = this.#pacers.get(key) ?? { pacer: new Pacer(key, sender, this.#onReport), users: 0 };
    entry.pacer.tryAgain();
    entry.users += 1;
    this.#pacers.set(key, entry);
    return entry.pacer;
  }
  release({ key }: Pacer): void {
    const entry = this.#pacers.get(key);
    if (entry === undefined) return;
    entry.users -= 1;
    if (entry.users === 0) this.#pacers.delete(key);
  }
  get(key: string): Pacer | undefined {
    return this.#pacers.get(key)?.pacer;
  }
}
