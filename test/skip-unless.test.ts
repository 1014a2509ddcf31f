/** What is missing on a machine may be skipped by people, never by CI. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { skipUnless } from "./skip-unless.ts";

test("skips a test with instructions where something is missing, and fails it in CI", (t) => {
  const { CI } = process.env;
  t.after(() => {
    if (CI === undefined) delete process.env.CI;
    else process.env.CI = CI;
  });
  delete process.env.CI;
  assert.equal(skipUnless(true, "install it"), false);
  assert.equal(skipUnless(false, "install it"), "install it");
  process.env.CI = "true";
  assert.equal(skipUnless(true, "install it"), false);
  assert.throws(() => skipUnless(false, "install it"), /in CI .*: install it$/);
});
