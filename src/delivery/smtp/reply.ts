/** From the bytes of a reply to what is kept of it. A relay's words go to logs, pages and the database. */
import type { SmtpReply } from "#domain/sending/hand-over.ts";

const TEXT_LIMIT = 500;

/** One line without control characters and other invisible ones, of at most 500 characters. */
export function cleanText(text: string): string {
  // More than the limit, as runs of spaces become one; a relay may send a megabyte.
  const line = text
    .slice(0, TEXT_LIMIT * 8)
    .replace(/[\s\p{C}]+/gu, " ")
    .trim();
  // A character of two code units must not be cut in half.
  return line.length <= TEXT_LIMIT ? line : line.slice(0, TEXT_LIMIT).replace(/[\ud800-\udbff]$/, "");
}

/** Whether each line has the code of the first one, as it must (RFC 5321, 4.2.1). */
export function hasOneCode(response: string): boolean {
  const [first = "", ...others] = response.split("\n");
  if (others.length === 0) return true;
  const code = /^\d*/.exec(first)?.[0] ?? "";
  return others.every((line) => line.startsWith(code) && /^(?:[ -]|\s*$)/.test(line.slice(code.length)));
}

/** A complete reply, of one or several lines. null: not a reply. */
export function parseReply(response: string): SmtpReply | null {
  if (!hasOneCode(response)) return null;
  const lines = response.split("\n");
  const [, digits, status] = /^([2-5]\d\d)(?:[ -]([245]\.\d{1,3}\.\d{1,3})(?=\s|$)|[ -]|\s*$)/.exec(
    lines[0] ?? "",
  ) ?? [undefined, undefined, undefined];
  if (digits === undefined) return null;
  // Each line repeats the code and the status.
  const rest = lines.map((line, index) => {
    const words = line.replace(/^\d{3}[ -]?/, "");
    return index > 0 && status !== undefined && words.startsWith(status) ? words.slice(status.length) : words;
  });
  return { code: Number(digits), status: status ?? null, text: cleanText(rest.join(" ")) };
}
