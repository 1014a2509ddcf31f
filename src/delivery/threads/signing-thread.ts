/**
 * Signs in a thread of its own, next to the one that sends: an RSA signature takes longer than all the rest
 * of a message. The thread starts with the first signature. If it dies, so does the thread that uses it.
 */
import type { KeyObject } from "node:crypto";
import { Worker } from "node:worker_threads";
import type { Sign } from "../compose/dkim.ts";

export interface ToSign {
  readonly id: number;
  readonly data: string;
  readonly key: KeyObject;
}
export type Signed =
  | { readonly id: number; readonly signature: string }
  | { readonly id: number; readonly problem: string };

const ENTRY = new URL("./signing-thread-entry.ts", import.meta.url);

export class SigningThread {
  readonly #waiting = new Map<number, PromiseWithResolvers<string>>();
  #worker: Worker | null = null;
  #lastId = 0;

  readonly sign: Sign = (data, key) => {
    this.#worker ??= this.#start();
    this.#lastId += 1;
    const id = this.#lastId;
    const waiting = Promise.withResolvers<string>();
    this.#waiting.set(id, waiting);
    this.#worker.postMessage({ id, data, key } satisfies ToSign);
    return waiting.promise;
  };

  #start(): Worker {
    const worker = new Worker(ENTRY);
    worker.on("message", (signed: Signed) => {
      const waiting = this.#waiting.get(signed.id);
      this.#waiting.delete(signed.id);
      if ("signature" in signed) waiting?.resolve(signed.signature);
      else waiting?.reject(new Error(signed.problem));
    });
    // Nobody waits for a signature when everything else has ended.
    worker.unref();
    return worker;
  }
}
