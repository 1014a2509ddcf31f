/**
 * One page by several runs: each writes its own sections, in the order of the page, and leaves the others'
 * alone.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { withSection } from "./reliability-page.ts";

test("keeps the order of sections, whichever run is first", () => {
  const one = withSection(withSection("", "Overload", "much\n\n| a |"), "Faults", "few");
  const other = withSection(withSection("", "Faults", "few"), "Overload", "\nmuch\n\n| a |\n");
  assert.equal(one, other);
  assert.match(one, /^# Reliability\n[^#]*\n\n## Faults\n\nfew\n\n## Overload\n\nmuch\n\n\| a \|\n$/);
});

test("replaces only the section that is written again", () => {
  const page = withSection(withSection("", "Faults", "### Part\n\nold"), "Slow peers", "ten");
  assert.equal(withSection(page, "Faults", "### Part\n\nold"), page);
  const newer = withSection(page, "Faults", "new");
  assert.ok(newer.includes("new") && newer.includes("ten") && !newer.includes("old"), newer);
});

test("leaves the page in the repository unchanged", () => {
  const page = readFileSync(new URL("../docs/reference/reliability.md", import.meta.url), "utf8");
  const faults = page.split(/^## .*$/m)[1] ?? "";
  assert.ok(faults.length > 100);
  assert.equal(withSection(page, "Faults", faults), page);
});
