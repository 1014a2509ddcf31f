/**
 * The pace of a relay: how many messages a second it accepts. Nobody knows it before the relay refuses
 * messages because they come too fast; then it is what the relay has accepted, and rises again in small
 * steps. A process may begin a message when it has a permit for it. Permits are given for consecutive times,
 * whichever process asks, so all processes together keep the pace, and messages are spaced. The limit of a
 * sender by second is kept in the same way, and does not change by itself.
 */

import type { SenderId } from "./sender.ts";

/** A relay that has refused messages because they came too fast. */
export interface Pace {
  /** Messages a second, when the relay last refused one. */
  readonly perSecond: number;
  /** The relay has refused messages twice: the pace was measured in between, and is not a first guess. */
  readonly isMeasured: boolean;
  readonly refusedAt: number;
  /** Messages that the relay has accepted since then. */
  readonly accepted: number;
  /** The time that the permits since then cover. It is less than has passed if not all were wanted. */
  readonly usedMs: number;
  /** When the next permit may be used. */
  readonly nextAt: number;
}

/** Times at which a process may begin a message: the first, and how many follow at which distance. */
export interface Permits {
  readonly from: number;
  readonly everyMs: number;
  readonly count: number;
}

/** After a refusal nothing is begun for so long. What is refused until then is the same refusal. */
export const REFUSED_MS = 1000;
/**
 * Permits are given for so long in advance: what another process has got is not taken back. For longer if
 * answers of the database take long.
 */
export const AHEAD_MS = 250;
export const MAX_AHEAD_MS = 5000;
const LONGEST_AHEAD_MS = 60_000;
const MAX_PROCESSES = 300;
/** A pace that nobody has used for so long is forgotten. */
export const PACE_KEPT_MS = 24 * 3_600_000;
/** A relay that refuses even that accepts nothing. */
const MIN_PER_SECOND = 0.1;
const MAX_PER_SECOND = 100_000;
/** A little below what was measured, so that the relay does not refuse the next message already. */
const BELOW = 0.97;
const LIMIT_USED = 0.95;

/** A relay that counts by the minute accepts nothing for a while, and its pace is not nothing. */
const LARGEST_CUT = 5;

const within = (perSecond: number): number => Math.min(Math.max(perSecond, MIN_PER_SECOND), MAX_PER_SECOND);

/**
 * Messages a second that are tried now. It rises while all permits are used: after a first guess quickly, so
 * that the relay soon shows what it accepts; then by little at first, and by more when it was not refused for
 * a minute.
 */
export function triedPerSecond({ perSecond, isMeasured, usedMs }: Pace): number {
  const seconds = Math.max(usedMs - REFUSED_MS, 0) / 1000;
  if (!isMeasured) return within(perSecond * 2 ** (seconds / 2));
  return within(perSecond * (1 + 0.004 * seconds) + Math.max(perSecond, 1) * (seconds / 60) ** 2);
}

/** Permits for the messages that may begin soon; at least one. */
function permitsAt(perSecond: number, nextAt: number, aheadMs: number, now: number): Permits {
  const everyMs = 1000 / perSecond;
  // A clock that was wrong may have stored any time. Hundreds of processes may have a permit each.
  const isFar = nextAt > now + Math.max(LONGEST_AHEAD_MS, MAX_PROCESSES * everyMs);
  const from = nextAt < now || isFar ? now : nextAt;
  return { from, everyMs, count: Math.max(1, Math.floor(aheadMs / everyMs)) };
}

export function takePermits(
  pace: Pace,
  aheadMs: number,
  now: number,
): { readonly pace: Pace; readonly permits: Permits } {
  const permits = permitsAt(triedPerSecond(pace), pace.nextAt, Math.min(aheadMs, MAX_AHEAD_MS), now);
  const coveredMs = permits.everyMs * permits.count;
  const nextAt = permits.from + coveredMs;
  return { pace: { ...pace, usedMs: pace.usedMs + coveredMs, nextAt }, permits };
}

/** What was accepted between two refusals is what the relay accepts. */
function measured(pace: Pace, now: number): number {
  const tried = triedPerSecond(pace);
  // Permits that were given in advance are not used.
  const usedMs = pace.usedMs - Math.max(pace.nextAt - now, 0);
  const accepted = (pace.accepted * 1000) / Math.max(usedMs, REFUSED_MS);
  return Math.min(Math.max(accepted, tried / LARGEST_CUT), tried);
}

/** The relay has refused a message. `acceptedLately`: in the last second, by the process that noticed it. */
export function slowed(pace: Pace | null, acceptedLately: number, now: number): Pace {
  const since = pace === null ? Number.POSITIVE_INFINITY : now - pace.refusedAt;
  if (pace !== null && since >= 0 && since < REFUSED_MS) return pace;
  return {
    // Replies to what was accepted may come later than the first refusal.
    perSecond: within(BELOW * (pace === null ? Math.max(acceptedLately, 1) : measured(pace, now))),
    isMeasured: pace !== null,
    refusedAt: now,
    accepted: 0,
    usedMs: REFUSED_MS,
    nextAt: now + REFUSED_MS,
  };
}

export const paceKeyOfSender = (sender: SenderId): string => `sender ${sender}`;
/**
 * The limit of a sender: what is kept of it is when the next permit may be used. A little less, because a
 * message may begin later than its permit, and the next one in time.
 */
export const limitAsPace = (perSecond: number, before: Pace | null): Pace => ({
  perSecond: LIMIT_USED * perSecond,
  isMeasured: true,
  refusedAt: 0,
  accepted: 0,
  usedMs: 0,
  nextAt: before?.nextAt ?? 0,
});

/** After a refusal: then the campaign waits for the relay. */
export const acceptsNothing = ({ perSecond, isMeasured }: Pace): boolean =>
  isMeasured && perSecond <= MIN_PER_SECOND;
