/** The top of a page: where it is, its title, what can be done there; and the tabs of a thing. */
import type { Link } from "../frame.ts";
import { type Html, html, trusted } from "../html.ts";
import { icon } from "../icons.ts";

export interface PageHeader {
  readonly title: string;
  /** The way back, such as the page of all lists. */
  readonly parent?: Link | null;
  /** Beside the title, such as a badge. */
  readonly aside?: Html | null;
  /** One sentence. */
  readonly description?: Html | string | null;
  readonly actions?: readonly Html[];
}

export const pageHeader = ({ title, parent, aside, description, actions = [] }: PageHeader): Html =>
  html`<header class="page-header">
${parent == null ? null : html`<p class="parent"><a href="${parent.href}">${icon("left")}<span>${parent.label}</span></a></p>`}
<div class="page-title"><h1>${title}</h1>${aside ?? null}</div>
${actions.length === 0 ? null : html`<div class="buttons">${actions}</div>`}
${description == null ? null : html`<p class="description">${description}</p>`}
</header>`;

export interface Tab extends Link {
  readonly isCurrent: boolean;
  readonly count?: string | null;
}

/** Pages of the same thing: links, so each tab has an address. */
export const tabs = (label: string, all: readonly Tab[]): Html =>
  html`<nav class="tab-links" aria-label="${label}"><ul>
${all.map(
  ({ label: text, href, isCurrent, count }) =>
    html`<li><a href="${href}"${isCurrent ? trusted(' aria-current="page"') : null}>${text}${
      count == null ? null : html` <span class="tab-count">${count}</span>`
    }</a></li>
`,
)}</ul></nav>`;

/** The step in a task of several pages; `at` counts from 0. */
export const steps = (label: string, all: readonly string[], at: number): Html =>
  html`<ol class="steps" aria-label="${label}">
${all.map(
  (text, index) =>
    html`<li class="${index < at ? "done" : index === at ? "now" : "later"}"${
      index === at ? trusted(' aria-current="step"') : null
    }><span class="step-sign" aria-hidden="true">${index < at ? icon("check") : index + 1}</span>${text}</li>
`,
)}</ol>`;

/** A part of a page with a heading of its own. */
export const section = (
  title: string,
  body: Html,
  {
    actions = [],
    description,
  }: { readonly actions?: readonly Html[]; readonly description?: string | null } = {},
): Html => html`<section class="part">
<header class="part-header"><h2>${title}</h2>${actions.length === 0 ? null : html`<div class="buttons">${actions}</div>`}${
  description == null ? null : html`<p class="description">${description}</p>`
}</header>
${body}
</section>`;

/** A box with a border. */
export const card = (body: Html): Html => html`<div class="card">${body}</div>`;
