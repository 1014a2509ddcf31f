/** The store as an import uses it: it retries while the database does not answer, says so, and stops when interrupted. */
import type { Store } from "../domain/ports.ts";
import { RetryingStore } from "../transfer/retrying-store.ts";
import type { Output } from "./command.ts";

export interface InterruptibleStore {
  readonly retrying: RetryingStore;
  readonly onInterrupt: () => void;
}

export function importStore(store: Store, out: Output): InterruptibleStore {
  const interruption = new AbortController();
  const retrying = new RetryingStore(store, {
    signal: interruption.signal,
    onPause: ({ error, ms, attempt, attempts }) => {
      out.progress(null);
      out.note(`${error.message}; trying again in ${ms / 1000} s (attempt ${attempt} of ${attempts})`);
    },
  });
  return { retrying, onInterrupt: () => interruption.abort() };
}
