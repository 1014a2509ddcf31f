/** What is done now and then while the service runs. A failure is said, and tried again the next time. */
import type { Clock, Store } from "./domain/ports.ts";
import type { Log } from "./log.ts";
import type { KeyRing } from "./operations/key-ring.ts";

const FORGET_MS = 3_600_000;
const NOTE_USES_MS = 5000;

export interface House {
  readonly store: Store;
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly log: Log;
}
export interface Housekeeping {
  /** Before the store is closed; what is to be noted still is. */
  stop(): Promise<void>;
}

/** Resolves when old refused calls have been forgotten for the first time. */
export async function keepHouse({ store, keys, clock, log }: House): Promise<Housekeeping> {
  const forget = () =>
    store
      .write("forgetRefusals", { now: clock() })
      .catch((error) => log.warn("old refused calls were not forgotten", {}, error));
  const note = () =>
    keys.noteUses().catch((error) => log.warn("last use of keys was not written", {}, error));
  await forget();
  const timers = [setInterval(() => void forget(), FORGET_MS), setInterval(() => void note(), NOTE_USES_MS)];
  return {
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await note();
    },
  };
}
