/**
 * Which of several relays takes the next message: in turn, by their weights. A relay that fails is left out
 * while another one works, and is tried again after a growing time.
 */
import { relayDelay } from "#domain/sending/mailing.ts";

export interface RelayStanding {
  readonly weight: number;
  /** The relay with the highest credit is next. */
  credit: number;
  /** In a row. */
  failures: number;
  failsUntil: number;
}
export const newStanding = (weight: number): RelayStanding => ({
  weight,
  credit: 0,
  failures: 0,
  failsUntil: 0,
});

/** `now`: monotonic. Of relays that all fail, the one that can be tried first. null: there are none. */
export function chooseRelay<Standing extends RelayStanding>(
  relays: readonly Standing[],
  now: number,
): Standing | null {
  const working = relays.filter(({ failsUntil }) => failsUntil <= now);
  if (working.length === 0)
    return relays.reduce<Standing | null>(
      (first, relay) => (first === null || relay.failsUntil < first.failsUntil ? relay : first),
      null,
    );
  // Smooth weighted round-robin: each relay earns its weight, and the chosen one pays the sum.
  let chosen: Standing | null = null;
  let total = 0;
  for (const relay of working) {
    relay.credit += relay.weight;
    total += relay.weight;
    if (chosen === null || relay.credit > chosen.credit) chosen = relay;
  }
  if (chosen !== null) chosen.credit -= total;
  return chosen;
}

export function noteFailure(relay: RelayStanding, now: number): void {
  // The messages that were on their way when the relay failed are one failure.
  if (relay.failsUntil > now) return;
  relay.failures += 1;
  relay.failsUntil = now + relayDelay(relay.failures);
}
export function noteSuccess(relay: RelayStanding): void {
  relay.failures = 0;
  relay.failsUntil = 0;
}
