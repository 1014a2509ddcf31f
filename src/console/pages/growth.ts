/** How an account or a list grew: who joined and left, and how many were active, by day or by week. */
import { type SubscriberDay, subscriberDays } from "#admin/statistics.ts";
import { dateOfDay, dayOf } from "#domain/calendar.ts";
import type { ListId } from "#domain/list.ts";
import { barChart, lineChart, range } from "#html/components/charts.ts";
import { section } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { withQuery } from "../kit/listing.ts";
import type { PageContext } from "../kit/page.ts";

const periodNames: Readonly<Record<30 | 90 | 365, string>> = {
  30: "30 days",
  90: "90 days",
  365: "12 months",
};
/** Below a number. */
export const within = (days: number): string => (days === 365 ? "in 12 months" : `in ${days} days`);

const periods = [30, 90, 365] as const;
const [DEFAULT] = periods;
/** More bars than this are too thin, so that they stand for weeks. */
const MAX_BARS = 90;
const WEEK = 7;

export const periodIn = ({ query }: Pick<PageContext, "query">): number =>
  periods.find((days) => String(days) === query.get("days")) ?? DEFAULT;
/** For addresses: the usual one is left out. */
export const periodValue = (days: number): string | null => (days === DEFAULT ? null : String(days));

export type Growth = Awaited<ReturnType<typeof readGrowth>>;

/** `list`: null for the whole account. */
export async function readGrowth(context: PageContext<"/{account}">, list: ListId | null) {
  const days = periodIn(context);
  const from = dateOfDay(dayOf(context.now) - days + 1);
  const rows = await context.performHere(subscriberDays, { list, from, to: null });
  return { days, rows, joined: sum(rows, "joined"), left: sum(rows, "left") };
}

const sum = (rows: readonly SubscriberDay[], what: "joined" | "left"): number =>
  rows.reduce((total, row) => total + row[what], 0);

/** The last week ends today; the first may be shorter. */
function byWeek(rows: readonly SubscriberDay[]): readonly SubscriberDay[] {
  const weeks: SubscriberDay[] = [];
  for (let end = rows.length; end > 0; end -= WEEK) {
    const week = rows.slice(Math.max(0, end - WEEK), end);
    const [first, last] = [week[0], week.at(-1)];
    if (first === undefined || last === undefined) break;
    weeks.push({
      ...{ date: first.date, active: last.active },
      ...{ joined: sum(week, "joined"), left: sum(week, "left") },
    });
  }
  return weeks.reverse();
}

/** `active`: what the line is about. `figures` are above the charts. */
export function growthPart(
  { formats, path }: PageContext,
  { days, rows }: Growth,
  { active, figures = null }: { readonly active: string; readonly figures?: Html | null },
): Html {
  const isByWeek = rows.length > MAX_BARS;
  const shown = isByWeek ? byWeek(rows) : rows;
  const labels = shown.map(({ date }) => formats.shortDay(date));
  const shared = { locale: formats.locale, labelName: isByWeek ? "Week from" : "Day" };
  const bars = barChart({
    ...shared,
    title: isByWeek ? "Joined and left per week" : "Joined and left per day",
    names: ["Joined", "Left"],
    days: shown.map(({ joined, left }, at) => ({ label: labels[at] ?? "", up: joined, down: left })),
  });
  const line = lineChart({
    ...shared,
    title: active,
    name: "Active",
    days: shown.map(({ active: value }, at) => ({ label: labels[at] ?? "", value })),
  });
  const choice = range(
    "Period",
    periods.map((one) => ({
      label: periodNames[one],
      href: withQuery(path, { days: periodValue(one) }),
      isCurrent: one === days,
    })),
  );
  return section(
    "Growth",
    html`<div class="stack">${figures}<div class="columns">${bars}${line}</div></div>`,
    { actions: [choice] },
  );
}
