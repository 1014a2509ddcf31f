/**
 * What all charts share: heading and legend, axes that label themselves, and the numbers as a table, for
 * screen readers and for everybody else. All is SVG and HTML from the server, without a style attribute.
 */
import { type Html, html } from "../../html.ts";
import { labelledOf, percentOf, rounded, type Scale } from "./chart-scale.ts";

export interface Series {
  readonly name: string;
  /** The colour: in (joined, active), out (left), mid (neither) or plain. */
  readonly look: "in" | "out" | "mid" | "plain";
  /** Beside the name, such as the sum. */
  readonly figure: string;
}

export interface ChartFrame {
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

export function chartFrame(chart: ChartFrame): Html {
  const { title, summary, series, scale, tickText, labels } = chart;
  return html`<figure class="chart">
<figcaption><strong class="chart-title">${title}</strong><ul class="legend">${series.map(
    ({ name, look, figure }) => html`<li class="${look}">${name} <b>${figure}</b></li>`,
  )}</ul></figcaption>
<div class="plot" role="img" aria-label="${summary}">
<div class="ticks">${scale.ticks.toReversed().map((tick) => html`<span>${tickText(tick)}</span>`)}</div>
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
export function tickTexts(locale: string, ticks: readonly number[]): (tick: number) => string {
  const short = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
  const isDistinct = new Set(ticks.map((tick) => short.format(tick))).size === ticks.length;
  const chosen = isDistinct ? short : new Intl.NumberFormat(locale);
  return (tick) => chosen.format(tick);
}

/** The middle of a column, in per cent. */
export const middleOf = (at: number, count: number): number => rounded(((at + 0.5) / count) * 100);

/** A column that shows its numbers when it is pointed at. */
export const column = (at: number, count: number, text: string, marks: Html): Html =>
  html`<g class="column"><rect class="hit" x="${rounded((at / count) * 100)}%" y="0" width="${rounded(100 / count)}%" height="100%"><title>${text}</title></rect>${marks}</g>`;

/** A chart without days has nothing to draw. */
export const noChart = (title: string): Html =>
  html`<figure class="chart"><figcaption><strong class="chart-title">${title}</strong></figcaption><p class="chart-empty">There are no numbers yet.</p></figure>`;
