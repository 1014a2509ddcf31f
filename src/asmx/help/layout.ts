/**
 * The layout of every help page, and components that several pages share. Links are relative to the page, so
 * that they work behind a path prefix and with any host name.
 */

import type { Service } from "#contract/service.ts";
import { inlineAssets, type PageAssets } from "#html/assets.ts";
import { frame, type NavigationGroup } from "#html/frame.ts";
import { type Html, html } from "#html/html.ts";
import { shippedFile, VERSION } from "#shipped.ts";
import { families } from "./families.ts";

/** The stylesheet and the script of the help pages of a service. */
const byRoot = new Map<string, PageAssets>();

/** From a page of the service to the base address. */
const rootOf = ({ path }: Service): string => "../".repeat(Math.max(0, path.split("/").length - 2));

export function helpAssets(service: Service): PageAssets {
  const root = rootOf(service);
  const made =
    byRoot.get(root) ??
    inlineAssets(root, [shippedFile("asmx/help/style/form.css")], [shippedFile("asmx/help/form.js")]);
  byRoot.set(root, made);
  return made;
}

interface Page {
  readonly title: string;
  /** The operation that the page is about, if it is about one. */
  readonly operation: string | null;
  readonly main: Html;
}

export function layout(service: Service, { title, operation, main }: Page): string {
  const root = rootOf(service);
  return frame({
    title,
    assets: helpAssets(service),
    brand: { href: indexHref(service), name: service.name, product: "Help" },
    navigationLabel: "All operations",
    navigation: navigation(service, operation),
    body: html`<div class="doc">
${main}
</div>`,
    footer: {
      version: VERSION,
      links: [
        { label: "Help", href: indexHref(service) },
        { label: "API reference", href: `${root}api/v2/reference` },
        { label: "Console", href: `${root}console` },
      ],
    },
  });
}

const navigation = (service: Service, current: string | null): readonly NavigationGroup[] => [
  { label: null, links: [{ label: "Overview", href: indexHref(service), isCurrent: current === null }] },
  ...families(service).map(({ name, operations }) => ({
    label: name,
    links: operations.map(([operation]) => ({
      label: withoutFamily(operation),
      href: operationHref(operation),
      isCurrent: operation === current,
    })),
  })),
];

export const indexHref = (service: Service): string => service.path.split("/").at(-1) || "./";
export const operationHref = (name: string): string => `?op=${encodeURIComponent(name)}`;

const withoutFamily = (name: string): string => name.slice(name.indexOf(".") + 1);

/** A long name that may break between its words, so that a phone does not have to scroll. */
const breakable = (name: string): Html =>
  html`${name.split(/(?<=\.)|(?<=[a-z])(?=[A-Z])/).map((word, index) => (index === 0 ? word : html`<wbr>${word}`))}`;

/** A name with its family de-emphasized. */
export function operationName(name: string): Html {
  const rest = withoutFamily(name);
  const family = name.slice(0, name.length - rest.length);
  return html`<span class="family">${family}</span>${family === "" ? null : html`<wbr>`}${breakable(rest)}`;
}

/** XML with its markup de-emphasized, so that the values stand out. */
export function xml(text: string): Html {
  const pieces = text.match(/<[^<>]*>|[^<]+/g) ?? [];
  return html`${pieces.map((piece) => (piece.startsWith("<") ? html`<span class="tag">${piece}</span>` : piece))}`;
}
