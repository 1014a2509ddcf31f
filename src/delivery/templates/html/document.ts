/**
 * Completes the HTML of a message: a document around a fragment, the preheader as hidden text, and what a
 * preview needs.
 */
import { escapingFilter } from "../engine.ts";
import { scanHtml, voidElements } from "./scan.ts";

/** Mail programs show the beginning of the text beside the subject: the blanks keep the message out of it. */
const padding = "&#847;&zwnj;&nbsp;".repeat(30);
const hiddenStyle =
  "display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all";
const preheader = `<div style="${hiddenStyle}">{{ preheader${escapingFilter("text", null)} }}${padding}</div>`;

const START = `<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"></head><body>
`;

/** A template without html and body elements gets them. */
export function asDocument(html: string): string {
  const names = new Set<string>();
  scanHtml(html, { start: (name) => names.add(name) });
  return ["html", "head", "body"].some((name) => names.has(name))
    ? html
    : `${START}${html}\n</body></html>\n`;
}

/** Elements that end where the next one starts, if they are not closed. */
const closesItself = new Set("p li td th tr dt dd option thead tbody tfoot colgroup".split(" "));
const MAX_NESTING = 200;

/** Throws if elements are nested so deeply that other programs fail or take minutes. */
export function checkNesting(html: string): void {
  let depth = 0;
  let deepest = 0;
  const isCounted = (name: string): boolean => !voidElements.has(name) && !closesItself.has(name);
  scanHtml(html, {
    start: (name) => {
      if (isCounted(name)) depth += 1;
      deepest = Math.max(deepest, depth);
    },
    end: (name) => {
      if (isCounted(name)) depth = Math.max(0, depth - 1);
    },
  });
  if (deepest > MAX_NESTING)
    throw new Error(
      `Elements are nested ${deepest} deep; at most ${MAX_NESTING} are allowed. Close elements where they end.`,
    );
}

/** Inserts the preheader, as final Liquid, at the start of the body; of each body if Liquid chooses one. */
export function withPreheader(html: string): string {
  const positions: number[] = [];
  let afterHead = 0;
  scanHtml(html, {
    start: (name, _, to) => {
      if (name === "body") positions.push(to);
      else if (name === "html") afterHead = to;
    },
    end: (name, _, to) => {
      if (name === "head") afterHead = to;
    },
  });
  let result = html;
  for (const position of (positions.length === 0 ? [afterHead] : positions).toReversed())
    result = result.slice(0, position) + preheader + result.slice(position);
  return result;
}

/**
 * For a frame that may not open windows. A link would replace the message by another page; with this target
 * it does nothing.
 */
export function withIdleLinks(html: string): string {
  const after = { head: 0, html: 0, doctype: 0 };
  scanHtml(html, {
    start: (name, _, to) => {
      if (name === "head" || name === "html") after[name] ||= to;
    },
    comment: (from, to) => {
      if (html.slice(from, from + 9).toLowerCase() === "<!doctype") after.doctype ||= to;
    },
  });
  const at = after.head || after.html || after.doctype;
  return `${html.slice(0, at)}<base target="_blank">${html.slice(at)}`;
}
