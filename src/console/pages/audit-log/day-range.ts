/** Days of a calendar as times, in the time zone of the user. */

const DAY_MS = 86_400_000;

/** How far the clocks of the zone are ahead of UTC then. */
function offsetAt(time: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en", {
    ...{ timeZone, hourCycle: "h23" },
    ...{ year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  }).formatToParts(time);
  const [year, month, day, hour, minute, second] = (
    ["year", "month", "day", "hour", "minute", "second"] as const
  ).map((type) => Number(parts.find((part) => part.type === type)?.value));
  const local = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
  return local - Math.floor(time / 1000) * 1000;
}

function startOfDay(midnight: number, timeZone: string): number {
  const guess = midnight - offsetAt(midnight, timeZone);
  // The clocks may have been changed in between.
  return midnight - offsetAt(guess, timeZone);
}

/** Of a day such as 2026-11-01: its first and its last millisecond. null: it is no day. */
export function timesOfDay(
  text: string,
  timeZone: string,
): { readonly first: number; readonly last: number } | null {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(midnight)) return null;
  return {
    first: startOfDay(midnight, timeZone),
    last: startOfDay(midnight + DAY_MS, timeZone) - 1,
  };
}
