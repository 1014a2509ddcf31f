/**
 * What every message must contain: the unsubscribe link, visible in the HTML and present in the text, and the
 * postal address of the sender. It looks at the rendered result, so it finds what a template leaves out for
 * some. It is a check against mistakes: an author who wants to hide something finds a way, such as colours or
 * media queries.
 */
import { hasLetterOrDigit } from "#domain/sending/sender-rules.ts";
import { escapeFor, escapeHtml } from "./escape.ts";
import { resolveEntities } from "./html/entities.ts";
import { attributesAt } from "./html/scan.ts";
import { scanVisible } from "./html/visible.ts";

/** Whether there is a character that is seen: not a blank, and not one such as U+3164 or U+2800. */
const SEEN = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;
const hasText = (text: string): boolean => SEEN.test(resolveEntities(text));

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

export function hasTextLink(text: string, url: string): boolean {
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
export const isAddressIn = (text: string, address: string): boolean =>
  (hasLetterOrDigit(address) && text.includes(address)) || isEssenceIn(text, address);

/** What a reader of the HTML finds. */
export interface FoundInHtml {
  readonly hasLink: boolean;
  readonly hasAddress: boolean;
}
export type LookAtHtml = (html: string, url: string, address: string) => FoundInHtml;

/** Finds what is visible: a link with text or an image to click, and the address. */
export const lookAtHtml: LookAtHtml = (html, url, address) => {
  const escapedUrl = escapeHtml(url);
  let isInside = false;
  let hasLink = false;
  let text = "";
  scanVisible(html, {
    link: (from, to) => {
      // Browsers use the first of two.
      const href = html.slice(from, to).includes(escapedUrl)
        ? attributesAt(html, from).find(({ name }) => name === "href")
        : undefined;
      isInside = href !== undefined && isLinkTo(href.value, escapedUrl);
    },
    linkEnd: () => {
      isInside = false;
    },
    text: (from, to) => {
      const part = html.slice(from, to);
      if (isInside && !hasLink) hasLink = hasText(part);
      text += `${part} `;
    },
    image: () => {
      hasLink ||= isInside;
    },
  });
  // As the template inserts it, with a space for each <br>; or as an author wrote it.
  const isInserted = hasLetterOrDigit(address) && text.includes(escapeHtml(address).replaceAll("\n", " "));
  return { hasLink, hasAddress: isInserted || isEssenceIn(resolveEntities(text), address) };
};

/**
 * If everybody gets the same markup, what was visible when the content was prepared is visible: it is enough
 * that it is there.
 */
export const lookAtFixedMarkup: LookAtHtml = (html, url, address) =>
  html.includes(escapeHtml(url)) && hasLetterOrDigit(address) && html.includes(escapeFor.text(address))
    ? { hasLink: true, hasAddress: true }
    : lookAtHtml(html, url, address);
