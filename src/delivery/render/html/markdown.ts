/**
 * Markdown to HTML: links, images, tables, no HTML inside. Liquid has been replaced by placeholders, so
 * values are inserted after it and cannot become markup. A paragraph or row that consists of Liquid tags only
 * is replaced by them, so that `{% if %}` leaves no gap. A link that is a paragraph of its own is a button,
 * if the layout has buttons.
 */
import MarkdownIt from "markdown-it";
import { MAX_OUTPUT_LENGTH } from "../engine.ts";
import type { Protected } from "../placeholders.ts";

const parser = new MarkdownIt({ html: false, linkify: true, typographer: false, maxNesting: 50 });
// A word such as notes.txt is not meant as a link.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/** A definition such as `[a]: https://a.example` may be used very often, and is written out each time. */
function render(text: string): string {
  const env = {};
  const tokens = parser.parse(text, env);
  let length = 0;
  for (const { attrs } of tokens.flatMap(({ children }) => children ?? []))
    for (const [, value] of attrs ?? []) length += String(value).length;
  if (length > MAX_OUTPUT_LENGTH)
    throw new Error(
      `The URLs and titles of its links and images have ${length} characters; at most ${MAX_OUTPUT_LENGTH} are allowed. Shorten them, or use fewer.`,
    );
  return parser.renderer.render(tokens, parser.options, env);
}

/** Throws if it is too large. */
export function markdownToHtml({ text, tagPattern }: Protected): string {
  const tags = `((?:\\s*${tagPattern})+)\\s*`;
  return render(text)
    .replaceAll(new RegExp(`<p>${tags}</p>`, "g"), "$1")
    .replaceAll(/<p>(<a [^>]*>[^<]*<\/a>)<\/p>/g, '<p class="action">$1</p>')
    .replaceAll(new RegExp(`<tr>\\s*<td[^>]*>${tags}</td>(?:\\s*<td[^>]*></td>)*\\s*</tr>`, "g"), "$1");
}
