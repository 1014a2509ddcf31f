/**
 * Collects what happens in the delivery thread, and posts it in groups. The runner stores each group in one
 * transaction, whose cost hardly depends on its size: so half of the connections wait for each other, but
 * not for long.
 */
import type { OfTurn, Ready, Report, Reported, TurnId } from "./protocol.ts";

const LONGEST_WAIT_MS = 20;

export interface ReportsOptions {
  readonly post: (report: Report) => void;
  /** For each set of relays. */
  readonly connections: number;
  /** How many are in use. */
  readonly used: () => number;
}

export class Reports {
  readonly #options: ReportsOptions;
  readonly #group: number;
  #results: Reported[] = [];
  #ready: Ready[] = [];
  #problems: OfTurn[] = [];
  #relayFailures: OfTurn[] = [];
  #hungry: TurnId[] = [];
  #timer: NodeJS.Timeout | null = null;
  #isDue = false;

  constructor(options: ReportsOptions) {
    this.#options = options;
    this.#group = Math.ceil(options.connections / 2);
  }

  result(result: Reported): void {
    this.#results.push(result);
    this.#collect();
  }
  ready(ready: Ready): void {
    this.#ready.push(ready);
    this.#collect();
  }
  problem(problem: OfTurn): void {
    this.#problems.push(problem);
    this.#postSoon();
  }
  relayFailed(failure: OfTurn): void {
    this.#relayFailures.push(failure);
    this.#postSoon();
  }
  hungry(turn: TurnId): void {
    this.#hungry.push(turn);
    this.#postSoon();
  }

  #collect(): void {
    if (Math.max(this.#results.length, this.#ready.length) >= this.#group) this.#postSoon();
    else this.#timer ??= setTimeout(() => this.#postAll(), LONGEST_WAIT_MS);
  }
  /** With what else happens in this round of the event loop. */
  #postSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#postAll());
  }
  #postAll(): void {
    this.#isDue = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#options.post({
      results: this.#results,
      ready: this.#ready,
      problems: this.#problems,
      relayFailures: this.#relayFailures,
      hungry: this.#hungry,
      connections: this.#options.used(),
    });
    this.#results = [];
    this.#ready = [];
    this.#problems = [];
    this.#relayFailures = [];
    this.#hungry = [];
  }
}
