/** Steps that lead somewhere, each with a tick when it is done. */
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";

export interface Step {
  readonly title: string;
  readonly text: string;
  readonly isDone: boolean;
  /** A link to do it; null: the user cannot, or need not. */
  readonly action?: Html | null;
}

export const checklist = (steps: readonly Step[]): Html => html`<ol class="checklist">
${steps.map(
  (
    { title, text, isDone, action },
    at,
  ) => html`<li${isDone ? html` class="done"` : null}><span class="check-sign" aria-hidden="true">${
    isDone ? icon("check") : at + 1
  }</span><div><h3>${title}${isDone ? html`<span class="visually-hidden"> (done)</span>` : null}</h3><p>${text}</p></div>${action ?? null}</li>
`,
)}</ol>`;
