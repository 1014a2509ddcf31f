/** Numbers at a glance, and the facts of one thing. */
import { type Html, html, type Insert } from "../html.ts";

export interface Stat {
  readonly label: string;
  readonly value: string;
  /** What changed, or since when. */
  readonly detail?: Html | string | null;
  readonly tone?: "good" | "warning" | "bad" | null;
  readonly href?: string | null;
}

export const stats = (all: readonly Stat[]): Html => html`<dl class="stats">
${all.map(
  ({ label, value, detail, tone, href }) => html`<div class="stat${tone == null ? "" : ` ${tone}`}"><dt>${
    href == null ? label : html`<a href="${href}">${label}</a>`
  }</dt><dd><span class="stat-value">${value}</span>${
    detail == null ? null : html`<span class="stat-detail">${detail}</span>`
  }</dd></div>
`,
)}</dl>`;

/** A missing value is said in words, so that it does not look like a mistake. */
export const definitions = (all: readonly (readonly [name: string, value: Insert])[]): Html =>
  html`<dl class="definitions">
${all.map(
  ([name, value]) => html`<div><dt>${name}</dt><dd>${
    value === null || value === "" ? html`<span class="absent">not given</span>` : value
  }</dd></div>
`,
)}</dl>`;
