/** A level over time, such as the active subscribers at the end of each day. */
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { chartFrame, column, middleOf, noChart, tickTexts } from "./chart.ts";
import { levelScaleOf, percentOf, type Scale } from "./chart-scale.ts";

export interface LineChart {
  readonly title: string;
  readonly locale: string;
  readonly labelName: string;
  readonly name: string;
  readonly days: readonly { readonly label: string; readonly value: number }[];
}

export function lineChart({ title, locale, labelName, name, days }: LineChart): Html {
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined) return noChart(title);
  const number = new Intl.NumberFormat(locale);
  const change = new Intl.NumberFormat(locale, { signDisplay: "exceptZero" });
  const scale = levelScaleOf(days.map(({ value }) => value));
  return chartFrame({
    title,
    summary: `${title}: ${number.format(last.value)} on ${last.label}, ${change.format(last.value - first.value)} since ${first.label}.`,
    series: [{ name, look: "plain", figure: number.format(last.value) }],
    scale,
    tickText: tickTexts(locale, scale.ticks),
    labels: days.map(({ label }) => label),
    labelName,
    rows: days.map(({ value }) => [number.format(value)]),
    marks: html`${line(scale, days)}${days.map(({ label, value }, at) =>
      column(at, days.length, `${label}: ${number.format(value)}`, point(scale, at, days.length, value)),
    )}`,
  });
}

/** Stretched to any width: only the strokes keep theirs. */
function line(scale: Scale, days: LineChart["days"]): Html | null {
  if (days.length < 2) return null;
  const points = days.map(({ value }, at) => `${middleOf(at, days.length)} ${percentOf(scale, value)}`);
  const path = `M${points.join("L")}`;
  // The area stands on zero, or on the lowest line if zero is not in the picture.
  const base = percentOf(scale, Math.max(0, scale.low));
  const [left, right] = [middleOf(0, days.length), middleOf(days.length - 1, days.length)];
  return html`<svg class="line" viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%"><path class="area" d="${path}L${right} ${base}L${left} ${base}Z"/><path class="stroke" d="${path}"/></svg>`;
}

const point = (scale: Scale, at: number, count: number, value: number): Html =>
  html`<circle class="${at === count - 1 ? "point last" : "point"}" cx="${middleOf(at, count)}%" cy="${percentOf(scale, value)}%" r="3.5"/>`;
