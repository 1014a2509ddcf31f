/**
 * Makes the text part from the HTML, once per campaign: with placeholders for Liquid. Lines are not wrapped,
 * because values differ in length; mail programs wrap them.
 */
import { compile } from "html-to-text";

const hidden = [
  "[hidden]",
  ...["display:none", "display: none", "visibility:hidden", "visibility: hidden"].map(
    (style) => `[style*="${style}"]`,
  ),
];
const convert = compile({
  wordwrap: false,
  limits: { maxInputLength: 2_000_000, maxDepth: 200 },
  selectors: [
    { selector: "a", options: { linkBrackets: ["<", ">"], hideLinkHrefIfSameAsText: true } },
    { selector: "img", format: "skip" },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
    ...["head", "script", "style", "title", "template", ...hidden].map((selector) => ({
      selector,
      format: "skip",
    })),
    { selector: "tr", format: "block", options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: "hr", options: { length: 24 } },
  ],
});

export const htmlToText = (html: string): string =>
  `${convert(html)
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()}\n`;
