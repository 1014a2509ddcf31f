/** A pause that a signal ends early. */
import { setTimeout } from "node:timers/promises";

export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export const sleep: Sleep = async (ms, signal) => {
  // Rejects if the signal ended the pause, which is not an error.
  await setTimeout(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {});
};
