/** The doctor, content and discontent. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import type { Check } from "../../src/cli/doctor.ts";
import { Installation } from "./program.ts";

const home = new Installation();
after(() => home.remove());

const examine = async (env: Readonly<Record<string, string>> = {}) => {
  const { code, out } = await home.run(["doctor", "--json"], { env });
  return { code, checks: (JSON.parse(out) as { checks: readonly Check[] }).checks };
};
const spoil = (sql: string): void => {
  const db = new DatabaseSync(home.database);
  db.exec(sql);
  db.close();
};
const statuses = (checks: readonly Check[]) => checks.map(({ name, status }) => `${name} ${status}`);

test("where there is no database the doctor says so and makes none", async () => {
  const { code, out, err } = await home.run(["doctor"]);
  assert.equal(code, 1);
  assert.match(out, /^ok +settings .*\nproblem +file +there is no database .*; start the server once/);
  assert.equal(err, "mailroll: 1 problem found\n");
  assert.equal(existsSync(dirname(home.database)), false);
});

test("a file that is no database is a problem, and is left as it is", async () => {
  mkdirSync(dirname(home.database));
  writeFileSync(home.database, "something else entirely", { mode: 0o600 });
  const { code, checks } = await examine();
  assert.equal(code, 1);
  assert.match(checks.find(({ status }) => status === "problem")?.message ?? "", /is not a SQLite database/);
  writeFileSync(home.database, "");
});

test("an account without a key that works, an open file and an unknown variable are warnings with advice", async () => {
  await home.json("account", "create", "Acme");
  chmodSync(home.database, 0o644);
  const { code, checks } = await examine({ MAILROLL_BASEURL: "https://mail.example.org" });
  assert.equal(code, 0);
  const warnings = checks.filter(({ status }) => status === "warning").map(({ message }) => message);
  assert.equal(warnings.length, 3);
  assert.match(warnings[0] ?? "", /MAILROLL_BASEURL .* did you mean MAILROLL_BASE_URL\?/);
  assert.match(warnings[1] ?? "", /run: chmod 600 \S+m\.db$/);
  assert.match(
    warnings[2] ?? "",
    /account 1 \(Acme\) has no key that works; .*mailroll key create --account 1/,
  );
});

test("a sound installation is told line by line, with exit code 0", async () => {
  chmodSync(home.database, 0o600);
  await home.json("key", "create");
  await home.json("list", "create", "News");
  await home.json("subscriber", "add", "1", "ada@example.org");
  const { code, out, err } = await home.run(["doctor"]);
  assert.equal(code, 0, out);
  assert.equal(err, "");
  const lines = out
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ +/, 2).join(" "));
  const names = ["settings", "file", "disk", "schema", "integrity", "counters", "accounts"];
  assert.deepEqual(
    lines,
    names.map((name) => `ok ${name}`),
  );
});

test("a kept number that a recount does not agree with is a problem that names both", async () => {
  spoil("UPDATE list SET member_count = 7 WHERE id = 1");
  const { code, checks } = await examine();
  assert.equal(code, 1);
  assert.deepEqual(
    statuses(checks).filter((line) => line.includes("problem")),
    ["counters problem"],
  );
  assert.match(
    checks.find(({ name }) => name === "counters")?.message ?? "",
    /members of list 1: 7 is kept, a recount says 1/,
  );
  spoil("UPDATE list SET member_count = 1 WHERE id = 1");
});

test("a database of a newer version is refused in the store's own line", async () => {
  spoil("INSERT INTO schema_migration (number, name, applied_at) VALUES (999, 'later', 0)");
  const { code, checks } = await examine();
  assert.equal(code, 1);
  assert.match(checks.at(-1)?.message ?? "", /was written by a newer Mailroll \(schema 999/);
  const { code: refused, err } = await home.run(["list", "list"]);
  assert.equal(refused, 1);
  assert.match(err, /^mailroll: [^\n]* newer Mailroll [^\n]*\n$/);
});
