/**
 * The rules of a delivery: who may still get a message, what the result of an attempt makes of a recipient,
 * and how much a sender may hand over. Does not know how a message is sent, nor how a ledger is stored.
 */
import type { DeliveryResult } from "../ports/sending/ledger.ts";
import { type Suppressions, stateOf } from "../subscriber/subscriber.ts";
import {
  DEFERRED_HOURS,
  DEFERRED_MS,
  deferralDelay,
  type RecipientState,
  type SkipReason,
  skipNumber,
} from "./recipient.ts";
import type { SenderLimits } from "./sender.ts";

/** What is known about a recipient just before the message is sent; null: the subscriber was erased. */
export interface RecipientNow {
  readonly suppressions: Suppressions;
  /** A pattern of the block list covers the address; the block may not be applied yet. */
  readonly isListed: boolean;
  readonly isIncluded: boolean;
  readonly isExcluded: boolean;
  readonly matchesFilter: boolean;
}

/** Why a recipient who was selected must not get the message any more; null: they may. */
export function skipReasonOf(person: RecipientNow | null): SkipReason | null {
  if (person === null) return "erased";
  if (person.isListed) return "blocked";
  const state = stateOf(person.suppressions);
  if (state !== "active") return state;
  if (!person.isIncluded) return "left the lists";
  if (person.isExcluded) return "on an excluded list";
  return person.matchesFilter ? null : "does not match the filter";
}

/**
 * Earlier attempts: how many were deferred, and when the first one that reached the relay did not succeed;
 * 0: there was none.
 */
export interface Attempts {
  readonly attempts: number;
  readonly since: number;
}
export const noAttempts: Attempts = { attempts: 0, since: 0 };

/** What becomes of a recipient. */
export interface Settlement {
  readonly state: RecipientState;
  readonly code: number | null;
  /** null: nothing to be stored. */
  readonly reply: string | null;
  /** When to try again; null: never. */
  readonly retry: (Attempts & { readonly dueAt: number }) | null;
  readonly isHardBounce: boolean;
}

const REPLY_LENGTH = 500;
/**
 * A relay may say anything. PostgreSQL has no NUL character in text, and neither database half a surrogate
 * pair.
 */
export const storedReply = (text: string): string =>
  text.replaceAll("\0", "").slice(0, REPLY_LENGTH).toWellFormed();

const ends = (state: RecipientState, code: number | null, reply: string | null): Settlement => ({
  state,
  code,
  reply: reply === null ? null : storedReply(reply),
  retry: null,
  isHardBounce: false,
});

const TOO_LATE = `given up after ${DEFERRED_HOURS} hours`;
/** The reply of a recipient that failed because no attempt had a result. */
export const isGivenUp = (reply: string | null): boolean => reply?.startsWith(TOO_LATE) === true;

export function settle(result: DeliveryResult, before: Attempts, now: number): Settlement {
  const since = before.since === 0 ? now : before.since;
  const isTooLate = now - since >= DEFERRED_MS;
  switch (result.state) {
    case "sent":
      return ends("sent", result.code, null);
    case "failed":
      return { ...ends("failed", result.code, result.reply), isHardBounce: result.isHardBounce };
    case "unknown":
      return ends("unknown", null, result.reply);
    case "skipped":
      return ends("skipped", skipNumber(result.reason), result.reply);
    case "deferred": {
      if (isTooLate) return ends("failed", result.code, `${TOO_LATE}: ${result.reply}`);
      const attempts = before.attempts + 1;
      const retry = { attempts, since, dueAt: now + deferralDelay(attempts) };
      return { ...ends("deferred", result.code, result.reply), retry };
    }
    case "queued": {
      const { isAttempt, afterMs } = result;
      if (isAttempt && isTooLate)
        return ends("failed", null, `${TOO_LATE}: the relay has neither accepted nor refused the message`);
      const { attempts } = before;
      const retry = { attempts, since: isAttempt ? since : before.since, dueAt: now + afterMs };
      return { ...ends("queued", null, null), retry };
    }
  }
}

/** A period in which a limit counts; the number of the period is `now / ms`. */
export interface CountedPeriod {
  /** `day`, `test messages`, or the domain of the recipients. */
  readonly scope: string;
  readonly period: number;
  readonly limit: number;
  readonly endsAt: number;
}
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** The day, in UTC, for which the daily limit counts. */
export const dayOf = (now: number) => {
  const period = Math.floor(now / DAY_MS);
  return { scope: "day", period, endsAt: (period + 1) * DAY_MS };
};
/** The minute for which the limit for each domain counts. */
export const domainMinuteOf = (now: number) => {
  const period = Math.floor(now / MINUTE_MS);
  return { period, endsAt: (period + 1) * MINUTE_MS };
};
const periodOf = (scope: string, now: number, ms: number, limit: number | null): readonly CountedPeriod[] => {
  if (limit === null) return [];
  const period = Math.floor(now / ms);
  return [{ scope, period, limit, endsAt: (period + 1) * ms }];
};
/**
 * In which periods a message to a domain counts. In a day always: a limit that is set later holds for it. The
 * limit by second is kept by permits, see `pace.ts`.
 */
export const periodsOf = (limits: SenderLimits, domain: string, now: number): readonly CountedPeriod[] => [
  { ...dayOf(now), limit: limits.perDay ?? Number.POSITIVE_INFINITY },
  ...periodOf(domain, now, MINUTE_MS, limits.perDomainMinute),
];
/**
 * Whether a limit that is reached until then holds for one domain only. A day is over later than a minute; in
 * the last minute of a day it makes no difference, as both end then.
 */
export const isDomainLimit = (until: number, now: number): boolean => until - now <= MINUTE_MS;
/** Of one sender, for all users together: who may only edit must not be able to mail strangers at will. */
export const MAX_TESTS_PER_HOUR = 50;
/** Not the name of a domain. */
export const TEST_SCOPE = "test messages";
/** The hour, in UTC, in which test messages are counted. */
export const testHourOf = (now: number) => {
  const period = Math.floor(now / HOUR_MS);
  return { scope: TEST_SCOPE, period, endsAt: (period + 1) * HOUR_MS };
};
/** The first periods in which nothing is counted any more. A clock may be a little wrong. */
export const oldPeriods = (now: number) => ({
  /** Counted by earlier versions. */
  second: Math.floor(now / 1000) - 60,
  day: Math.floor(now / DAY_MS) - 1,
  testHour: testHourOf(now).period - 1,
  domain: Math.floor(now / MINUTE_MS) - 2,
});
