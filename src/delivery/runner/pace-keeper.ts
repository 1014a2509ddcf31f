/**
 * Gets the permits that the delivery thread asks for: from the store, where all processes share them. Also
 * tells it which relays have refused messages of another process.
 */
import type { Clock } from "#domain/clocks.ts";
import type { Paces } from "#domain/ports/sending/paces.ts";
import { sleep } from "#jobs/sleep.ts";
import type { PaceReport } from "../smtp/pacer.ts";
import type { Command } from "../threads/protocol.ts";

const AGAIN_MS = 1000;

export interface PaceKeeperOptions {
  readonly paces: Paces;
  readonly clock: Clock;
  readonly post: (command: Command) => void;
  /** The store was asked in vain; it is asked again. */
  readonly onFailed: (error: unknown) => void;
}

export class PaceKeeper {
  readonly #options: PaceKeeperOptions;
  /** The last question of each relay or sender, so that they are answered in order. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(options: PaceKeeperOptions) {
    this.#options = options;
  }

  ask(report: PaceReport): void {
    const { key } = report;
    const before = this.#last.get(key) ?? Promise.resolve();
    const answered = before.then(() => this.#answer(report));
    this.#last.set(key, answered);
    void answered.then(() => {
      if (this.#last.get(key) === answered) this.#last.delete(key);
    });
  }

  /** Of the campaigns that are being sent. */
  async look(keys: readonly string[]): Promise<void> {
    const { paces, clock, post } = this.#options;
    const found = await paces.ofRelays({ keys, now: clock() });
    if (found.length > 0) post({ do: "pace", keys: found.map(({ key }) => key) });
  }

  async #answer({ question, ...report }: PaceReport): Promise<void> {
    const { paces, clock, post, onFailed } = this.#options;
    const { key } = report;
    try {
      const taken = await paces.take({ ...report, now: clock() });
      const permits = taken === null ? null : taken.permits;
      const answer = {
        ...{ key, question, acceptsNothing: taken?.acceptsNothing === true },
        permits: permits && { ...permits, inMs: permits.from - clock() },
      };
      post({ do: "permit", answer });
    } catch (error) {
      onFailed(error);
      await sleep(AGAIN_MS);
      post({
        do: "permit",
        answer: { key, question, permits: { inMs: 0, everyMs: AGAIN_MS, count: 0 }, acceptsNothing: false },
      });
    }
  }
}
