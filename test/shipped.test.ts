/** Commands in messages, as they can be typed in a clone. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { commands } from "#cli/commands.ts";
import { asTyped } from "#shipped.ts";
import { Installation } from "./cli/program.ts";

const home = new Installation();
after(() => home.remove());

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

test("what users have named like a command is shown as they wrote it, in results and errors", async () => {
  const created = await home.run(["account", "create", "mailroll import"]);
  assert.equal(created.out, "Account 1: mailroll import\nNext: bin/mailroll key create --account 1\n");
  const unknown = await home.run(["key", "create", "--account", "mailroll list"]);
  assert.match(unknown.err, /there is no account mailroll list; there are: 1 mailroll import/);
  const refused = await home.run(["subscriber", "add", "7", "mailroll list"]);
  assert.match(refused.err, /The given address was 'mailroll list'/);
  const field = await home.run(["subscriber", "add", "7", "ada@example.org"]);
  assert.match(field.err, /See 'bin\/mailroll list list'\./);
});
