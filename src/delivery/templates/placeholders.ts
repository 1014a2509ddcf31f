/**
 * Replaces the Liquid of a template by words, so that programs which know nothing of Liquid (Markdown, CSS,
 * HTML to text) leave it alone, and puts it back. The words do not occur in the template. Each is a name, a
 * value and a part of a URL alike.
 */
import { TagToken, Tokenizer, TokenKind } from "liquidjs";
import { escapingFilter, finalEngine } from "./engine.ts";
import type { EscapeContext } from "./escape.ts";
import { isMergeField } from "./merge-fields.ts";

interface LiquidPiece {
  readonly source: string;
  readonly isOutput: boolean;
  /** The name of a tag; "comment" for a comment with all that it contains; "" for an output. */
  readonly tag: string;
  /** In the template. */
  readonly from: number;
}
export interface Protected {
  readonly text: string;
  readonly pieces: readonly LiquidPiece[];
  /** Matches a placeholder; its group is the number of the piece. Without flags. */
  readonly pattern: string;
  /** Matches one of a tag only. */
  readonly tagPattern: string;
  /** The position in the template of a position in the text. */
  readonly sourceAt: (position: number) => number;
}

/** A prefix that the text does not contain in any case. */
function unusedPrefix(text: string): string {
  const [, ...after] = text.toLowerCase().split("lq");
  const used = new Set(after.map((part) => /^\d{0,6}x/.exec(part)?.[0]));
  for (let number = 0; ; number += 1) {
    const end = `${number === 0 ? "" : number}x`;
    if (!used.has(end)) return `lq${end}`;
  }
}

/**
 * Throws what Liquid throws about an unclosed tag. `trims`: without the white space that `{{-` and `-}}`
 * remove, so that the text is what will be rendered: `< {%- if true -%} b>` is a tag.
 */
export function protectLiquid(template: string, { trims = false } = {}): Protected {
  const prefix = unusedPrefix(template);
  const tokens = new Tokenizer(template).readTopLevelTokens(finalEngine.options);
  const pieces: LiquidPiece[] = [];
  const chunks: { readonly at: number; readonly from: number }[] = [];
  let text = "";
  let commentFrom: number | null = null;
  for (const token of tokens) {
    const tag = token instanceof TagToken ? token.name : "";
    if (commentFrom !== null && tag !== "endcomment") continue;
    if (tag === "comment") {
      commentFrom = token.begin;
      continue;
    }
    // A comment is one piece with what it contains.
    const from: number = commentFrom ?? token.begin;
    chunks.push({ at: text.length, from });
    if (token.kind === TokenKind.HTML) {
      // Liquid's type for such a token is not exported.
      text += trims ? (token as unknown as { getContent(): string }).getContent() : token.getText();
      continue;
    }
    const isOutput = token.kind === TokenKind.Output;
    text += `${prefix}${isOutput ? "o" : "t"}${pieces.length}z`;
    pieces.push({
      source: template.slice(from, token.end),
      ...{ isOutput, tag: commentFrom === null ? tag : "comment", from },
    });
    commentFrom = null;
  }
  const sourceAt = (position: number): number => {
    const chunk = chunks.findLast(({ at }) => at <= position);
    return chunk === undefined ? 0 : chunk.from + position - chunk.at;
  };
  return { text, pieces, pattern: `${prefix}[ot](\\d+)z`, tagPattern: `${prefix}t\\d+z`, sourceAt };
}

const FIELD = /^\{\{-?\s*([a-z_]\w*)(?:\.([\w-]+)|\[\s*(?:"([^"]*)"|'([^']*)')\s*\])?\s*(\||-?\}\}$)/i;
/** The merge field that an output inserts as it is and without a default: first_name, fields["Town"]. */
function fieldWithoutDefault(source: string): string | null {
  const [, name, identifier, quoted, other] = FIELD.exec(source) ?? [];
  const property = identifier ?? quoted ?? other ?? null;
  if (name === undefined || !isMergeField(name, property) || /\|\s*default\s*:/.test(source)) return null;
  return property === null ? name : `${name}["${property}"]`;
}

/** Encoded. It is written into the template beside the output, whose length is limited. */
const LONGEST_NAME = 90;
/** The beginning of an output, on one line: first_name | default: last_name. */
function shortForm(source: string): string {
  const close = source.endsWith("-}}") ? 3 : 2;
  const inner = source.slice(source.startsWith("{{-") ? 3 : 2, -close).trim();
  const start = inner.slice(0, LONGEST_NAME);
  let short = "";
  let length = 0;
  for (const character of start.toWellFormed().replaceAll(/[\s\p{Cc}]+/gu, " ")) {
    length += encodeURIComponent(character).length;
    if (length > LONGEST_NAME) return `${short.trim()}…`;
    short += character;
  }
  return start === inner ? short : `${short.trim()}…`;
}
/** Under which name an output is reported if it is empty. */
const outputName = (source: string): string => fieldWithoutDefault(source) ?? shortForm(source);

const ALREADY_ENCODED = /\|\s*url_encode\s*-?\}\}$/;

/** The output with the filter that escapes it for its context. */
function escapedOutput({ source }: LiquidPiece, context: EscapeContext): string {
  const close = source.endsWith("-}}") ? 3 : 2;
  const isEncoded = context.endsWith("of a link") && ALREADY_ENCODED.test(source);
  const actual = isEncoded ? (context.startsWith("plain") ? "plain" : "attribute") : context;
  return `${source.slice(0, -close)}${escapingFilter(actual, outputName(source))} ${source.slice(-close)}`;
}

/** Puts the Liquid back, escaped for the contexts in which `contextAt` says that it is. */
export const restoreLiquid = (
  text: string,
  { pieces, pattern }: Protected,
  contextAt: (position: number, piece: number) => EscapeContext,
): string =>
  text.replaceAll(new RegExp(pattern, "g"), (_, index: string, position: number) => {
    const piece = pieces[Number(index)];
    if (piece === undefined) return "";
    return piece.isOutput ? escapedOutput(piece, contextAt(position, Number(index))) : piece.source;
  });
