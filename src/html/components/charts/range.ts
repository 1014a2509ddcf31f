/** A few ways to see the same thing, of which one is chosen: links, so each has an address. */
import { current, type Link } from "../../frame.ts";
import { type Html, html } from "../../html.ts";

export const range = (label: string, all: readonly (Link & { readonly isCurrent: boolean })[]): Html =>
  html`<nav class="range" aria-label="${label}">${all.map(
    ({ label: text, href, isCurrent }) => html`<a href="${href}"${current(isCurrent)}>${text}</a>`,
  )}</nav>`;
