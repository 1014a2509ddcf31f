/** Times in requests and replies: ISO 8601 with an offset in requests, always UTC in replies. */
import { parseDate } from "#domain/calendar.ts";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
/** An offset may lead to a year that has not four digits. */
const [FIRST_MS, LAST_MS] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];

/** Whether a text of a request is a time; of a day that exists. */
export function isTime(text: string): boolean {
  if (!TIME.test(text) || parseDate(text) === null) return false;
  const at = readTime(text);
  return at >= FIRST_MS && at <= LAST_MS;
}

/** Milliseconds since 1970, of a text that has been validated. */
export const readTime = (text: string): number => Date.parse(text);

export const readTimeOrNull = (text: string | null): number | null => (text === null ? null : readTime(text));

export const time = (at: number): string => new Date(at).toISOString();
export const timeOrNull = (at: number | null): string | null => (at === null ? null : time(at));
