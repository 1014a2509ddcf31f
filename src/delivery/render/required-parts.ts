/**
 * What every message must contain: the unsubscribe link, visible in the HTML and present in the text, and the
 * postal address of the sender. It looks at the rendered result, so whatever a template does cannot deceive
 * it, apart from colours and media queries.
 */
import { escapeFor, escapeHtml } from "./escape.ts";
import { attributesAt, scanHtml, voidElements } from "./html/scan.ts";

const unseen = new Set(
  "head title style script template noscript textarea select svg object iframe video audio canvas dialog math".split(
    " ",
  ),
);
const MAY_HIDE = /hidden|display|visibility|opacity|mso-hide|overflow/i;
const MAY_HIDE_LINK = /hidden|display|visibility|opacity|mso-hide|overflow|font-size/i;
const HIDES =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0*(?:\.0+)?%?\s*(?:;|!|$)|mso-hide\s*:\s*all)/i;
const NO_SIZE = /(?:^|;)\s*(?:max-)?(?:height|width)\s*:\s*0/i;
const OVERFLOW = /(?:^|;)\s*overflow\s*:\s*hidden/i;
const NO_FONT = /(?:^|;)\s*font-size\s*:\s*[01](?:px|pt|em|%)?\s*(?:;|!|$)/i;
/** What nobody sees or can click. */
const INVISIBLE = /&(?:nbsp|zwnj|zwj|shy|#847|#160|#820[3-5]);|\u034f|[\s\u00ad\u200b-\u200d\ufeff]/g;
const hasText = (text: string): boolean => text.replaceAll(INVISIBLE, "") !== "";

function hides(html: string, from: number, to: number, isLink: boolean): boolean {
  if (!(isLink ? MAY_HIDE_LINK : MAY_HIDE).test(html.slice(from, to))) return false;
  return attributesAt(html, from).some(
    ({ name, value }) =>
      name === "hidden" ||
      (name === "style" &&
        (HIDES.test(value) ||
          (NO_SIZE.test(value) && OVERFLOW.test(value)) ||
          (isLink && NO_FONT.test(value)))),
  );
}

/** Calls `text` for what a reader sees, and `link` for each visible link. */
function scanVisible(
  html: string,
  on: {
    readonly text: (from: number, to: number) => void;
    readonly link: (from: number, to: number) => void;
    readonly linkEnd: () => void;
    readonly image: () => void;
  },
): void {
  // The hidden element that we are in, and how many elements of its name are open.
  let hidden = "";
  let depth = 0;
  scanHtml(html, {
    start: (name, from, to) => {
      if (hidden !== "") {
        if (name === hidden) depth += 1;
        return;
      }
      if (unseen.has(name) || hides(html, from, to, name === "a")) {
        if (voidElements.has(name)) return;
        hidden = name;
        depth = 1;
      } else if (name === "a") on.link(from, to);
      else if (name === "img") on.image();
    },
    end: (name) => {
      if (hidden !== "") {
        if (name === hidden) depth -= 1;
        if (depth === 0) hidden = "";
      } else if (name === "a") on.linkEnd();
    },
    text: (from, to, within) => {
      if (hidden === "" && within === "") on.text(from, to);
    },
  });
}

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
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  nbsp: " ",
  "#39": "'",
};

function visibleText(html: string): string {
  let text = "";
  const nothing = (): void => undefined;
  scanVisible(html, {
    link: nothing,
    linkEnd: nothing,
    image: nothing,
    text: (from, to) => {
      text += `${html.slice(from, to)} `;
    },
  });
  return text.replaceAll(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole);
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
