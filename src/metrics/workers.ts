/**
 * Metrics of several processes as one: the primary requests a snapshot from every worker and merges them. A
 * worker that is scraped requests the merged text from the primary. The last counters of a worker are
 * retained after it has exited.
 */
import cluster, { type Worker } from "node:cluster";
import type { Registry, Snapshot } from "./registry.ts";

/** For a worker that takes longer to answer, its last snapshot is used. */
const TIMEOUT_MS = 3000;

/** Messages between the processes; others share the channel and are ignored. */
type Message =
  | { readonly metrics: "snapshot-request"; readonly id: number }
  | { readonly metrics: "snapshot"; readonly id: number; readonly snapshot: Snapshot }
  | { readonly metrics: "text-request"; readonly id: number }
  | { readonly metrics: "text"; readonly id: number; readonly text: string };
const isOurs = (message: unknown): message is Message =>
  typeof message === "object" && message !== null && "metrics" in message;

/** In the primary. */
export class WorkersMetrics {
  readonly #registry: Registry;
  /** Workers that are serving; a worker that is still starting would not answer. */
  readonly #serving = new Map<number, Worker>();
  readonly #last = new Map<number, Snapshot>();
  readonly #waiting = new Map<number, Set<number>>();
  readonly #done = new Map<number, () => void>();
  #exited: Snapshot | null = null;
  #lastId = 0;

  constructor(registry: Registry) {
    this.#registry = registry;
    cluster.on("message", (worker, message: unknown) => {
      if (!isOurs(message)) return;
      if (message.metrics === "snapshot") {
        this.#last.set(worker.id, message.snapshot);
        this.#answered(message.id, worker.id);
      } else if (message.metrics === "text-request") void this.#sendText(worker, message.id);
    });
    cluster.on("listening", (worker) => this.#serving.set(worker.id, worker));
    cluster.on("exit", (worker) => {
      this.#serving.delete(worker.id);
      const last = this.#last.get(worker.id);
      this.#last.delete(worker.id);
      if (last !== undefined) {
        const left = registry.retained(last);
        this.#exited = this.#exited === null ? left : registry.merge([this.#exited, left]);
      }
      for (const id of [...this.#waiting.keys()]) this.#answered(id, worker.id);
    });
  }

  async text(): Promise<string> {
    await this.#requestSnapshots();
    const ended = this.#exited === null ? [] : [this.#exited];
    return this.#registry.text(this.#registry.merge([...this.#last.values(), ...ended]));
  }

  /** Resolves when all workers have answered or exited, or at the timeout. */
  #requestSnapshots(): Promise<void> {
    const workers = [...this.#serving.values()].filter((worker) => worker.isConnected());
    if (workers.length === 0) return Promise.resolve();
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        this.#done.delete(id);
        resolve();
      };
      const timer = setTimeout(done, TIMEOUT_MS);
      this.#waiting.set(id, new Set(workers.map((worker) => worker.id)));
      this.#done.set(id, done);
      for (const worker of workers) send(worker, { metrics: "snapshot-request", id });
    });
  }

  #answered(id: number, worker: number): void {
    const waiting = this.#waiting.get(id);
    waiting?.delete(worker);
    if (waiting?.size === 0) this.#done.get(id)?.();
  }

  async #sendText(worker: Worker, id: number): Promise<void> {
    send(worker, { metrics: "text", id, text: await this.text() });
  }
}

/** A worker that has exited meanwhile is handled by its exit event. */
function send(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
/** When the primary exits, its workers do too, so a failed send needs no handling. */
function sendToPrimary(message: Message): void {
  process.send?.(message, undefined, undefined, () => {});
}

export interface MetricsCollector {
  /** The merged metrics of all processes. */
  text(): Promise<string>;
  /** Stops answering the primary. */
  stop(): void;
}

/** In a worker: answers the primary's snapshot requests, and requests the merged text from it. */
export function answerPrimary(registry: Registry, onFailure: (error: unknown) => void): MetricsCollector {
  const waiting = new Map<number, (text: string) => void>();
  let lastId = 0;
  const sendSnapshot = async (id: number): Promise<void> => {
    try {
      sendToPrimary({ metrics: "snapshot", id, snapshot: await registry.snapshot() });
    } catch (error) {
      onFailure(error);
    }
  };
  const onMessage = (message: unknown): void => {
    if (!isOurs(message)) return;
    if (message.metrics === "snapshot-request") void sendSnapshot(message.id);
    else if (message.metrics === "text") {
      waiting.get(message.id)?.(message.text);
      waiting.delete(message.id);
    }
  };
  process.on("message", onMessage);
  return {
    text: () => {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        sendToPrimary({ metrics: "text-request", id });
      });
    },
    stop: () => void process.off("message", onMessage),
  };
}
