/** The client side of a thread: requests in, promises out. The next request restarts a thread that died. */
import { Worker } from "node:worker_threads";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { OPENED, type Reply, received } from "./thread-protocol.ts";

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** What a thread is started with, and how it is asked. */
export interface StartedThread {
  on(event: "message", listener: (reply: Reply) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "exit", listener: () => void): unknown;
  once(event: "exit", listener: () => void): unknown;
  postMessage(question: unknown): void;
}
export type StartThread = (entry: URL, data: unknown) => StartedThread;
const startWorker: StartThread = (entry, workerData) => new Worker(entry, { workerData });

/** `Opened` is what the thread reports when its database is open. */
export class Thread<Opened> {
  readonly #entry: URL;
  readonly #data: unknown;
  readonly #startThread: StartThread;
  #worker: StartedThread | null = null;
  #pending = new Map<number, Pending>();
  #lastId = OPENED;

  constructor(entry: URL, data: unknown, startThread = startWorker) {
    this.#entry = entry;
    this.#data = data;
    this.#startThread = startThread;
  }

  /**
   * Resolves when the database is open. Rejects when the thread has ended: until then it holds its
   * connection, and so may hold locks of the file.
   */
  open(): Promise<Opened> {
    return new Promise((resolve, reject) => {
      const worker = this.#start({
        resolve: (opened) => resolve(opened as Opened),
        reject: (error) => {
          if (this.#worker === null) reject(error);
          else worker.once("exit", () => reject(error));
        },
      });
    });
  }

  ask(call: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const worker = this.#worker ?? this.#start({ resolve: () => {}, reject: () => {} });
      this.#lastId += 1;
      this.#pending.set(this.#lastId, { resolve, reject });
      worker.postMessage({ id: this.#lastId, call });
    });
  }

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  async close(): Promise<void> {
    if (this.#worker !== null) await this.ask(null);
  }

  #start(opened: Pending): StartedThread {
    const worker = this.#startThread(this.#entry, this.#data);
    this.#worker = worker;
    this.#pending.set(OPENED, opened);
    worker.on("message", (reply: Reply) => {
      const pending = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if ("error" in reply) pending?.reject(received(reply.error));
      else pending?.resolve(reply.value);
    });
    let cause: Error | null = null;
    worker.on("error", (error: Error) => {
      cause = error;
    });
    worker.on("exit", () => this.#ended(worker, cause));
    return worker;
  }

  #ended(worker: StartedThread, cause: Error | null): void {
    if (this.#worker === worker) this.#worker = null;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    const error = new StoreUnavailable(`the database thread ended: ${cause?.message ?? "no reason given"}`, {
      cause,
    });
    for (const { reject } of pending) reject(error);
  }
}
