/** Charts as SVG: bars and lines over time, and small ones beside a name. */
import { current, type Link } from "../frame.ts";
import { type Html, html } from "../html.ts";

/**
 * The scale of a chart: from the lowest to the highest value that it has room for, and which days get a
 * label. Charts are drawn in percentages of width and height, so that text keeps its size at any width.
 */
interface Scale {
  readonly low: number;
  readonly high: number;
  /** Round numbers from the lowest to the highest, at even distances. */
  readonly ticks: readonly number[];
}

const ROUGH_TICKS = 4;

const extentOf = (values: readonly number[], first: number): readonly [least: number, most: number] =>
  values
    .filter(Number.isFinite)
    .reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [first, first]);

/** For amounts: zero is always on it. */
export const scaleOf = (values: readonly number[]): Scale => scaleBetween(...extentOf(values, 0));

/** For a level, where the change is what matters: zero is on it only if it is near. */
export function levelScaleOf(values: readonly number[]): Scale {
  const [least, most] = extentOf(values, values.find(Number.isFinite) ?? 0);
  const isNearZero = least - (most - least) * 2 <= 0;
  return most === least || isNearZero ? scaleOf(values) : scaleBetween(least, most);
}

/** Of a step: the room for what is too little for a tick of its own, on the other side of zero. */
const LEAST_ROOM = 0.2;

function scaleBetween(least: number, most: number): Scale {
  // People are counted in whole numbers.
  const step = Math.max(1, roundStep((most - least) / ROUGH_TICKS));
  // A hundred people who left beside thousands who joined are no reason for a tick of thousands below zero.
  const isLittle = (value: number): boolean => value > 0 && value < step / 2;
  const [hasLittleBelow, hasLittleAbove] = [isLittle(-least), isLittle(most) && least < 0];
  const first = hasLittleBelow ? 0 : Math.floor(least / step) * step;
  const last = hasLittleAbove ? 0 : Math.max(Math.ceil(most / step) * step, first + step);
  const count = Math.round((last - first) / step);
  return {
    low: hasLittleBelow ? Math.min(least, -LEAST_ROOM * step) : first,
    high: hasLittleAbove ? Math.max(most, LEAST_ROOM * step) : last,
    ticks: Array.from({ length: count + 1 }, (_, at) => first + at * step),
  };
}

/** 1, 2 or 5 times a power of ten. */
function roundStep(rough: number): number {
  if (rough <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5].find((one) => one * power >= rough) ?? 10;
  return factor * power;
}

/** Where a value is, in per cent from the top. */
export const percentOf = ({ low, high }: Scale, value: number): number =>
  Number.isFinite(value) ? rounded(Math.min(1, Math.max(0, (high - value) / (high - low))) * 100) : 100;

const rounded = (percent: number): number => Math.round(percent * 100) / 100;

/** Which of `count` things get a label: the last one, and others before it at even distances. */
export function labelledOf(count: number, most: number): readonly number[] {
  const step = Math.max(1, Math.ceil(count / most));
  return Array.from({ length: Math.ceil(count / step) }, (_, at) => count - 1 - at * step);
}

/** A few ways to see the same thing, of which one is chosen: links, so each has an address. */
export const range = (label: string, all: readonly (Link & { readonly isCurrent: boolean })[]): Html =>
  html`<nav class="range" aria-label="${label}">${all.map(
    ({ label: text, href, isCurrent }) => html`<a href="${href}"${current(isCurrent)}>${text}</a>`,
  )}</nav>`;

/**
 * What all charts share: heading and legend, axes that label themselves, and the numbers as a table, for
 * screen readers and for everybody else. All is SVG and HTML from the server, without a style attribute.
 */
interface Series {
  readonly name: string;
  /** The colour: in (joined, active), out (left), mid (neither) or plain. */
  readonly look: "in" | "out" | "mid" | "plain";
  /** Beside the name, such as the sum. */
  readonly figure: string;
}

interface ChartFrame {
  readonly title: string;
  /** What the picture shows, in a sentence. */
  readonly summary: string;
  readonly series: readonly Series[];
  readonly scale: Scale;
  readonly tickText: (tick: number) => string;
  /** From left to right. */
  readonly labels: readonly string[];
  /** The heading of the labels in the table, such as "Day". */
  readonly labelName: string;
  /** Of each label, the value of each series. */
  readonly rows: readonly (readonly string[])[];
  readonly marks: Html;
}

const MAX_LABELS = 7;
const LONGEST_LABEL = 12;

function chartFrame(chart: ChartFrame): Html {
  const { title, summary, series, scale, tickText, labels } = chart;
  return html`<figure class="chart">
<figcaption><strong class="chart-title">${title}</strong><ul class="legend">${series.map(
    ({ name, look, figure }) => html`<li class="${look}">${name} <b>${figure}</b></li>`,
  )}</ul></figcaption>
<div class="plot" role="img" aria-label="${summary}">
${tickColumn(scale, tickText)}
<svg class="marks" width="100%" height="100%"><title>${title}</title>${scale.ticks.map((tick) => {
    const y = percentOf(scale, tick);
    return html`<line class="${tick === 0 ? "zero" : "grid"}" x1="0" x2="100%" y1="${y}%" y2="${y}%"/>`;
  })}${chart.marks}</svg>
<svg class="labels" width="100%" height="20">${labelledOf(labels.length, MAX_LABELS).map(
    (at, nth) =>
      html`<text ${nth % 2 === 1 ? html` class="between"` : null} ${place(at, labels.length)} y="14">${shortened(labels[at] ?? "")}</text>`,
  )}</svg>
</div>
${numbers(chart)}
</figure>`;
}

