import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { qrCode } from "#console/pages/me.ts";
import { stateBadge, subscriberStates } from "#html/components/badge.ts";
import { button } from "#html/components/buttons.ts";
import { codeBlock } from "#html/components/code.ts";
import { notice, progress } from "#html/components/feedback.ts";
import {
  checkboxGroup,
  errorSummary,
  fileField,
  idOf,
  radioGroup,
  textArea,
  textField,
} from "#html/components/fields.ts";
import { definitions } from "#html/components/figures.ts";
import { pager, selectionBar, table } from "#html/components/table.ts";
import { html } from "#html/html.ts";
import { samplePages } from "./sample-pages.ts";

const HOSTILE = `<b onclick="x">'&"`;
const ESCAPED = "&lt;b onclick=&quot;x&quot;&gt;&#39;&amp;&quot;";

test("text of any length is escaped", () => {
  for (const times of [1, 10_000])
    assert.equal(html`${HOSTILE.repeat(times)}`.html === ESCAPED.repeat(times), true, String(times));
});

describe("every sample page", () => {
  const pages = Object.entries(samplePages).map(([name, page]) => [name, page()] as const);

  test("has no markup of hostile text, no inline style, no inline script and no event handler", () => {
    for (const [name, page] of pages) {
      assert.doesNotMatch(page, /<img|<script>|<style/, name);
      assert.doesNotMatch(page.replaceAll(/"[^"]*"/g, '""'), /<[^>]*\s(style|on\w+)=/, name);
    }
  });

  test("has unique ids, one first-level heading and a main landmark", () => {
    for (const [name, page] of pages) {
      const ids = [...page.matchAll(/ id="(.*?)"/g)].map(([, id]) => id);
      assert.deepEqual([...new Set(ids)], ids, name);
      assert.equal(page.match(/<h1/g)?.length, 1, name);
      assert.equal(page.match(/<main/g)?.length, 1, name);
    }
  });
});

describe("a field", () => {
  test("keeps the value that was sent, and is joined with its hint and its error", () => {
    const { html } = textField({ name: "n", label: "Name", value: HOSTILE, hint: "Why", error: HOSTILE });
    assert.ok(html.includes(`value="${ESCAPED}"`), html);
    assert.ok(html.includes('aria-invalid="true" aria-describedby="field-n-error field-n-hint"'), html);
    assert.ok(html.includes(`<p class="field-error" id="field-n-error">${ESCAPED}</p>`), html);
  });

  test("is required unless it is marked as optional", () => {
    assert.match(textField({ name: "n", label: "Name" }).html, / required/);
    const optional = textField({ name: "n", label: "Name", isOptional: true }).html;
    assert.doesNotMatch(optional, / required/);
    assert.match(optional, />optional</);
  });

  test("never sends a password back", () => {
    const { html } = textField({ name: "p", label: "Password", type: "password", value: "secret" });
    assert.ok(!html.includes("secret"), html);
  });

  test("keeps a line break at the beginning of a long text", () => {
    assert.match(textArea({ name: "n", label: "Note", value: "\nsecond" }).html, />\n\nsecond<\/textarea>/);
  });

  test("marks the chosen one of several choices", () => {
    const options = ["a", "b"].map((value) => ({ value, label: value.toUpperCase() }));
    const { html } = radioGroup({ name: "n", label: "Choice", value: "b", options });
    assert.deepEqual(
      [...html.matchAll(/value="(\w)" checked/g)].map(([, value]) => value),
      ["b"],
    );
  });

  test("is led to by its line of the error summary", () => {
    const options = [{ value: "a", label: "A" }];
    const fields = html`${textField({ name: "n", label: HOSTILE })}${radioGroup({ name: "c/1", label: "Choice", options })}`;
    const summary = (name: string, text: string) =>
      errorSummary("Not saved.", [{ name, text }], fields)?.html ?? "";
    assert.ok(summary("n", HOSTILE).includes(`<a href="#${idOf("n")}">${ESCAPED}: ${ESCAPED}</a>`));
    const some = checkboxGroup({ name: "l", label: "Lists", values: [], options });
    assert.match(errorSummary("No.", [{ name: "l", text: "Must." }], some)?.html ?? "", />Lists: must\./);
    assert.match(summary("c/1", "Must be chosen."), />Choice: must be chosen\.<\/a>/);
    assert.match(summary("other", "Must be chosen."), />Must be chosen\.<\/a>/);
    assert.equal(errorSummary("Not saved.", [], fields), null);
  });

  test("for a file says where a script sends it in parts", () => {
    const { html } = fileField({ name: "f", label: "File", prompt: "Drop it here", upload: "/u" });
    assert.match(html, /data-drop data-upload="\/u"/);
    assert.doesNotMatch(fileField({ name: "f", label: "File", prompt: "Drop it" }).html, /data-upload/);
  });
});

describe("a table", () => {
  const rows = [{ name: HOSTILE, count: 3 }];
  const { html } = table({
    caption: "People",
    columns: [
      { label: "Name", cell: (row: (typeof rows)[number]) => row.name },
      { label: "Count", cell: ({ count }) => count, isNumber: true },
    ],
    rows,
    href: ({ name }) => `/p?${name}`,
    selection: { name: "id", value: ({ name }) => name, label: ({ name }) => `Select ${name}` },
  });

  test("names each row by its first cell, which leads to the row's page", () => {
    assert.ok(
      html.includes(`<th scope="row"><a class="row-link" href="/p?${ESCAPED}">${ESCAPED}</a></th>`),
      html,
    );
  });
  test("aligns numbers, and repeats the heading for the cards of a phone", () => {
    assert.ok(html.includes('<td class="number" data-label="Count">3</td>'), html);
  });
  test("has a named box for each row", () => {
    assert.ok(html.includes(`value="${ESCAPED}" aria-label="Select ${ESCAPED}"`), html);
  });
});

test("a bar says what can be done with selected rows, also without a script", () => {
  const bar = selectionBar(3, button({ label: "Remove" })).html;
  assert.match(bar, /^<div class="selection" role="group" aria-label="Selected rows" data-selection>/);
  assert.match(bar, /hidden>Select all 3 on this page<\/button>/);
  assert.match(bar, /<div class="buttons"><button class="button plain"><span>Remove<\/span>/);
});

test("a pager has links only to the neighbours that exist", () => {
  const first = pager({ text: "1 to 50", previous: null, next: "?after=x" }).html;
  assert.match(first, /aria-disabled="true">.*Previous/);
  assert.match(first, /<a class="button plain" href="\?after=x" rel="next">/);
  assert.equal(pager({ text: "All", previous: null, next: null }).html, '<p class="pager">All</p>');
  assert.equal(pager({ text: "", previous: null, next: null }).html, "");
});

test("a state is a word, not only a colour", () => {
  for (const state of subscriberStates)
    assert.match(stateBadge(state).html, new RegExp(`>${state}<`, "i"), state);
});

test("progress stays between nothing and everything", () => {
  const bar = (done: number, total: number | null) =>
    progress({ label: "Import", done, total, text: "" }).html;
  assert.match(bar(-5, 10), /value="0" max="10"/);
  assert.match(bar(50, 10), /value="10" max="10"/);
  for (const total of [null, 0]) assert.doesNotMatch(bar(5, total), /value=|max=/);
});

test("a missing value is said in words", () => {
  assert.match(definitions([["Town", null]]).html, /not given/);
});

test("only a bad notice interrupts a screen reader", () => {
  assert.match(notice("bad", "No").html, /role="alert"/);
  assert.doesNotMatch(notice("good", "Yes").html, /role="alert"/);
});

test("code is shown as text", () => {
  assert.ok(codeBlock("Code", HOSTILE).html.includes(`<code>${ESCAPED}</code>`));
});

test("a QR code is dark on white, with its three corners and an empty margin", () => {
  const drawn = qrCode(HOSTILE, "otpauth://totp/Mailroll:ada?secret=ABC").html;
  assert.ok(drawn.includes(`aria-label="${ESCAPED}"`));
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(drawn)?.[1]);
  assert.match(drawn, new RegExp(`<rect width="${size}" height="${size}" fill="#fff"/><path fill="#000"`));
  const dark = new Set<string>();
  for (const [, x, y, length] of drawn.matchAll(/M(\d+) (\d+)h(\d+)v1/g))
    for (let at = 0; at < Number(length); at += 1) dark.add(`${Number(x) + at} ${y}`);
  const corner = (left: number, top: number): string =>
    [0, 1, 2, 3, 4, 5, 6]
      .map((y) => [0, 1, 2, 3, 4, 5, 6].map((x) => (dark.has(`${left + x} ${top + y}`) ? "#" : ".")).join(""))
      .join("\n");
  const far = size - 11;
  for (const [left, top] of [
    [4, 4],
    [far, 4],
    [4, far],
  ] as const)
    assert.equal(
      corner(left, top),
      "#######\n#.....#\n#.###.#\n#.###.#\n#.###.#\n#.....#\n#######",
      `${left} ${top}`,
    );
  for (const module of dark)
    for (const at of module.split(" ")) assert.ok(Number(at) >= 4 && Number(at) < size - 4, module);
});
