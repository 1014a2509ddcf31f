/**
 * What the buttons and shortcuts of the Markdown editor do to its text, as changes of a state. No DOM, so it
 * runs in Node, too.
 */
import { type ChangeSpec, EditorSelection, type EditorState, type TransactionSpec } from "@codemirror/state";
import { escapeText } from "./to-markdown.ts";

type Change = (state: EditorState) => TransactionSpec;
interface Span {
  readonly from: number;
  readonly to: number;
}

/** What begins a line of a list, a quote or a heading. */
const LINE_START = /^\s*(?:#{1,6}\s|(?:>\s?)+|[-*+]\s|\d{1,9}[.)]\s)?\s*/;

/** The texts of the lines of a range; marks do not go beyond a line. */
function textsIn(state: EditorState, { from, to }: Span): readonly Span[] {
  const found: Span[] = [];
  for (let at = from; at <= to; ) {
    const line = state.doc.lineAt(at);
    const begin = Math.max(from, line.from + (LINE_START.exec(line.text)?.[0].length ?? 0));
    const end = Math.min(to, line.to);
    const text = state.sliceDoc(Math.min(begin, end), end);
    const first = Math.min(begin, end) + text.length - text.trimStart().length;
    const last = first + text.trim().length;
    if (first < last) found.push({ from: first, to: last });
    at = line.to + 1;
  }
  return found;
}

/** Whether exactly this mark is before or after a place: the one of bold is not twice the one of italic. */
function hasMark(text: string, mark: string): boolean {
  const stars = text.length;
  return mark.length === 2 ? stars >= 2 : stars === 1 || stars === 3;
}
const starsBefore = (state: EditorState, at: number): string =>
  /\*{0,3}$/.exec(state.sliceDoc(Math.max(0, at - 3), at))?.[0] ?? "";
const starsAfter = (state: EditorState, at: number): string =>
  /^\*{0,3}/.exec(state.sliceDoc(at, at + 3))?.[0] ?? "";

/** Bold (`**`) or italic (`*`): what is selected, or the word at the cursor; marks that are there go away. */
export const toggleMark =
  (mark: "**" | "*"): Change =>
  (state) => {
    const { length } = mark;
    return state.changeByRange((range) => {
      const word = range.empty ? state.wordAt(range.head) : null;
      const texts = textsIn(state, word ?? range);
      if (texts.length === 0) {
        const inside =
          hasMark(starsBefore(state, range.head), mark) && hasMark(starsAfter(state, range.head), mark);
        const changes: ChangeSpec = inside
          ? { from: range.head - length, to: range.head + length }
          : { from: range.head, insert: mark + mark };
        const at = range.head + (inside ? -length : length);
        return { changes, range: EditorSelection.cursor(at) };
      }
      // The selection may contain its marks.
      const inner = texts.map(({ from, to }) => {
        const before = starsAfter(state, from);
        const isWhole =
          to - from > 2 * length && hasMark(before, mark) && hasMark(starsBefore(state, to), mark);
        return isWhole ? { from: from + length, to: to - length } : { from, to };
      });
      const isMarked = inner.every(
        ({ from, to }) => hasMark(starsBefore(state, from), mark) && hasMark(starsAfter(state, to), mark),
      );
      const changes: ChangeSpec[] = inner.flatMap(({ from, to }): ChangeSpec[] =>
        isMarked
          ? [
              { from: from - length, to: from },
              { from: to, to: to + length },
            ]
          : [
              { from, insert: mark },
              { from: to, insert: mark },
            ],
      );
      const set = state.changes(changes);
      const [first, last] = [inner[0]?.from ?? range.from, inner.at(-1)?.to ?? range.to];
      const selected = EditorSelection.range(set.mapPos(first, 1), set.mapPos(last, -1));
      return { changes, range: range.empty ? EditorSelection.cursor(set.mapPos(range.head, -1)) : selected };
    });
  };

/** Changes every line that the selection touches, and leaves out empty ones between others. */
function changeLines(
  state: EditorState,
  change: (text: string, index: number, all: readonly string[]) => string,
): TransactionSpec {
  const numbers = new Set<number>();
  for (const { from, to } of state.selection.ranges)
    for (let at = state.doc.lineAt(from).number; at <= state.doc.lineAt(to).number; at += 1) numbers.add(at);
  const lines = [...numbers].map((number) => state.doc.line(number));
  const used = lines.filter(({ text }) => lines.length === 1 || text.trim() !== "");
  const texts = used.map(({ text }) => text);
  const changes = state.changes(
    used.map(({ from, text }, index) => {
      // Only the beginning changes, so that the cursor stays where it is in the text.
      const next = change(text, index, texts);
      let same = 0;
      while (same < Math.min(text.length, next.length) && text.at(-1 - same) === next.at(-1 - same))
        same += 1;
      return { from, to: from + text.length - same, insert: next.slice(0, next.length - same) };
    }),
  );
  const { ranges, mainIndex } = state.selection;
  const moved = ranges.map(({ anchor, head }) =>
    EditorSelection.range(changes.mapPos(anchor, 1), changes.mapPos(head, 1)),
  );
  return { changes, selection: EditorSelection.create(moved, mainIndex) };
}

const HEADING = /^(#{1,6})\s+/;

/** A heading of a level; the same level again is a paragraph. null: a large, a middle, a small one, none. */
export const toggleHeading =
  (wanted: 1 | 2 | 3 | null): Change =>
  (state) =>
    changeLines(state, (text, _, all) => {
      const present = HEADING.exec(all[0] ?? "")?.[1]?.length ?? 0;
      const level = wanted === null ? (present + 1) % 4 : wanted === present ? 0 : wanted;
      const rest = text.replace(HEADING, "");
      return level === 0 ? rest : `${"#".repeat(level)} ${rest}`;
    });

const ITEM = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+/;
const isOf: Readonly<Record<"list" | "numbered" | "quote", RegExp>> = {
  list: /^\s*[-*+]\s/,
  numbered: /^\s*\d{1,9}[.)]\s/,
  quote: /^>/,
};

/** A list, a numbered list or a quote; if all lines are one already, they are paragraphs. */
export const toggleLines =
  (kind: "list" | "numbered" | "quote"): Change =>
  (state) =>
    changeLines(state, (text, index, all) => {
      const isOn = all.every((line) => isOf[kind].test(line));
      if (kind === "quote") return isOn ? text.replace(/^> ?/, "") : `> ${text}`;
      const indent = ITEM.exec(text)?.[1] ?? "";
      const rest = text.replace(ITEM, "").trimStart();
      if (isOn) return indent + rest;
      return `${indent}${kind === "list" ? "-" : `${index + 1}.`} ${rest}`;
    });

/** How many of the two line breaks that end a paragraph are missing between two texts. */
const breaks = (there: number): string => "\n".repeat(Math.max(0, 2 - there));

/** Inserts paragraphs in place of the selection. `isClosed`: what is written next is another paragraph. */
export const insertParagraphs =
  (text: string, isClosed: boolean): Change =>
  (state) => {
    const { from, to } = state.selection.main;
    const before = /\n{0,2}$/.exec(state.sliceDoc(Math.max(0, from - 2), from))?.[0].length ?? 0;
    const after = /^\n{0,2}/.exec(state.sliceDoc(to, to + 2))?.[0].length ?? 0;
    const start = from === before ? "" : breaks(before);
    const end = to === state.doc.length && !isClosed ? "" : breaks(after);
    const anchor = from + start.length + text.length;
    return {
      changes: { from, to, insert: start + text + end },
      selection: { anchor: isClosed ? anchor + end.length + after : anchor },
      scrollIntoView: true,
    };
  };

export interface Link extends Span {
  readonly text: string;
  readonly url: string;
}
const LINK = /(!?)\[([^[\]\n]*)\]\(([^()\n]*)\)/g;

/** The link in which the cursor is, or the selection as the text of a new one. */
export function linkAt(state: EditorState): Link {
  const { from, to } = state.selection.main;
  const line = state.doc.lineAt(from);
  for (const { 0: whole, 1: mark, 2: text = "", 3: url = "", index } of line.text.matchAll(LINK)) {
    const start = line.from + index;
    if (mark === "" && start <= from && to <= start + whole.length)
      return { from: start, to: start + whole.length, text, url };
  }
  return { from, to, text: state.sliceDoc(from, to), url: "" };
}

export const link = (text: string, url: string): string => `[${text}](${url})`;
export const picture = (alternative: string, url: string): string => `![${escapeText(alternative)}](${url})`;

/** Puts a link in the place of what `linkAt` has found. */
export const replaceWith =
  ({ from, to }: Span, text: string): Change =>
  () => ({
    changes: { from, to, insert: text },
    selection: { anchor: from + text.length },
    scrollIntoView: true,
  });
