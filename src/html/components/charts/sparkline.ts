/** Amounts per day beside a name, as small as a word; the numbers are on the page of the thing. */
import { type Html, html } from "../../html.ts";
import { rounded } from "./chart-scale.ts";

export interface Sparkline {
  /** What the picture shows, in a sentence. */
  readonly summary: string;
  readonly days: readonly { readonly value: number; readonly bad: number }[];
}

const WIDTH = 120;
const HEIGHT = 28;
/** One of a million is seen. */
const LOWEST = 2;

/** What is bad is a part of the value, at its foot. */
export function sparkline({ summary, days }: Sparkline): Html {
  const most = Math.max(1, ...days.map(({ value }) => value));
  const step = WIDTH / Math.max(1, days.length);
  const heightOf = (value: number): number =>
    value > 0 ? Math.max(LOWEST, rounded((value / most) * (HEIGHT - 1))) : 0;
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
