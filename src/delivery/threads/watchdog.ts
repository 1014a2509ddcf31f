/**
 * The watchdog of threads that make messages: it ends a thread that uses too much processor time for a task.
 * The time that has passed does not count, so a suspended or busy machine ends nothing. It also knows which
 * message a delivery thread is making, from memory that it shares with the thread.
 */
import type { Worker } from "node:worker_threads";
import type { AccountId } from "#domain/account.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";

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

  /** `count` is another number for each message. */
  get task(): { readonly count: number; readonly making: Making } | null {
    const count = Atomics.load(this.#count, 0);
    if (count % 2 === 0) return null;
    const [account = 0, campaign = 0, subscriber = 0] = this.#ids;
    return { count, making: { account, campaign, subscriber: subscriber === 0 ? null : subscriber } };
  }
}

interface Task {
  /** Another number for each task. */
  readonly count: number;
}
interface Watched<Given extends Task> {
  readonly limitMs: number;
  /** What the thread is doing now. */
  readonly task: () => Given | null;
  /** Called once, with the task for which the thread has used too much. */
  readonly end: (task: Given) => void;
}
/** Looks at the thread until it has ended, or until the returned function is called. */
export function watch<Given extends Task>(
  thread: Worker,
  { limitMs, task, end }: Watched<Given>,
): () => void {
  let isAsking = false;
  /** The task that was seen last, and what the thread had used when it was seen first. */
  let [seen, usedBefore] = [0, 0];
  const stop = (): void => {
    clearInterval(timer);
    thread.off("exit", stop);
  };
  const look = async (): Promise<void> => {
    const current = task();
    if (isAsking || current === null) return;
    isAsking = true;
    // Rejected if the thread ends.
    const usage = await thread.cpuUsage().catch(() => null);
    isAsking = false;
    if (usage === null || task()?.count !== current.count) return;
    const usedMs = (usage.user + usage.system) / 1000;
    if (current.count !== seen) [seen, usedBefore] = [current.count, usedMs];
    else if (usedMs - usedBefore >= limitMs) {
      stop();
      end(current);
    }
  };
  const timer = setInterval(() => void look(), limitMs / 10);
  timer.unref();
  thread.once("exit", stop);
  return stop;
}
