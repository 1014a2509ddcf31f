export const growth = "Growth";
export const range = "Period";
export const periods: Readonly<Record<30 | 90 | 365, string>> = {
  30: "30 days",
  90: "90 days",
  365: "12 months",
};
/** Below a number. */
export const within = (days: number): string => (days === 365 ? "in 12 months" : `in ${days} days`);
export const perDay = "Joined and left per day";
export const perWeek = "Joined and left per week";
export const joined = "Joined";
export const left = "Left";
export const active = "Active";
export const day = "Day";
export const weekFrom = "Week from";
