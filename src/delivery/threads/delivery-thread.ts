/**
 * The delivery thread as the runner sees it. It starts with the first campaign that is opened. Commands that
 * are given in one go are posted as one message. A thread that has died is reported once; the runner makes
 * another.
 */

import { Worker } from "node:worker_threads";
import { threadModule } from "#shipped.ts";
import type { Command, Report, ThreadData } from "./protocol.ts";
import { type Making, MakingMark, MESSAGE_CPU_MS, watch } from "./watchdog.ts";

export interface ThreadEvents {
  onReport(report: Report): void;
  /** It ended by itself, or made a message for too long. `making`: what it was making, if anything. */
  onDied(error: Error, making: Making | null): void;
}
export interface ThreadOptions extends Pick<ThreadData, "connections"> {
  /** The module that runs in the thread. */
  readonly entry?: URL | undefined;
  /** How much processor time a message may take. */
  readonly messageCpuMs?: number | undefined;
}

const ENTRY = threadModule("delivery/threads/delivery-thread-entry.ts");
/**
 * For objects that live shortly, as those of a message do. Without this limit the memory for them grows
 * during a long campaign to several times as much, and nothing is quicker.
 */
const YOUNG_MIB = 24;

export class DeliveryThread {
  readonly #options: ThreadOptions;
  readonly #events: ThreadEvents;
  #worker: Worker | null = null;
  #commands: Command[] = [];
  #hasEnded = false;
  #isEnding = false;
  #onExit: () => void = () => {};

  constructor(options: ThreadOptions, events: ThreadEvents) {
    this.#options = options;
    this.#events = events;
  }

  post(...commands: readonly Command[]): void {
    if (this.#hasEnded) return;
    if (this.#worker === null) {
      // There is nothing that it could forget.
      if (!commands.some((command) => command.do === "open")) return;
      this.#worker = this.#start();
    }
    if (this.#commands.length === 0) queueMicrotask(() => this.#flush());
    this.#commands.push(...commands);
  }

  /** None of its messages may be in flight. Ends the thread by force if it does not end within `ms`. */
  async end(ms: number): Promise<void> {
    const worker = this.#worker;
    if (worker === null || this.#hasEnded) return;
    this.#isEnding = true;
    this.post({ do: "end" });
    const timer = setTimeout(() => void worker.terminate(), ms);
    await new Promise<void>((resolve) => {
      this.#onExit = resolve;
    });
    clearTimeout(timer);
  }

  #flush(): void {
    const commands = this.#commands;
    this.#commands = [];
    this.#worker?.postMessage(commands);
  }

  #start(): Worker {
    const { connections, entry = ENTRY, messageCpuMs: limitMs = MESSAGE_CPU_MS } = this.#options;
    const mark = new MakingMark();
    const worker = new Worker(entry, {
      workerData: { connections, mark: mark.buffer } satisfies ThreadData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    let cause: Error | null = null;
    /** What the thread was ended for: until it has ended, it may begin with another message. */
    let endedFor: Making | null = null;
    worker.on("message", (report: Report) => this.#events.onReport(report));
    worker.on("error", (error: Error) => {
      cause = error;
    });
    watch(worker, {
      limitMs,
      task: () => mark.task,
      end: ({ making }) => {
        cause = new Error(`making it used more than ${limitMs / 1000} seconds of processor time`);
        endedFor = making;
        void worker.terminate();
      },
    });
    worker.once("exit", (code) => {
      this.#hasEnded = true;
      const error = cause ?? new Error(`the thread ended with code ${code}`);
      if (!this.#isEnding) this.#events.onDied(error, endedFor ?? mark.task?.making ?? null);
      this.#onExit();
    });
    return worker;
  }
}
