/** What is done now and then while the service runs. A failure is said, and tried again the next time. */
import type { Authenticator } from "./auth/authenticator.ts";
import type { Clock, Store } from "./domain/ports.ts";
import type { Log } from "./log.ts";

const FORGET_MS = 3_600_000;
const NOTE_USES_MS = 5000;
const SWEEP_MS = 1000;

export interface House {
  readonly store: Store;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly log: Log;
}
export interface Housekeeping {
  /** Before the store is closed; what is to be noted still is. */
  stop(): Promise<void>;
}

/** Resolves when old refused calls have been forgotten for the first time. */
export async function keepHouse({ store, authenticator, clock, log }: House): Promise<Housekeeping> {
  const forget = () =>
    store
      .write("forgetRefusals", { now: clock() })
      .catch((error) => log.warn("old refused calls were not forgotten", {}, error));
  const note = () =>
    authenticator.usage.flush().catch((error) => log.warn("last use of keys was not written", {}, error));
  await forget();
  const timers = [
    setInterval(() => void forget(), FORGET_MS),
    setInterval(() => void note(), NOTE_USES_MS),
    setInterval(() => authenticator.sweep(), SWEEP_MS),
  ];
  return {
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await note();
    },
  };
}
