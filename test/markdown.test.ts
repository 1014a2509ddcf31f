/** What generators write is wrapped, and what must keep its lines keeps them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { COLUMNS, wrapMarkdown } from "./markdown.ts";

const long = Array.from({ length: 40 }, (_, n) => `word${n}`).join(" ");

test("wraps paragraphs and items of lists, with their indentation", () => {
  const wrapped = wrapMarkdown(`${long}\n\n- ${long}\n  ${long}\n12. ${long}\n`);
  for (const line of wrapped.split("\n")) assert.ok(line.length <= COLUMNS, line);
  assert.equal(wrapped.replaceAll(/\s+/g, " "), `${long} - ${long} ${long} 12. ${long} `);
  assert.match(wrapped, /^- word0 .*\n {2}word\d+ /m);
  assert.match(wrapped, /^12\. word0 .*\n {4}word\d+ /m);
});

test("keeps the lines of code blocks, tables, headings, comments and images", () => {
  const source = `# ${long}\n\n\`\`\`sh\n${long}\n\n${long}\n\`\`\`\n\n| ${long} |\n<!-- ${long} -->\n![${long}](a.svg)\n`;
  assert.equal(wrapMarkdown(source), source);
});

test("never breaks inside a code span, and never begins a line with what would be a list", () => {
  const code = `\`${"a b ".repeat(20)}\``;
  assert.ok(wrapMarkdown(`${long} ${code} ${long}`).includes(code));
  const dashes = wrapMarkdown(Array.from({ length: 80 }, () => "a - 1. b").join(" "));
  assert.doesNotMatch(dashes, /^\s*(?:-|1\.) /m);
});

test("changes nothing when it wraps a second time", () => {
  const once = wrapMarkdown(`${long}\n\n1. ${long}\n   - ${long}\n\nLast: ${long}`);
  assert.equal(wrapMarkdown(once), once);
});
