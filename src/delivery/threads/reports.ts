/** Collects what happens in the delivery thread, and posts it once per round of its event loop. */
import type { OfCampaign, Ready, Report, Reported } from "./protocol.ts";

export class Reports {
  readonly #post: (report: Report) => void;
  readonly #connections: () => number;
  #results: Reported[] = [];
  #ready: Ready[] = [];
  #problems: OfCampaign[] = [];
  #relayFailures: OfCampaign[] = [];
  #hungry: number[] = [];
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
  problem(problem: OfCampaign): void {
    this.#problems.push(problem);
    this.#schedule();
  }
  relayFailed(failure: OfCampaign): void {
    this.#relayFailures.push(failure);
    this.#schedule();
  }
  hungry(campaign: number): void {
    this.#hungry.push(campaign);
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
