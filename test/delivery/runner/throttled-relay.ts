/**
 * A relay that accepts so many messages a second (a token bucket, as Amazon SES has one) and refuses the
 * others with its words. It notes every attempt.
 */
import { type FaultyRelay, startFaultyRelay } from "../smtp/faulty-relay.ts";

export const TOO_FAST = "454 Throttling failure: Maximum sending rate exceeded.";

export interface Attempt {
  /** Monotonic. */
  readonly at: number;
  readonly to: string;
  readonly isAccepted: boolean;
}
export interface ThrottledRelay extends FaultyRelay {
  readonly attempts: readonly Attempt[];
  /** From now on. What was saved up is lost. */
  setRate(perSecond: number): void;
}

export async function startThrottledRelay(perSecond: number): Promise<ThrottledRelay> {
  const attempts: Attempt[] = [];
  let [rate, tokens, last] = [perSecond, perSecond, performance.now()];
  const relay = await startFaultyRelay({
    at: (step, { recipient }) => {
      if (step !== "dot") return undefined;
      const now = performance.now();
      tokens = Math.min(rate, tokens + ((now - last) / 1000) * rate);
      last = now;
      const isAccepted = tokens >= 1;
      if (isAccepted) tokens -= 1;
      attempts.push({ at: now, to: recipient, isAccepted });
      return isAccepted ? undefined : TOO_FAST;
    },
  });
  return Object.assign(relay, {
    attempts,
    setRate: (next: number) => {
      [rate, tokens] = [next, Math.min(tokens, next)];
    },
  });
}

/** Of the attempts from one time to another: how many a second were accepted, and which part was refused. */
export function shares(attempts: readonly Attempt[], from: number, to: number) {
  const some = attempts.filter(({ at }) => at >= from && at < to);
  const accepted = some.filter(({ isAccepted }) => isAccepted).length;
  return {
    perSecond: accepted / ((to - from) / 1000),
    refused: some.length === 0 ? 0 : 1 - accepted / some.length,
    count: some.length,
  };
}
