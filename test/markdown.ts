/**
 * Markdown at 110 columns: wraps what generators write. Code blocks, tables, headings, comments and images keep their
 * lines; so does a word, a link or a code span that is longer by itself.
 */
export const COLUMNS = 110;

const FENCE = /^\s*(?:```|~~~)/;
const KEPT = /^\s*(?:$|#{1,6} |\||<|!\[)/;
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+/;
/** What would begin a list, a heading, a quotation or a table where it begins a line. */
const MARKER = /^(?:[-+*#>|]|\d+[.)])/;

export function wrapMarkdown(source: string): string {
  const wrapped: string[] = [];
  let block: string | null = null;
  let isCode = false;
  const flush = (): void => {
    if (block !== null) wrapped.push(...wrapBlock(block));
    block = null;
  };
  for (const line of source.split("\n")) {
    const isFence = FENCE.test(line);
    if (isFence || isCode || KEPT.test(line)) {
      flush();
      wrapped.push(line);
      if (isFence) isCode = !isCode;
    } else if (block === null || ITEM.test(line)) {
      flush();
      block = line;
    } else block += ` ${line.trim()}`;
  }
  flush();
  return wrapped.join("\n");
}

/** A paragraph or an item of a list, in one line. */
function wrapBlock(block: string): readonly string[] {
  const marker = ITEM.exec(block)?.[0] ?? /^\s*/.exec(block)?.[0] ?? "";
  const indent = " ".repeat(marker.length);
  const lines: string[] = [];
  let line = marker;
  for (const word of block.slice(marker.length).match(/(?:`[^`]*`|[^\s`])+/g) ?? []) {
    const isFirst = line.length === marker.length;
    if (isFirst || line.length + 1 + word.length <= COLUMNS || MARKER.test(word))
      line += isFirst ? word : ` ${word}`;
    else {
      lines.push(line);
      line = indent + word;
    }
  }
  return [...lines, line];
}
