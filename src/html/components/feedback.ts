/** What the service says: a notice, an empty page, progress, and what a step would do before it is taken. */
import type { Link } from "../frame.ts";
import { type Html, html, trusted } from "../html.ts";
import { type IconName, icon } from "../icons.ts";

export type Mood = "info" | "good" | "warning" | "bad";

const signs: Readonly<Record<Mood, IconName>> = {
  info: "info",
  good: "check",
  warning: "warning",
  bad: "refused",
};

/** A bad one is read out at once. */
export const notice = (mood: Mood, title: string, detail: Html | string | null = null): Html =>
  html`<div class="notice ${mood}"${mood === "bad" ? trusted(' role="alert"') : null}>${icon(signs[mood])}<div><strong>${title}</strong>${
    detail === null ? null : html`<div class="notice-detail">${detail}</div>`
  }</div></div>`;

export interface EmptyState {
  readonly title: string;
  /** What to do first. */
  readonly text: Html | string;
  readonly icon?: IconName;
  readonly actions?: readonly Html[];
}

export const emptyState = ({ title, text, icon: sign, actions = [] }: EmptyState): Html =>
  html`<div class="empty">${sign === undefined ? null : html`<span class="empty-sign">${icon(sign)}</span>`}<h2>${title}</h2><p>${text}</p>${
    actions.length === 0 ? null : html`<div class="buttons">${actions}</div>`
  }</div>`;

export interface Progress {
  readonly label: string;
  readonly done: number;
  /** Null while it is not known. */
  readonly total: number | null;
  /** Such as "12,000 of 50,000 rows, 2 minutes left". */
  readonly text: Html | string;
}

/** The script replaces it with what the address of `stream` sends, if there is one. */
export const progress = ({ label, done, total, text }: Progress, stream: string | null = null): Html =>
  html`<div class="progress"${stream === null ? null : html` data-stream="${stream}"`}>${progressBar(label, done, total)}<p>${text}</p></div>`;

/**
 * The script replaces the body with what the address `stream` sends. Without a script, or if the stream is
 * refused, a link shows the page again.
 */
export function live(stream: string, body: Html, { href, label }: Link): Html {
  const link = html`<a href="${href}">${label}</a>`;
  return html`<div class="live" data-stream="${stream}">${body}</div><p hidden data-reload>${link}</p><noscript><p>${link}</p></noscript>`;
}

const progressBar = (label: string, done: number, total: number | null): Html =>
  html`<progress aria-label="${label}"${
    total === null || total <= 0 ? null : html` value="${Math.min(Math.max(done, 0), total)}" max="${total}"`
  }></progress>`;

export interface Confirmation {
  readonly title: string;
  /** What will happen, one sentence each. */
  readonly consequences: readonly (Html | string)[];
  /** Whom it touches, such as "1,204 people". */
  readonly affected: string | null;
  readonly isDangerous: boolean;
  /** The fields, if the step needs any, and the buttons. */
  readonly body: Html;
}

export const confirmation = ({ title, consequences, affected, isDangerous, body }: Confirmation): Html =>
  html`<section class="confirm${isDangerous ? " dangerous" : ""}">
<h2>${icon(isDangerous ? "warning" : "info")}${title}</h2>
${affected === null ? null : html`<p class="affected">${affected}</p>`}
<ul>${consequences.map((sentence) => html`<li>${sentence}</li>`)}</ul>
${body}
</section>`;
