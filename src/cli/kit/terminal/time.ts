/** Times as command-line arguments: a date or a dateTime, in UTC if it has no offset. */
import { readTime } from "../../../transfer/values/time.ts";
import { UsageError } from "../command.ts";

const END_OF_DAY_MS = 86_400_000 - 1;
const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text);

export function parseTime(text: string, what: string): number {
  const time = readTime(text);
  if (time !== null) return time;
  throw new UsageError(
    `${what} must be a date or a time such as 2026-11-01 or 2026-11-01T10:00:00Z; '${text}' is neither`,
  );
}

/** As parseTime, but a date alone is the end of that day. */
export const parseEnd = (text: string, what: string): number =>
  parseTime(text, what) + (isDate(text.trim()) ? END_OF_DAY_MS : 0);
