/**
 * Gets the permits that the delivery thread asks for: from the store, where all processes share them. Also
 * tells it which relays have refused messages of another process.
 */
import type { Clock } from "#domain/clocks.ts";
import type { OfSender } from "#domain/ports/sending/senders.ts";
import { paceKeyOfSender } from "#domain/sending/pace.ts";
import { sleep } from "#jobs/sleep.ts";
import type { PaceReport } from "../smtp/pacer.ts";
import type { Command } from "../threads/protocol.ts";
import type { DeliveryStore } from "./ledger-writer.ts";

const AGAIN_MS = 1000;

/** What keeps a pace for a campaign. */
export interface Paced {
  /** The keys of its relays. */
  readonly relays: readonly string[];
  readonly sender: OfSender;
}

export interface PaceKeeperOptions {
  readonly store: Pick<DeliveryStore, "paces" | "senders">;
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

  /** Of the campaigns that are being sent: which need permits from now on. */
  async look(sent: readonly Paced[]): Promise<void> {
    const { store, clock, post } = this.#options;
    if (sent.length === 0) return;
    const senders = new Map(sent.map(({ sender }) => [sender.id, sender]));
    const [found, limited] = await Promise.all([
      store.paces.ofRelays({ keys: [...new Set(sent.flatMap(({ relays }) => relays))], now: clock() }),
      Promise.all([...senders.values()].map((sender) => store.senders.byId(sender))),
    ]);
    const keys = [
      ...found.map(({ key }) => key),
      ...limited.flatMap((one) => (one?.perSecond == null ? [] : [paceKeyOfSender(one.id)])),
    ];
    if (keys.length > 0) post({ do: "pace", keys });
  }

  async #answer({ question, ...report }: PaceReport): Promise<void> {
    const { store, clock, post, onFailed } = this.#options;
    const { key } = report;
    try {
      const taken = await store.paces.take({ ...report, now: clock() });
      const permits = taken === null ? null : taken.permits;
      const answer = {
        ...{ key, question, acceptsNothing: taken?.acceptsNothing === true },
        permits: permits && { ...permits, inMs: Math.max(permits.from - clock(), 0) },
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
