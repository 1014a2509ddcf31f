/** What reaches a real terminal: never a control character from other people's data. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { skipUnless } from "../skip-unless.ts";
import { Installation, program } from "./program.ts";

const home = new Installation();
after(() => home.remove());

/**
 * What a value may hold: CSI as one character, delete, carriage return, overrides of the direction of
 * writing.
 */
const HOSTILE = "Ada\u009b31m\u009b2J\u007f\rforged\u202egro\u2066.csv";
const UNSAFE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

before(async () => {
  await home.runHere(["account", "create", "Acme"]);
  await home.runHere(["list", "create", "Members"]);
  const file = join(home.folder, "hostile.csv");
  writeFileSync(file, `email,first_name\r\nada@example.org,"${HOSTILE}"\r\nbob@example.org,Bob\r\n`);
  const taken = await home.runHere(["import", "subscribers", file, "--list", "1"]);
  assert.equal(taken.code, 0, taken.err);
});

const canMakeTerminals = /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout);

/**
 * What the program writes to a terminal, which itself turns each line feed into a carriage return and a line
 * feed.
 */
function onTerminal(words: readonly string[]): string {
  // Not what goes to standard error: the progress line moves the cursor, on purpose.
  const command = [`'${program}'`, ...words, "2>errors"].join(" ");
  const { status, stdout, stderr } = spawnSync("script", ["-qec", command, join(home.folder, "typescript")], {
    cwd: home.folder,
    env: { PATH: process.env.PATH, HOME: home.folder, MAILROLL_DATABASE: `sqlite:${home.database}` },
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  return stdout.replaceAll("\r\n", "\n");
}

test("no command writes control characters from data to a terminal", {
  skip: skipUnless(canMakeTerminals, "needs 'script' of util-linux (Debian: bsdutils)"),
}, () => {
  for (const words of [
    ["export", "subscribers", "--list", "1"],
    ["export", "subscribers", "--list", "1", "--separator", "tab"],
    ["subscriber", "show", "ada@example.org"],
    ["subscriber", "show", "ada@example.org", "--json"],
    ["subscriber", "export", "ada@example.org"],
  ]) {
    const shown = onTerminal(words);
    assert.match(shown, /ada@example\.org/);
    assert.match(shown, /Ada.*forged/s);
    assert.doesNotMatch(shown.replace(/[\t\n]/g, ""), UNSAFE, words.join(" "));
  }
  assert.match(
    onTerminal(["export", "subscribers", "--list", "1", "--separator", "tab"]),
    /\nbob@\S+\tBob\t/,
  );
});

test("a pipe gets the data unchanged", async () => {
  const { out } = await home.run(["export", "subscribers", "--list", "1"]);
  assert.ok(out.includes(`ada@example.org,"${HOSTILE}",`), JSON.stringify(out));
  assert.match(out, /^email,.*\r\n/);
});
