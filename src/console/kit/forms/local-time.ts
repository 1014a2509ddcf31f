/** Times in the fields of a form: as a clock in the user's time zone shows them, to the minute. */

const WRITTEN = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?)?$/;

/** What the clock shows, as if it were in UTC. */
function shownAt(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" },
  }).formatToParts(at);
  const of = (type: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"));
}

/** Such as 2026-11-01T09:30, the value of a field of the type `datetime-local`. */
export const localTime = (at: number, timeZone: string): string =>
  new Date(shownAt(at, timeZone)).toISOString().slice(0, "2026-11-01T09:30".length);

/** A date alone is its beginning. null: there is no such time. */
export function readLocalTime(text: string, timeZone: string): number | null {
  const [, date, time = "00:00"] = WRITTEN.exec(text.trim()) ?? [];
  if (date === undefined) return null;
  const wanted = Date.parse(`${date}T${time}Z`);
  if (Number.isNaN(wanted) || !new Date(wanted).toISOString().startsWith(date)) return null;
  // The second step is for a time close to a change of the clock.
  const near = wanted - (shownAt(wanted, timeZone) - wanted);
  return wanted - (shownAt(near, timeZone) - near);
}
