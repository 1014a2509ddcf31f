/**
 * What every message must contain, in the HTML and in the text: the unsubscribe link and the postal address
 * of the sender. It looks at the rendered result, so it finds what a template leaves out for some. It is a
 * check against mistakes: of CSS it knows only `display:none` in a style attribute.
 */
import { hasLetterOrDigit } from "#domain/sending/sender-rules.ts";
import type { Rendered, RequiredPart } from "../messages.ts";
import { escapeFor, escapeHtml } from "./escape.ts";
import { attributesAt, resolveEntities, scanHtml, voidElements } from "./html/scan.ts";

/** Whether a text continues so that its link would be another one. */
const continues = (character: string | undefined): boolean =>
  character !== undefined && /[\w/%-]/.test(character);
/** Whether a link may start after it. */
const precedesLink = (character: string | undefined): boolean =>
  character === undefined || /[\s<([{"'>:|]/.test(character);

function isLinkTo(href: string, url: string): boolean {
  const target = href.trim();
  return target === url || target.startsWith(`${url}?`) || target.startsWith(`${url}#`);
}

function hasTextLink(text: string, url: string): boolean {
  for (let at = text.indexOf(url); at !== -1; at = text.indexOf(url, at + 1))
    if (!continues(text[at + url.length]) && precedesLink(text[at - 1])) return true;
  return false;
}

/** Letters and digits only: line breaks and commas do not matter. */
const essence = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");

/**
 * An empty address is everywhere: the sender has none yet. One without letters and digits is nowhere, as it
 * is none.
 */
const isEssenceIn = (text: string, address: string): boolean =>
  hasLetterOrDigit(address) ? essence(text).includes(essence(address)) : address === "";
const isAddressIn = (text: string, address: string): boolean =>
  (hasLetterOrDigit(address) && text.includes(address)) || isEssenceIn(text, address);

/** What a reader of the HTML finds. */
interface FoundInHtml {
  readonly hasLink: boolean;
  readonly hasAddress: boolean;
}
type LookAtHtml = (html: string, url: string, address: string) => FoundInHtml;

const DISPLAY_NONE = /(?:^|;)\s*display\s*:\s*none\b/i;

/** The first attribute of that name, as in browsers. */
const attributeAt = (html: string, from: number, wanted: string): string =>
  resolveEntities(attributesAt(html, from).find(({ name }) => name === wanted)?.value ?? "");

/**
 * Looks at text and links outside of comments, `head`, `style`, `script` and elements with `display:none`.
 * Such an element ends with its end tag, so an element that is not closed hides the rest, and the check
 * refuses too much instead of too little.
 */
const lookAtHtml: LookAtHtml = (html, url, address) => {
  const escapedUrl = escapeHtml(url);
  const hrefs: string[] = [];
  let text = "";
  /** The outermost hidden element, and how many elements of its name are open. */
  let hidden = "";
  let depth = 0;
  scanHtml(html, {
    start: (name, from, to) => {
      // The end tag of head can be left out.
      if (hidden === "head" && name === "body") hidden = "";
      if (hidden !== "") {
        if (name === hidden) depth += 1;
        return;
      }
      const tag = html.slice(from, to);
      const isHidden = /style/i.test(tag) && DISPLAY_NONE.test(attributeAt(html, from, "style"));
      if (isHidden || name === "head") {
        if (!voidElements.has(name)) [hidden, depth] = [name, 1];
      } else if ((name === "a" || name === "area") && tag.includes(escapedUrl))
        hrefs.push(attributeAt(html, from, "href"));
    },
    end: (name) => {
      if (name !== hidden) return;
      depth -= 1;
      if (depth === 0) hidden = "";
    },
    text: (from, to, within) => {
      if (within === "" && hidden === "") text += `${html.slice(from, to)} `;
    },
  });
  // As the template inserts it, with a space for each <br>; or as an author wrote it.
  const isInserted = hasLetterOrDigit(address) && text.includes(escapeHtml(address).replaceAll("\n", " "));
  const isInText = (): boolean => text.includes(escapedUrl) && hasTextLink(resolveEntities(text), url);
  return {
    hasLink: hrefs.some((href) => isLinkTo(href, url)) || isInText(),
    hasAddress: isInserted || isEssenceIn(resolveEntities(text), address),
  };
};

/** If everybody gets the same markup, what was found when the content was prepared need only be there. */
const lookAtFixedMarkup: LookAtHtml = (html, url, address) =>
  html.includes(escapeHtml(url)) && hasLetterOrDigit(address) && html.includes(escapeFor.text(address))
    ? { hasLink: true, hasAddress: true }
    : lookAtHtml(html, url, address);

/** What a message lacks. */
export interface MissingPart {
  readonly part: "html" | "text";
  readonly what: RequiredPart;
}

export function* missingIn(
  { html, text }: Pick<Rendered, "html" | "text">,
  unsubscribeUrl: string,
  postalAddress: string,
  hasFixedMarkup = false,
): Generator<MissingPart> {
  const lookAt = hasFixedMarkup ? lookAtFixedMarkup : lookAtHtml;
  const { hasLink, hasAddress } =
    html === null ? { hasLink: true, hasAddress: true } : lookAt(html, unsubscribeUrl, postalAddress);
  if (!hasLink) yield { part: "html", what: "unsubscribe link" };
  if (!hasTextLink(text, unsubscribeUrl)) yield { part: "text", what: "unsubscribe link" };
  if (!hasAddress) yield { part: "html", what: "postal address" };
  if (!isAddressIn(text, postalAddress)) yield { part: "text", what: "postal address" };
}
