/**
 * Markdown at 110 columns: wraps what generators write. Code blocks, tables, headings, comments and images
 * keep their lines; so does a word, a link or a code span that is longer by itself.
 */
export const COLUMNS = 110;

const FENCE = /^\s*(?:```|~~~)/;
const KEPT = /^\s*(?:$|#{1,6} |\||<|!\[)/;
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+/;
/** What would begin a list, a heading, a quotation or a table where it begins a line. */
const MARKER = /^(?:[-+*=]$|#{1,6}$|\d+[.)]$|[>|])/;

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
  const lines: string[] = [];
  let line = marker;
  for (const word of wordsOf(block.slice(marker.length))) {
    if (line.length === marker.length) line += word;
    else if (line.length + 1 + word.length <= COLUMNS) line += ` ${word}`;
    else {
      lines.push(line);
      line = " ".repeat(marker.length) + word;
    }
  }
  return [...lines, line];
}

/**
 * What stays in one line: a word, a code span, and whatever must not begin a line with the word before it.
 */
function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  for (const word of text.match(/(?:`[^`]*`|[^\s`])+/g) ?? [])
    if (MARKER.test(word) && words.length > 0) words.push(`${words.pop()} ${word}`);
    else words.push(word);
  return words;
}
