/** Collects what happens in the delivery thread, and posts it once per round of its event loop. */
import type { OfTurn, Ready, Report, Reported, TurnId } from "./protocol.ts";

export class Reports {
  readonly #post: (report: Report) => void;
  readonly #connections: () => number;
  #results: Reported[] = [];
  #ready: Ready[] = [];
  #problems: OfTurn[] = [];
  #relayFailures: OfTurn[] = [];
  #hungry: TurnId[] = [];
  #isScheduled = false;

  constructor(post: (report: Report) => void, connections: () => number) {
    this.#post = post;
    this.#connections = connections;
  }

  result(result: Reported): void {
    this.#results.push(result);
    this.#schedule();
  }
  ready(ready: Ready): void {
    this.#ready.push(ready);
    this.#schedule();
  }
  problem(problem: OfTurn): void {
    this.#problems.push(problem);
    this.#schedule();
  }
  relayFailed(failure: OfTurn): void {
    this.#relayFailures.push(failure);
    this.#schedule();
  }
  hungry(turn: TurnId): void {
    this.#hungry.push(turn);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }
  #flush(): void {
    this.#isScheduled = false;
    this.#post({
      results: this.#results,
      ready: this.#ready,
      problems: this.#problems,
      relayFailures: this.#relayFailures,
      hungry: this.#hungry,
      connections: this.#connections(),
    });
    this.#results = [];
    this.#ready = [];
    this.#problems = [];
    this.#relayFailures = [];
    this.#hungry = [];
  }
}
