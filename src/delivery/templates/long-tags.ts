/**
 * Finds Liquid tags and outputs that are too long to be analysed in time: the time grows with the square of
 * their length, so `{% if email or email … %}` with 20,000 terms takes eight seconds. Looks at the source
 * only, in one pass.
 */
import type { CampaignContent } from "#domain/sending/mailing.ts";
import type { ContentPart, ContentProblem } from "../messages.ts";

/** Names, values and operators. No author writes so many by hand. */
export const MAX_TOKENS = 500;

const OPENING = /\{[{%]/g;
const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\}\}|[\w-]+|[^\s\w]/gs;
/** What is inside is text. */
const COMMENT = /^\{%-?\s*comment\b/;
const END_OF_COMMENT = /\{%-?\s*endcomment\b/g;

const parts = ["subject", "preheader", "html", "markdown", "text"] as const satisfies readonly ContentPart[];

/** The first of each part. */
export const longTags = (content: CampaignContent): readonly ContentProblem[] =>
  parts.flatMap((part) => {
    const source = content[part];
    const from = source === null ? null : firstLongTag(source);
    if (source === null || from === null) return [];
    const line = source.slice(0, from).split("\n").length;
    const message = `A Liquid tag has more than ${MAX_TOKENS} words and operators. Close it, or divide it into several.`;
    return [{ part, line, message }];
  });

function firstLongTag(source: string): number | null {
  const opening = new RegExp(OPENING);
  for (let found = opening.exec(source); found !== null; found = opening.exec(source)) {
    const { index } = found;
    const end = found[0] === "{{" ? endOfOutput(source, index + 2) : endOfTag(source, index);
    if (end === "too long") return index;
    // Liquid says what is wrong with a tag that does not end.
    if (end === null) return null;
    opening.lastIndex = end;
  }
  return null;
}

/** As in Liquid, braces in quotes do not end an output, but the end of a tag in quotes does end it. */
function endOfOutput(source: string, from: number): number | "too long" | null {
  const token = new RegExp(TOKEN);
  token.lastIndex = from;
  for (let tokens = 0; tokens <= MAX_TOKENS; tokens += 1) {
    const found = token.exec(source);
    if (found === null) return null;
    if (found[0] === "}}") return found.index;
  }
  return "too long";
}

function endOfTag(source: string, from: number): number | "too long" | null {
  const end = source.indexOf("%}", from);
  if (end === -1) return null;
  const tag = source.slice(from, end);
  let tokens = 0;
  for (const _ of tag.matchAll(TOKEN)) {
    tokens += 1;
    if (tokens > MAX_TOKENS) return "too long";
  }
  return COMMENT.test(tag) ? endOfComment(source, end) : end;
}

function endOfComment(source: string, from: number): number {
  const end = new RegExp(END_OF_COMMENT);
  end.lastIndex = from;
  return end.exec(source)?.index ?? source.length;
}
