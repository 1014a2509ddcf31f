/**
 * Markdown and the comments of TypeScript files stay within 110 columns. In Markdown, code blocks, tables and
 * lines that are one link are exempt; in TypeScript, a line that is one word, such as an address.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, test } from "node:test";
import { COLUMNS } from "./markdown.ts";

const root = resolve(import.meta.dirname, "..");
const NOT_OURS = /(?:^|\/)(?:node_modules|\.git|dist|data)(?:\/|$)/;
const filesOf = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: root, exclude: (path) => NOT_OURS.test(path) }).toSorted();

/** `file:line: text` of each line that is too long, so that an editor can jump there. */
function tooLong(file: string, isExempt: (line: string) => boolean): readonly string[] {
  return readFileSync(resolve(root, file), "utf8")
    .split("\n")
    .flatMap((line, index) =>
      !isExempt(line) && line.length > COLUMNS ? [`${file}:${index + 1}: ${line}`] : [],
    );
}

const ONE_LINK = /^\s*(?:[-*+] |\d+[.)] )?!?\[[^\]]*\]\([^)]*\)[.,;:]?$/;

/**
 * Knows code blocks by the fences that it has seen, so it is asked about the lines of one file in their
 * order.
 */
function exemptInMarkdown(): (line: string) => boolean {
  let isCode = false;
  return (line) => {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    return isFence || isCode || /^\s*\|/.test(line) || ONE_LINK.test(line);
  };
}

describe("Markdown wraps at 110 columns", () => {
  const files = filesOf("**/*.md");
  assert.ok(files.includes("README.md"), "the README is among the files that are checked");
  for (const file of files)
    test(`in ${file}`, () => assert.equal(tooLong(file, exemptInMarkdown()).join("\n"), ""));
});

/**
 * Knows block comments by the mark that began one, so it is asked about the lines of one file in their order.
 */
function exemptInTypeScript(): (line: string) => boolean {
  let isBlock = false;
  return (line) => {
    const text = line.trim();
    if (text.startsWith("/*")) isBlock = true;
    const isComment = isBlock || text.startsWith("//");
    if (isBlock && text.includes("*/")) isBlock = false;
    return !isComment || /^(?:\/\/|\/?\*+)?\s*\S+$/.test(text);
  };
}

describe("Comments in TypeScript wrap at 110 columns", () => {
  for (const folder of ["src", "test", "bench"])
    test(`in ${folder}/`, () => {
      const files = filesOf(`${folder}/**/*.ts`);
      assert.ok(files.length > 10, `${files.length} files`);
      const found = files.flatMap((file) => tooLong(file, exemptInTypeScript()));
      assert.ok(found.length === 0, `${found.length} lines\n${found.join("\n")}`);
    });
});
