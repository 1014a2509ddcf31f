/** The thread that signs: one text after the other. Other threads go first. */
import { parentPort } from "node:worker_threads";
import { lowerPriority } from "../../threads/low-priority.ts";
import { signNow } from "../compose/dkim.ts";
import type { Signed, ToSign } from "./signing-thread.ts";

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
