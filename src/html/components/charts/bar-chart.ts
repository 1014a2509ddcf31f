/** Bars per day: what came above the line, what went below it. */
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { chartFrame, column, middleOf, noChart, tickTexts } from "./chart.ts";
import { percentOf, rounded, type Scale, scaleOf } from "./chart-scale.ts";

export interface BarChart {
  readonly title: string;
  readonly locale: string;
  readonly labelName: string;
  /** Names of what is above and below the line. */
  readonly names: readonly [up: string, down: string];
  readonly days: readonly { readonly label: string; readonly up: number; readonly down: number }[];
}

/** In per cent of the width: one day is not a wall. */
const WIDEST = 5;
/** In per cent of the height: one of a million is seen. */
const LOWEST = 1;

export function barChart({ title, locale, labelName, names, days }: BarChart): Html {
  if (days.length === 0) return noChart(title);
  const number = new Intl.NumberFormat(locale);
  const scale = scaleOf(days.flatMap(({ up, down }) => [up, -down]));
  const text = tickTexts(locale, scale.ticks);
  const [up, down] = [sum(days.map((day) => day.up)), sum(days.map((day) => day.down))];
  const [upName, downName] = names;
  return chartFrame({
    title,
    summary: `${title}, ${days[0]?.label} to ${days.at(-1)?.label}: ${number.format(up)} ${upName.toLowerCase()}, ${number.format(down)} ${downName.toLowerCase()}.`,
    series: [
      { name: upName, look: "in", figure: number.format(up) },
      { name: downName, look: "out", figure: number.format(down) },
    ],
    scale,
    tickText: (tick) => text(Math.abs(tick)),
    labels: days.map(({ label }) => label),
    labelName,
    rows: days.map((day) => [number.format(day.up), number.format(day.down)]),
    marks: html`${days.map((day, at) =>
      column(
        at,
        days.length,
        `${day.label}: ${number.format(day.up)} ${upName.toLowerCase()}, ${number.format(day.down)} ${downName.toLowerCase()}`,
        html`${bar(scale, at, days.length, day.up, "in")}${bar(scale, at, days.length, -day.down, "out")}`,
      ),
    )}`,
  });
}

function bar(scale: Scale, at: number, count: number, value: number, look: "in" | "out"): Html | null {
  if (value === 0 || !Number.isFinite(value)) return null;
  const width = Math.min(WIDEST, 68 / count);
  const zero = percentOf(scale, 0);
  const height = Math.max(LOWEST, Math.abs(percentOf(scale, value) - zero));
  const top = value > 0 ? zero - height : zero;
  return html`<rect class="${look}" x="${rounded(middleOf(at, count) - width / 2)}%" y="${rounded(top)}%" width="${rounded(width)}%" height="${rounded(height)}%" rx="1.5"/>`;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
