/** Something to copy; the script adds the button. */
import { type Html, html } from "../html.ts";
import { icon } from "../icons.ts";

export const codeBlock = (label: string, code: Html | string): Html =>
  html`<div class="code"><pre tabindex="0" role="group" aria-label="${label}" data-copy><code>${code}</code></pre></div>`;

/** A key or token that is shown only once. */
export const secret = (label: string, value: string, advice: string): Html =>
  html`<div class="secret"><p>${icon("key")}<strong>${label}</strong></p>${codeBlock(label, value)}<p class="hint">${advice}</p></div>`;
