/**
 * The delivery thread as the runner sees it. Commands that are given in one go are posted as one message. A
 * thread that has died is reported once; the runner starts another.
 */
import { Worker } from "node:worker_threads";
import type { Command, Report } from "./protocol.ts";

export interface ThreadEvents {
  onReport(report: Report): void;
  /** It ended by itself. */
  onDied(error: Error): void;
}
export interface ThreadOptions {
  /** To each relay. */
  readonly connections: number;
}

export class DeliveryThread {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  #commands: Command[] = [];
  #hasEnded = false;
  #isEnding = false;

  constructor(options: ThreadOptions, { onReport, onDied }: ThreadEvents) {
    this.#worker = new Worker(new URL("./thread-entry.ts", import.meta.url), { workerData: options });
    this.#worker.on("message", onReport);
    let cause: Error | null = null;
    this.#worker.on("error", (error: Error) => {
      cause = error;
    });
    this.#exited = new Promise((resolve) => {
      this.#worker.once("exit", (code) => {
        this.#hasEnded = true;
        if (!this.#isEnding) onDied(cause ?? new Error(`the delivery thread ended with code ${code}`));
        resolve();
      });
    });
  }

  tell(...commands: readonly Command[]): void {
    if (this.#hasEnded) return;
    if (this.#commands.length === 0) queueMicrotask(() => this.#post());
    this.#commands.push(...commands);
  }

  #post(): void {
    const commands = this.#commands;
    this.#commands = [];
    this.#worker.postMessage(commands);
  }

  /** None of its messages may be in flight. Ends the thread by force if it does not end within `ms`. */
  async end(ms: number): Promise<void> {
    if (this.#hasEnded) return;
    this.#isEnding = true;
    this.tell({ do: "end" });
    const timer = setTimeout(() => void this.#worker.terminate(), ms);
    await this.#exited;
    clearTimeout(timer);
  }
}
