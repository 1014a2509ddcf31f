/** The thread that signs: one text after the other. Other threads go first. */
import type { KeyObject } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { lowerPriority } from "#threads/low-priority.ts";
import { signNow } from "../mime/dkim.ts";

export interface ToSign {
  readonly id: number;
  readonly data: string;
  readonly key: KeyObject;
}
export type Signed =
  | { readonly id: number; readonly signature: string }
  | { readonly id: number; readonly problem: string };

const port = parentPort;
if (port === null) throw new Error("this module must run in a worker thread");
lowerPriority();
const signed = ({ id, data, key }: ToSign): Signed => {
  try {
    return { id, signature: signNow(data, key) };
  } catch (error) {
    return { id, problem: error instanceof Error ? error.message : String(error) };
  }
};
port.on("message", (toSign: ToSign) => port.postMessage(signed(toSign)));
