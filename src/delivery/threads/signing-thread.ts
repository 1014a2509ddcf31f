/**
 * Signs in a thread of its own, next to the one that sends: an RSA signature takes longer than all the rest
 * of a message. The thread starts with the first signature. If it cannot start, or dies, so does the thread
 * that uses it: its recipients stay queued.
 */
import { Worker } from "node:worker_threads";
import type { Sign } from "../compose/dkim.ts";
import type { Signed, ToSign } from "./signing-thread-entry.ts";

const ENTRY = new URL("./signing-thread-entry.ts", import.meta.url);

export class SigningThread {
  readonly #waiting = new Map<number, PromiseWithResolvers<string>>();
  readonly #entry: URL;
  #worker: Worker | null = null;
  #lastId = 0;

  /** `entry`: the module that runs in the thread. */
  constructor(entry = ENTRY) {
    this.#entry = entry;
  }

  readonly sign: Sign = (data, key) => {
    try {
      this.#worker ??= this.#start();
    } catch (error) {
      return endThisThread(error);
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const waiting = Promise.withResolvers<string>();
    this.#waiting.set(id, waiting);
    this.#worker.postMessage({ id, data, key } satisfies ToSign);
    return waiting.promise;
  };

  #start(): Worker {
    const worker = new Worker(this.#entry);
    worker.on("message", (signed: Signed) => {
      const waiting = this.#waiting.get(signed.id);
      this.#waiting.delete(signed.id);
      if ("signature" in signed) waiting?.resolve(signed.signature);
      else waiting?.reject(new Error(signed.problem));
    });
    worker.once(
      "exit",
      (code) => void endThisThread(new Error(`the signing thread ended with code ${code}`)),
    );
    // Nobody waits for a signature when everything else has ended.
    worker.unref();
    return worker;
  }
}

function endThisThread(error: unknown): Promise<never> {
  queueMicrotask(() => {
    throw error;
  });
  return new Promise(() => {});
}
