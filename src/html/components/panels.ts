/**
 * One of several panels at a time, such as the same program in several languages. Radio buttons choose it:
 * that works without a script, and by keyboard.
 */
import { type Html, html, trusted } from "../html.ts";

export interface Panel {
  readonly label: string;
  readonly body: Html;
}

/** At most six: the style has a rule for each. `name` is unique within the page. */
export const panels = (name: string, label: string, all: readonly Panel[]): Html =>
  html`<div class="panels" role="group" aria-label="${label}">
${all.map(
  ({ label: text }, at) =>
    html`<input type="radio" name="${name}" id="${name}-${at}"${at === 0 ? trusted(" checked") : null}><label for="${name}-${at}">${text}</label>
`,
)}${all.map(
  ({ body }) => html`<div class="panel">${body}</div>
`,
)}</div>`;
