import assert from "node:assert/strict";
import { test } from "node:test";
import { isolated, quoted } from "#html/names.ts";

test("a name that turns the direction of the text is isolated from the words after it", () => {
  assert.equal(quoted("Winter"), "“Winter”");
  assert.equal(quoted("Zoë 🎈"), "“Zoë 🎈”");
  assert.equal(quoted("\u202egnitset"), "“\u2068\u202egnitset\u2069”");
  assert.equal(isolated("חורף"), "\u2068חורף\u2069");
});

test("a name cannot end its isolation itself", () => {
  assert.equal(isolated("a\u2069\u202eb"), "\u2068a\u202eb\u2069");
});
