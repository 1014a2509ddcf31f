/**
 * What every message must contain: the unsubscribe link, visible in the HTML and present in the text, and the
 * postal address of the sender. It looks at the rendered result, so it finds what a template leaves out for
 * some. It is a check against mistakes: an author who wants to hide something finds a way, such as colours or
 * media queries.
 */
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

/** Whether the HTML contains the address, hidden or not. */
export const hasUrl = (html: string, url: string): boolean => html.includes(escapeHtml(url));

/** Whether a visible link in the HTML leads there, with text or an image to click. */
export function hasVisibleLink(html: string, url: string): boolean {
  const escaped = escapeHtml(url);
  if (!html.includes(escaped)) return false;
  let isInside = false;
  let isFound = false;
  scanVisible(html, {
    link: (from, to) => {
      // Browsers use the first of two.
      const href = html.slice(from, to).includes(escaped)
        ? attributesAt(html, from).find(({ name }) => name === "href")
        : undefined;
      isInside = href !== undefined && isLinkTo(href.value, escaped);
    },
    linkEnd: () => {
      isInside = false;
    },
    text: (from, to) => {
      if (isInside && !isFound) isFound = hasText(html.slice(from, to));
    },
    image: () => {
      isFound ||= isInside;
    },
  });
  return isFound;
}

export function hasTextLink(text: string, url: string): boolean {
  for (let at = text.indexOf(url); at !== -1; at = text.indexOf(url, at + 1))
    if (!continues(text[at + url.length]) && precedesLink(text[at - 1])) return true;
  return false;
}

/** Letters and digits only: line breaks and commas do not matter. */
const essence = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");

function visibleText(html: string): string {
  let text = "";
  scanVisible(html, {
    text: (from, to) => {
      text += `${html.slice(from, to)} `;
    },
  });
  return text;
}

/** An empty address is everywhere: the sender has none yet. */
export const isAddressIn = (text: string, address: string): boolean =>
  text.includes(address) || essence(text).includes(essence(address));

/**
 * Mostly the template inserts the address, and in one place. Where it is hidden is found when the content is
 * prepared, so this looks at what is visible only if the address is not there as it is.
 */
export const mayShowAddress = (html: string, address: string): boolean =>
  html.includes(escapeFor.text(address)) || isAddressVisible(html, address);
export const isAddressVisible = (html: string, address: string): boolean =>
  essence(visibleText(html)).includes(essence(address));
