/**
 * Times as command-line arguments: a date, in UTC, or a dateTime with its time zone. A time of day without a
 * zone is refused, as by the API: who writes 10:00 seldom means UTC.
 */
import { readTime } from "#transfer/values/time.ts";
import { UsageError } from "../command.ts";

const END_OF_DAY_MS = 86_400_000 - 1;
/** A dateTime may leave out its time, but not here: a day has no zone. */
const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d(?:Z|[+-]\d\d:\d\d)?$/.test(text);
const hasZone = (text: string): boolean => /\d(?:Z|[+-]\d\d:\d\d)$/.test(text);

const WITH_ZONE = "2026-11-01T10:00:00Z or 2026-11-01T10:00:00+01:00";

function read(given: string, what: string, mayBeDate: boolean): number {
  const text = given.trim();
  const time = readTime(text);
  if (time === null)
    throw new UsageError(
      mayBeDate
        ? `${what} must be a date or a time such as 2026-11-01 or 2026-11-01T10:00:00Z; '${given}' is neither`
        : `${what} must be a time such as ${WITH_ZONE}; '${given}' is not`,
    );
  if (isDate(text) && !mayBeDate)
    throw new UsageError(`${what} needs a time and its zone, such as ${WITH_ZONE}; '${given}' is a date`);
  if (!isDate(text) && !hasZone(text))
    throw new UsageError(`${what} needs a time zone, such as ${WITH_ZONE}; '${given}' has none`);
  return time;
}

export const parseTime = (text: string, what: string): number => read(text, what, true);
/** As parseTime, but not a date: something happens at this moment. */
export const parseMoment = (text: string, what: string): number => read(text, what, false);

/** As parseTime, but a date alone is the end of that day. */
export const parseEnd = (text: string, what: string): number =>
  parseTime(text, what) + (isDate(text.trim()) ? END_OF_DAY_MS : 0);
