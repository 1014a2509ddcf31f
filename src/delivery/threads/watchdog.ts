/**
 * Which message a delivery thread is making, in memory that it shares with the runner; and the watchdog that
 * ends a thread which uses too much processor time for one message. What the thread has used counts, not the
 * time that has passed: a machine that stood still, or is busy with other work, ends nothing.
 */
import type { Worker } from "node:worker_threads";
import type { AccountId } from "../../domain/account.ts";
import type { OfMailing } from "../../domain/ports/sending/mailings.ts";
import type { SubscriberId } from "../../domain/subscriber/subscriber.ts";

/** How much processor time one message may take, and so may preparing the content of a campaign. */
export const MESSAGE_CPU_MS = 10_000;

export interface Making extends OfMailing {
  readonly account: AccountId;
  /** null: the content is being prepared. */
  readonly subscriber: SubscriberId | null;
}

/** Written by the thread, read by the runner: also after the thread has died. */
export class MakingMark {
  readonly buffer: SharedArrayBuffer;
  /** Odd while something is being made. */
  readonly #count: Int32Array;
  readonly #ids: Float64Array;

  constructor(buffer = new SharedArrayBuffer(32)) {
    this.buffer = buffer;
    this.#count = new Int32Array(buffer, 0, 1);
    this.#ids = new Float64Array(buffer, 8, 3);
  }

  while<Made>({ account, campaign, subscriber }: Making, make: () => Made): Made {
    this.#ids.set([account, campaign, subscriber ?? 0]);
    Atomics.add(this.#count, 0, 1);
    try {
      return make();
    } finally {
      // Not reached by a thread that is ended, or runs out of memory.
      Atomics.add(this.#count, 0, 1);
    }
  }

  /** Another number for each message. */
  get count(): number {
    return Atomics.load(this.#count, 0);
  }
  get making(): Making | null {
    if (this.count % 2 === 0) return null;
    const [account = 0, campaign = 0, subscriber = 0] = this.#ids;
    return { account, campaign, subscriber: subscriber === 0 ? null : subscriber };
  }
}

/** Looks at the thread until it has ended. `end` is called once, with what has taken too long. */
export function watch(
  thread: Worker,
  mark: MakingMark,
  { limitMs, end }: { readonly limitMs: number; readonly end: (error: Error, making: Making) => void },
): void {
  let isAsking = false;
  /** The message that was seen last, and what the thread had used when it was seen first. */
  let [seen, usedBefore] = [0, 0];
  const look = async (): Promise<void> => {
    const { count, making } = mark;
    if (isAsking || making === null) return;
    isAsking = true;
    // Rejected if the thread ends.
    const usage = await thread.cpuUsage().catch(() => null);
    isAsking = false;
    if (usage === null || mark.count !== count) return;
    const usedMs = (usage.user + usage.system) / 1000;
    if (count !== seen) [seen, usedBefore] = [count, usedMs];
    else if (usedMs - usedBefore >= limitMs) {
      clearInterval(timer);
      end(new Error(`making it used more than ${limitMs / 1000} seconds of processor time`), making);
    }
  };
  const timer = setInterval(() => void look(), limitMs / 10);
  timer.unref();
  thread.once("exit", () => clearInterval(timer));
}
