/** Calendar dates without a time: `yyyy-mm-dd`, compared as text. */

const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** `yyyy-mm-dd`, or a dateTime of which the date as written counts; null where there is no such day. */
export function parseDate(text: string): string | null {
  const match = DATE.exec(text.trim());
  if (match === null) return null;
  const [, year, month, day] = match;
  const date = `${year}-${month}-${day}`;
  const moment = new Date(`${date}T00:00:00Z`);
  return Number(year) > 0 && !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(date)
    ? date
    : null;
}

export const dateOf = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 10);
