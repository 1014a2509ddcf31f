/**
 * Makes the text part from the HTML, once per campaign: with placeholders for Liquid. Lines are not wrapped,
 * because values differ in length; mail programs wrap them.
 */
import { compile, type DomNode, type FormatCallback } from "html-to-text";

const hidden = [
  "[hidden]",
  ...["display:none", "display: none", "visibility:hidden", "visibility: hidden"].map(
    (style) => `[style*="${style}"]`,
  ),
];
/** The type does not name all that a node has. */
type Linked = Pick<DomNode, "type" | "data"> & {
  readonly [to in "next" | "parent"]?: Linked | null;
} & { readonly children?: readonly Linked[] };
/** What follows an element, if it is text; otherwise "". */
function textAfter(element: DomNode): string {
  let node = element as Linked | null | undefined;
  while (node && !node.next) node = node.parent;
  node = node?.next;
  while (node && node.type !== "text") node = node.children?.[0];
  return node?.data ?? "";
}
const ENDS_SENTENCE = /^[\s.,;:!?…)\]}"'»”’]/;

/**
 * A link with its address, and a space unless the sentence ends: the next link is not a part of it. One to a
 * place in the message itself is its text only.
 */
const link: FormatCallback = (element, walk, builder) => {
  const href = (element.attribs?.href ?? "").replace(/^mailto:/, "");
  let text = "";
  builder.pushWordTransform((word) => {
    text += word;
    return word;
  });
  walk(element.children, builder);
  builder.popWordTransform();
  if (href === "" || href.startsWith("#")) return;
  if (href !== text) builder.addInline(` <${href}>`, { noWordTransform: true });
  if (!ENDS_SENTENCE.test(textAfter(element))) builder.addInline(" ");
};
/** The text of an image in place of it. */
const image: FormatCallback = (element, _, builder) => {
  const alt = (element.attribs?.alt ?? "").trim();
  if (alt !== "") builder.addInline(` ${alt} `);
};
/** Cells of a row are on one line, unless they contain paragraphs. */
const cell: FormatCallback = (element, walk, builder) => {
  builder.addInline(" ");
  walk(element.children, builder);
  builder.addInline(" ");
};

const convert = compile({
  wordwrap: false,
  formatters: { link, image, cell },
  limits: { maxInputLength: 2_000_000, maxDepth: 200 },
  selectors: [
    { selector: "a", format: "link" },
    { selector: "img", format: "image" },
    ...["td", "th"].map((selector) => ({ selector, format: "cell" })),
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
