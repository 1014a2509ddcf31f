/**
 * The layout of every help page, and components that several pages share. Links are relative to the page, so
 * that they work behind a path prefix and with any host name.
 */
import type { Service } from "../../contract/service.ts";
import { htmlDocument } from "../../html/document.ts";
import { type Html, html, trusted } from "../../html/html.ts";
import { helpAssets } from "./assets.ts";
import { families } from "./families.ts";

export interface Page {
  readonly title: string;
  /** The operation that the page is about, if it is about one. */
  readonly operation: string | null;
  readonly main: Html;
}

export const layout = (service: Service, { title, operation, main }: Page): string =>
  htmlDocument(
    title,
    helpAssets,
    html`${operation === null ? null : html`<header class="top"><a class="brand" href="${indexHref(service)}">${service.name}</a></header>`}
<div class="${operation === null ? "page" : "page with-nav"}">
<main>
${main}
</main>
${operation === null ? null : navigation(service, operation)}
</div>`,
  );

function navigation(service: Service, current: string): Html {
  return html`<nav aria-label="All operations">
${families(service).map(
  (family) => html`<h2>${family.name}</h2>
<ul>
${family.operations.map(
  ([name]) => html`<li><a href="${operationHref(name)}"${
    name === current ? trusted(' aria-current="page"') : null
  }>${breakable(withoutFamily(name))}</a></li>
`,
)}</ul>
`,
)}</nav>`;
}

export const indexHref = (service: Service): string => service.path.split("/").at(-1) || "./";
export const operationHref = (name: string): string => `?op=${encodeURIComponent(name)}`;

const withoutFamily = (name: string): string => name.slice(name.indexOf(".") + 1);

/** A long name that may break between its words, so that a phone does not have to scroll. */
export const breakable = (name: string): Html =>
  html`${name.split(/(?<=\.)|(?<=[a-z])(?=[A-Z])/).map((word, index) => (index === 0 ? word : html`<wbr>${word}`))}`;

/** A name with its family de-emphasized. */
export function operationName(name: string): Html {
  const rest = withoutFamily(name);
  const family = name.slice(0, name.length - rest.length);
  return html`<span class="family">${family}</span>${family === "" ? null : html`<wbr>`}${breakable(rest)}`;
}

/** XML with its markup de-emphasized, so that the values stand out. */
export function xml(text: string): Html {
  const pieces = text.match(/<[^>]*>|[^<]+/g) ?? [];
  return html`${pieces.map((piece) => (piece.startsWith("<") ? html`<span class="tag">${piece}</span>` : piece))}`;
}
