/** Commands in messages, as they can be typed in a clone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { commands } from "#cli/commands.ts";
import { asTyped } from "#shipped.ts";

test("every command that a text names is written as it is called in a clone", () => {
  for (const { name, example } of commands) {
    assert.equal(asTyped(`run 'mailroll ${name}'`), `run 'bin/mailroll ${name}'`);
    assert.equal(asTyped(`Next: mailroll\n  ${example}`), `Next: bin/mailroll\n  ${example}`);
  }
  assert.equal(
    asTyped("“mailroll COMMAND --help”, mailroll --help"),
    "“bin/mailroll COMMAND --help”, bin/mailroll --help",
  );
});

test("other mentions of the name are left alone", () => {
  for (const text of [
    "mailroll or s2026",
    "bin/mailroll list list",
    "/etc/mailroll list",
    "mailroll.db list",
    "_describe mailroll found",
    "mailroll-partial user",
  ])
    assert.equal(asTyped(text), text);
});
