/** What the buttons of the Markdown editor do; the selection is between `⟦` and `⟧`, or the cursor at `|`. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { EditorState, type TransactionSpec } from "@codemirror/state";
import {
  insertParagraphs,
  linkAt,
  picture,
  replaceWith,
  toggleHeading,
  toggleLines,
  toggleMark,
} from "#html/editor/commands.ts";

type Change = (state: EditorState) => TransactionSpec;

function stateOf(marked: string): EditorState {
  const [from, to] = marked.includes("|")
    ? [marked.indexOf("|"), marked.indexOf("|")]
    : [marked.indexOf("⟦"), marked.indexOf("⟧") - 1];
  return EditorState.create({
    doc: marked.replace(/[|⟦⟧]/g, ""),
    selection: { anchor: from, head: to },
  });
}
function shown(state: EditorState): string {
  const { from, to } = state.selection.main;
  const text = state.doc.toString();
  return from === to
    ? `${text.slice(0, from)}|${text.slice(from)}`
    : `${text.slice(0, from)}⟦${text.slice(from, to)}⟧${text.slice(to)}`;
}
const after = (before: string, change: Change): string => {
  const state = stateOf(before);
  return shown(state.update(change(state)).state);
};

const cases: Readonly<
  Record<string, readonly (readonly [what: string, Change, before: string, after: string])[]>
> = {
  "bold and italic": [
    ["mark what is selected", toggleMark("**"), "a ⟦b c⟧ d", "a **⟦b c⟧** d"],
    ["go away from what has them", toggleMark("**"), "a **⟦b c⟧** d", "a ⟦b c⟧ d"],
    ["go away if they are selected, too", toggleMark("**"), "a ⟦**b c**⟧ d", "a ⟦b c⟧ d"],
    ["mark the word at the cursor", toggleMark("*"), "one tw|o three", "one *tw|o* three"],
    ["are there for what is written next", toggleMark("**"), "one |", "one **|**"],
    ["go away again if nothing was written", toggleMark("**"), "one **|**", "one |"],
    ["are not each other", toggleMark("*"), "a **⟦b⟧** c", "a ***⟦b⟧*** c"],
    ["are undone one by one", toggleMark("**"), "a ***⟦b⟧*** c", "a *⟦b⟧* c"],
    [
      "leave spaces and the marks of lists outside",
      toggleMark("**"),
      "⟦- one \n- two⟧",
      "- **⟦one** \n- **two⟧**",
    ],
  ],
  "a heading": [
    ["is large at first", toggleHeading(null), "On|e", "# On|e"],
    ["is smaller each time", toggleHeading(null), "## On|e", "### On|e"],
    ["is a paragraph in the end", toggleHeading(null), "### On|e", "On|e"],
    ["has the level of its shortcut", toggleHeading(2), "# On|e", "## On|e"],
    ["of this level is a paragraph again", toggleHeading(2), "## On|e", "On|e"],
  ],
  "a list": [
    ["is made of the lines", toggleLines("list"), "⟦one\n\ntwo⟧", "- ⟦one\n\n- two⟧"],
    ["becomes a numbered one", toggleLines("numbered"), "⟦- one\n- two⟧", "⟦1. one\n2. two⟧"],
    ["becomes paragraphs", toggleLines("numbered"), "1. on|e", "on|e"],
    ["keeps its indentation", toggleLines("list"), "  1. on|e", "  - on|e"],
    ["begins in an empty line", toggleLines("list"), "|", "- |"],
  ],
  "a quote": [
    ["is made of the lines", toggleLines("quote"), "⟦one\ntwo⟧", "> ⟦one\n> two⟧"],
    ["becomes paragraphs", toggleLines("quote"), "> on|e", "on|e"],
  ],
  paragraphs: [
    ["are inserted with empty lines around", insertParagraphs("---", true), "one|two", "one\n\n---\n\n|two"],
    [
      "use the empty lines that are there",
      insertParagraphs("---", true),
      "one\n\n|\n\ntwo",
      "one\n\n---\n\n|two",
    ],
    ["begin a text", insertParagraphs("---", true), "|", "---\n\n|"],
    ["end a text where they were pasted", insertParagraphs("a\n\nb", false), "one\n|", "one\n\na\n\nb|"],
  ],
  "a link": [
    [
      "takes the place of the one at the cursor",
      (state) => replaceWith(linkAt(state), `${linkAt(state).text}+${linkAt(state).url}`)(state),
      "a [b](https://c.example) [t|wo](https://d.example)",
      "a [b](https://c.example) two+https://d.example|",
    ],
    [
      "is not a picture",
      (state) => replaceWith(linkAt(state), "x")(state),
      "![al|t](https://c.example)",
      "![alx|t](https://c.example)",
    ],
  ],
};
for (const [what, rows] of Object.entries(cases))
  describe(what, () => {
    for (const [title, change, before, expected] of rows)
      test(title, () => assert.equal(after(before, change), expected));
  });

test("the alternative text of a picture means itself", () => {
  assert.equal(picture("a [b] *c*", "https://a.example"), "![a \\[b\\] \\*c\\*](https://a.example)");
});
