/** How a list grew: who joined and left, and how many members it had. */
import { type SubscriberDay, subscriberDays } from "../../../../admin/numbers/statistics.ts";
import { dateOfDay, dayOf } from "../../../../domain/calendar.ts";
import type { List } from "../../../../domain/list.ts";
import { barChart } from "../../../../html/components/charts/bar-chart.ts";
import { lineChart } from "../../../../html/components/charts/line-chart.ts";
import { stats } from "../../../../html/components/figures.ts";
import { tabs } from "../../../../html/components/page-header.ts";
import { type Html, html } from "../../../../html/html.ts";
import { withQuery } from "../../../kit/addresses/query.ts";
import type { Visit } from "../../../kit/visit.ts";
import * as texts from "./list.texts.ts";

export const periods = [30, 90, 365] as const;
const [DEFAULT] = periods;
/** More bars than this are too thin on a phone, so days become weeks. */
const MOST_BARS = 90;
const WEEK = 7;

export const periodIn = ({ query }: Pick<Visit, "query">): number =>
  periods.find((days) => String(days) === query.get("days")) ?? DEFAULT;
/** For addresses: the usual one is left out. */
export const periodValue = (days: number): string | null => (days === DEFAULT ? null : String(days));

export async function growthPart(visit: Visit<"/{account}">, list: List): Promise<Html> {
  const { account, formats, path, now } = visit;
  const period = periodIn(visit);
  const from = dateOfDay(dayOf(now) - period + 1);
  const days = await visit.perform(subscriberDays, { account: account.id, list: list.id, from, to: null });
  if (list.members === 0 && days.every(({ joined, left }) => joined + left === 0)) return html``;
  const { locale, number } = formats;
  const isWeekly = days.length > MOST_BARS;
  const bars = isWeekly ? weeksOf(days) : days;
  const sum = (of: "joined" | "left"): number => days.reduce((total, day) => total + day[of], 0);
  const periodText = texts.periods[period] ?? "";
  return html`${tabs(
    texts.period,
    periods.map((one) => ({
      label: texts.periods[one] ?? "",
      href: withQuery(path, { days: periodValue(one) }),
      isCurrent: one === period,
    })),
  )}<div class="stack">${stats([
    { label: texts.membersNow, value: number(list.members), detail: texts.membersDetail },
    { label: texts.joined, value: number(sum("joined")), detail: periodText },
    { label: texts.left, value: number(sum("left")), detail: periodText },
  ])}<div class="columns">${lineChart({
    title: texts.overTime,
    locale,
    labelName: texts.day,
    name: texts.members,
    days: days.map(({ date, active }) => ({ label: formats.shortDay(date), value: active })),
  })}${barChart({
    title: isWeekly ? texts.perWeek : texts.perDay,
    locale,
    labelName: isWeekly ? texts.week : texts.day,
    names: [texts.joined, texts.left],
    days: bars.map(({ date, joined, left }) => ({ label: formats.shortDay(date), up: joined, down: left })),
  })}</div></div>`;
}

type Bar = Pick<SubscriberDay, "date" | "joined" | "left">;
/** Whole weeks up to the last day; the first one may be short. */
function weeksOf(days: readonly SubscriberDay[]): readonly Bar[] {
  const weeks: Bar[] = [];
  for (let end = days.length; end > 0; end -= WEEK) {
    const week = days.slice(Math.max(0, end - WEEK), end);
    const sum = (of: "joined" | "left"): number => week.reduce((total, day) => total + day[of], 0);
    weeks.unshift({ date: week[0]?.date ?? "", joined: sum("joined"), left: sum("left") });
  }
  return weeks;
}