/** Room above the highest tick and below the lowest one has the height of an empty picture. */
function tickColumn(scale: Scale, textOf: (tick: number) => string): Html {
  const room = (percent: number): Html | null =>
    percent > 0 ? html`<svg width="1" height="${rounded(percent)}%"></svg>` : null;
  const highest = percentOf(scale, scale.ticks.at(-1) ?? scale.high);
  const lowest = percentOf(scale, scale.ticks[0] ?? scale.low);
  return html`<div class="ticks">${room(highest)}<div>${scale.ticks.toReversed().map((tick) => html`<span>${textOf(tick)}</span>`)}</div>${room(100 - lowest)}</div>`;
}

const numbers = ({ title, series, labels, labelName, rows }: ChartFrame): Html =>
  html`<details class="chart-numbers"><summary>Show the numbers</summary><div class="table-box" tabindex="0" role="group" aria-label="${title}: numbers"><table class="table">
<caption class="visually-hidden">${title}</caption>
<thead><tr><th scope="col">${labelName}</th>${series.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead>
<tbody>
${rows.map(
  (values, at) => html`<tr><th scope="row">${labels[at] ?? ""}</th>${values.map(
    (value, nth) => html`<td class="number" data-label="${series[nth]?.name ?? ""}">${value}</td>`,
  )}</tr>
`,
)}</tbody></table></div></details>`;

/** In per cent: nearer to the right edge, a date below the middle of its column would leave the card. */
const EDGE = 94;

/** Below the middle of its column, or at the right edge. */
function place(at: number, count: number): Html {
  const middle = middleOf(at, count);
  return middle > EDGE ? html`x="100%" text-anchor="end"` : html`x="${middle}%" text-anchor="middle"`;
}

/** Beside its neighbours there is room for a date. */
function shortened(label: string): string {
  const letters = [...label];
  return letters.length > LONGEST_LABEL ? `${letters.slice(0, LONGEST_LABEL - 1).join("")}…` : label;
}

/** Short numbers for the axis; whole ones where the short ones would be the same. */
function tickTexts(locale: string, ticks: readonly number[]): (tick: number) => string {
  const short = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
  const isDistinct = new Set(ticks.map((tick) => short.format(tick))).size === ticks.length;
  const chosen = isDistinct ? short : new Intl.NumberFormat(locale);
  return (tick) => chosen.format(tick);
}

/** The middle of a column, in per cent. */
const middleOf = (at: number, count: number): number => rounded(((at + 0.5) / count) * 100);

/** A column that shows its numbers when it is pointed at. */
const column = (at: number, count: number, text: string, marks: Html): Html =>
  html`<g class="column"><rect class="hit" x="${rounded((at / count) * 100)}%" y="0" width="${rounded(100 / count)}%" height="100%"><title>${text}</title></rect>${marks}</g>`;

/** A chart without days has nothing to draw. */
const noChart = (title: string): Html =>
  html`<figure class="chart"><figcaption><strong class="chart-title">${title}</strong></figcaption><p class="chart-empty">There are no numbers yet.</p></figure>`;

/** Bars per day: what came above the line, what went below it. */
interface BarChart {
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

/** A level over time, such as the active subscribers at the end of each day. */
interface LineChart {
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

/** Several amounts per day on top of each other, such as the results of a campaign. */
interface StackedChart {
  readonly title: string;
  readonly locale: string;
  readonly labelName: string;
  /** From the bottom to the top. */
  readonly series: readonly Pick<Series, "name" | "look">[];
  /** Of each day, the value of each series. */
  readonly days: readonly { readonly label: string; readonly values: readonly number[] }[];
}

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

interface Sparkline {
  /** What the picture shows, in a sentence. */
  readonly summary: string;
  readonly days: readonly { readonly value: number; readonly bad: number }[];
}

const WIDTH = 120;
const HEIGHT = 28;
/** One of a million is seen. */
const LOWEST_BAR = 2;

/** What is bad is a part of the value, at its foot. */
export function sparkline({ summary, days }: Sparkline): Html {
  const most = Math.max(1, ...days.map(({ value }) => value));
  const step = WIDTH / Math.max(1, days.length);
  const heightOf = (value: number): number =>
    value > 0 ? Math.max(LOWEST_BAR, rounded((value / most) * (HEIGHT - 1))) : 0;
  const bar = (at: number, value: number, look: "in" | "out"): Html | null => {
    const height = heightOf(value);
    return height === 0
      ? null
      : html`<rect class="${look}" x="${rounded(at * step)}" y="${rounded(HEIGHT - height)}" width="${rounded(step * 0.7)}" height="${height}"/>`;
  };
  return html`<svg class="sparkline marks" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${summary}"><line class="zero" x1="0" x2="${WIDTH}" y1="${HEIGHT}" y2="${HEIGHT}"/>${days.map(
    ({ value, bad }, at) => html`${bar(at, value, "in")}${bar(at, bad, "out")}`,
  )}</svg>`;
}
