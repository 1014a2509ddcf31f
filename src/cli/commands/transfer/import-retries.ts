/** Retries of an import: each pause is reported in a line, and an interruption ends them. */
import { Retries } from "#transfer/import/retrying-store.ts";
import type { Output } from "../../kit/command.ts";

export interface ImportRetries {
  readonly retries: Retries;
  readonly onInterrupt: () => void;
}

export function importRetries(out: Output): ImportRetries {
  const interruption = new AbortController();
  const retries = new Retries({
    signal: interruption.signal,
    onPause: ({ error, ms, attempt, attempts }) => {
      out.progress(null);
      out.note(`${error.message}; retrying in ${ms / 1000} s (attempt ${attempt} of ${attempts})`);
    },
  });
  return { retries, onInterrupt: () => interruption.abort() };
}
