/** Wraps text at a display width. */
import { displayWidth, padRight } from "./terminal-text.ts";

const DEFAULT_WIDTH = 80;
/** Readable limits. */
const [MIN_WIDTH, MAX_WIDTH] = [40, 100];

/** COLUMNS if it is set, otherwise the terminal's width, otherwise 80; within the limits. */
export function helpWidth(variable: string | undefined, terminal: number | null): number {
  const chosen = /^[1-9]\d{0,4}$/.test(variable ?? "") ? Number(variable) : (terminal ?? DEFAULT_WIDTH);
  return Math.min(Math.max(chosen, MIN_WIDTH), MAX_WIDTH);
}

/** Breaks between words only, so that a long word such as a path can be copied. */
export function wrap(text: string, width: number, indent = ""): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || displayWidth(longer) <= width - displayWidth(indent)) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].join(`\n${indent}`);
}

/** Paragraphs are separated by empty lines; a line that begins with a space is not wrapped. */
export function wrapParagraphs(text: string, width: number): string {
  const parts: string[][] = [];
  let isOpen = false;
  for (const line of text.split("\n")) {
    const isFixed = line === "" || line.startsWith(" ");
    if (isFixed || !isOpen) parts.push([line]);
    else parts.at(-1)?.push(line);
    isOpen = !isFixed;
  }
  return parts
    .map((lines) => (lines[0]?.startsWith(" ") === true ? lines[0] : wrap(lines.join(" "), width)))
    .join("\n");
}

const MAX_LEFT = 28;
const MIN_RIGHT = 36;
const MARGIN = "  ";

/** Two columns; if the left one is too long, or there is no room, the right one is below it. */
export function wrapColumns(
  rows: readonly (readonly [left: string, right: string])[],
  width: number,
): string {
  const fitting = rows.map(([left]) => displayWidth(left)).filter((length) => length <= MAX_LEFT);
  const wanted = Math.max(MARGIN.length, ...fitting);
  const left = width - wanted < MIN_RIGHT ? MARGIN.length : wanted;
  const indent = " ".repeat(left + 2 * MARGIN.length);
  return rows
    .map(([name, text]) => {
      const head = displayWidth(name) <= left ? `${padRight(name, left)}${MARGIN}` : `${name}\n${indent}`;
      return `${MARGIN}${head}${wrap(text, width, indent)}`;
    })
    .join("\n");
}
