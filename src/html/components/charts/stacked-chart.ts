/** Several amounts per day on top of each other, such as the results of a campaign. */
import { type Html, html } from "../../html.ts";
import { chartFrame, column, middleOf, noChart, type Series, tickTexts } from "./chart.ts";
import { percentOf, rounded, type Scale, scaleOf } from "./chart-scale.ts";

export interface StackedChart {
  readonly title: string;
  readonly locale: string;
  readonly labelName: string;
  /** From the bottom to the top. */
  readonly series: readonly Pick<Series, "name" | "look">[];
  /** Of each day, the value of each series. */
  readonly days: readonly { readonly label: string; readonly values: readonly number[] }[];
}

/** In per cent of the width: one day is not a wall. */
const WIDEST = 5;

export function stackedChart({ title, locale, labelName, series, days }: StackedChart): Html {
  if (days.length === 0) return noChart(title);
  const number = new Intl.NumberFormat(locale);
  const scale = scaleOf(days.map(({ values }) => sum(values)));
  const totals = series.map((_, at) => sum(days.map(({ values }) => values[at] ?? 0)));
  const said = (values: readonly number[]): string =>
    series.map(({ name }, at) => `${number.format(values[at] ?? 0)} ${name.toLowerCase()}`).join(", ");
  return chartFrame({
    title,
    summary: `${title}, ${days[0]?.label} to ${days.at(-1)?.label}: ${said(totals)}.`,
    series: series.map((one, at) => ({ ...one, figure: number.format(totals[at] ?? 0) })),
    scale,
    tickText: tickTexts(locale, scale.ticks),
    labels: days.map(({ label }) => label),
    labelName,
    rows: days.map(({ values }) => series.map((_, at) => number.format(values[at] ?? 0))),
    marks: html`${days.map(({ label, values }, at) =>
      column(at, days.length, `${label}: ${said(values)}`, stack(scale, at, days.length, values, series)),
    )}`,
  });
}

function stack(
  scale: Scale,
  at: number,
  count: number,
  values: readonly number[],
  series: StackedChart["series"],
): Html {
  const width = Math.min(WIDEST, 68 / count);
  const x = rounded(middleOf(at, count) - width / 2);
  return html`${series.map(({ look }, nth) => {
    const value = values[nth] ?? 0;
    if (value <= 0 || !Number.isFinite(value)) return null;
    const below = sum(values.slice(0, nth));
    const [top, bottom] = [percentOf(scale, below + value), percentOf(scale, below)];
    return html`<rect class="${look}" x="${x}%" y="${top}%" width="${rounded(width)}%" height="${rounded(bottom - top)}%"/>`;
  })}`;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
