/** Who joined and left, and how many were active: by day, or by week over a year. */
import { type SubscriberDay, subscriberDays } from "../../../admin/numbers/statistics.ts";
import { dateOfDay, dayOf } from "../../../domain/calendar.ts";
import { barChart } from "../../../html/components/charts/bar-chart.ts";
import { lineChart } from "../../../html/components/charts/line-chart.ts";
import { range } from "../../../html/components/charts/range.ts";
import { section } from "../../../html/components/page-header.ts";
import { type Html, html } from "../../../html/html.ts";
import * as texts from "./overview.texts.ts";
import type { OverviewVisit } from "./shown.ts";

const ranges = [30, 90, 365] as const;
/** More bars than this are too thin, so that they stand for weeks. */
const MOST_BARS = 90;
const WEEK = 7;

export interface Growth {
  readonly days: number;
  readonly rows: readonly SubscriberDay[];
}

export async function readGrowth({ query, now, account, perform }: OverviewVisit): Promise<Growth> {
  const days = ranges.find((one) => String(one) === query.get("days")) ?? ranges[0];
  const from = dateOfDay(dayOf(now) - days + 1);
  return { days, rows: await perform(subscriberDays, { account: account.id, list: null, from, to: null }) };
}

const sum = (rows: readonly SubscriberDay[], what: "joined" | "left"): number =>
  rows.reduce((total, row) => total + row[what], 0);
export const changeOver = ({ rows }: Growth) => ({ joined: sum(rows, "joined"), left: sum(rows, "left") });

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

export function growthPart({ formats, path }: OverviewVisit, { days, rows }: Growth): Html {
  const isByWeek = rows.length > MOST_BARS;
  const shown = isByWeek ? byWeek(rows) : rows;
  const labels = shown.map(({ date }) => formats.shortDay(date));
  const shared = { locale: formats.locale, labelName: isByWeek ? texts.weekFrom : texts.day };
  const bars = barChart({
    ...shared,
    title: isByWeek ? texts.perWeek : texts.perDay,
    names: [texts.joined, texts.left],
    days: shown.map(({ joined, left }, at) => ({ label: labels[at] ?? "", up: joined, down: left })),
  });
  const line = lineChart({
    ...shared,
    title: texts.activeChart,
    name: texts.activeName,
    days: shown.map(({ active }, at) => ({ label: labels[at] ?? "", value: active })),
  });
  const choice = range(
    texts.range,
    ranges.map((one) => ({
      label: texts.rangeName(one),
      href: one === ranges[0] ? path : `${path}?days=${one}`,
      isCurrent: one === days,
    })),
  );
  return section(texts.growth, html`<div class="columns">${bars}${line}</div>`, { actions: [choice] });
}
