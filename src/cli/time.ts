/** Times as people write them: a date or a dateTime, UTC where no offset is given. */
import { dateTime, LexicalError } from "../contract/xsd.ts";
import { UsageError } from "./command.ts";

const END_OF_DAY_MS = 86_400_000 - 1;
/** An offset may lead out of the years that a dateTime can be written in. */
const [FIRST_MS, LAST_MS] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];
const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text);

/** Milliseconds since 1970, or null. A blank may stand for the T, and the seconds may be left out. */
export function readTime(given: string): number | null {
  const text = given
    .trim()
    .replace(/^(\d{4}-\d\d-\d\d) /, "$1T")
    .replace(/(T\d\d:\d\d)(?=$|Z|[+-])/, "$1:00");
  try {
    const { epochMs } = dateTime.read(text);
    return epochMs >= FIRST_MS && epochMs <= LAST_MS ? epochMs : null;
  } catch (error) {
    if (error instanceof LexicalError) return null;
    throw error;
  }
}

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
