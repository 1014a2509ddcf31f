/** The papers say what the program does: generated pages are in step, and links lead somewhere. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { operationTable, referencePages } from "./reference-pages.ts";

const root = resolve(import.meta.dirname, "..");
const isUpdating = process.env.UPDATE_GOLDEN === "1";

for (const [name, write] of Object.entries(referencePages))
  test(`docs/reference/${name} is what the declarations say`, () => {
    const path = join(root, "docs/reference", name);
    if (isUpdating) writeFileSync(path, write());
    assert.equal(readFileSync(path, "utf8"), write());
  });

test("the README's table has the operations that there are", () => {
  const path = join(root, "README.md");
  const text = readFileSync(path, "utf8");
  const inStep = text.replace(
    /(<!-- operations:.*-->\n)[\s\S]*(<!-- \/operations -->)/,
    (_, start: string, end: string) => `${start}${operationTable()}\n${end}`,
  );
  if (isUpdating) writeFileSync(path, inStep);
  else assert.equal(text, inStep);
  assert.ok(inStep.includes("`Subscriber.Add`"));
  assert.ok(inStep.split("\n").length <= 150, "the README stays short");
});

const papers = ["", "docs/guide", "docs/reference", "docs/decisions"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith(".md"))
    .map((file) => join(folder, file)),
);
for (const paper of papers)
  test(`every link and file name in ${paper} leads somewhere`, () => {
    const text = readFileSync(join(root, paper), "utf8");
    for (const [, target = ""] of text.matchAll(/\]\(([^)#:]+)\)/g))
      assert.ok(existsSync(resolve(root, dirname(paper), target)), target);
    for (const [, target = ""] of text.matchAll(/`((?:src|test|docs|bin|\.ci)\/[\w./-]+)`/g))
      assert.ok(existsSync(join(root, target)), target);
  });

test("decisions have context, decision, consequences and when to look again", () => {
  for (const file of papers.filter((paper) => paper.startsWith("docs/decisions")))
    for (const part of ["Context", "Revisit when"])
      assert.match(readFileSync(join(root, file), "utf8"), new RegExp(part), file);
});
