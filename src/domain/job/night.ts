/** When work is done that disturbs others. */

const HOUR = 3;

/** The next 03:00 after `now`, in the time zone of the server. */
export function nextNight(now: number): number {
  const night = new Date(now);
  night.setHours(HOUR, 0, 0, 0);
  if (night.getTime() <= now) {
    night.setDate(night.getDate() + 1);
    // Once more: if the clocks went forward past this hour today, it was another hour.
    night.setHours(HOUR, 0, 0, 0);
  }
  return night.getTime();
}
