/** `mailroll doctor --accept-damaged-journal`: the operator's way past a damaged journal. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { Installation, program } from "./program.ts";

const PAGE = 4096;
const HEADER = 32;
const home = new Installation();
after(() => home.remove());
const file = join(home.folder, "data", "crashed.db");
const on = ["--database", `sqlite:${file}`];
const copies = () => readdirSync(dirname(file)).filter((name) => name.includes("-wal-damaged-"));
let damaged: Buffer;

/** As a disk leaves it that damaged the third of five transactions. */
before(async () => {
  assert.equal((await home.runHere(["account", "create", "Acme"])).code, 0);
  const db = new DatabaseSync(home.database);
  db.exec("PRAGMA wal_autocheckpoint = 0");
  const journal = `${home.database}-wal`;
  const sizes: number[] = [];
  for (const name of ["One", "Two", "Three", "Four", "Five"]) {
    db.exec(`INSERT INTO list (account_id, name, created_at) VALUES (1, '${name}', 1)`);
    sizes.push(readFileSync(journal).length);
  }
  damaged = readFileSync(journal);
  const third = sizes[1] ?? 0;
  assert.equal((third - HEADER) % (PAGE + 24), 0);
  damaged.fill(0x5a, third + 24, third + 24 + 100);
  copyFileSync(home.database, file);
  writeFileSync(`${file}-wal`, damaged);
  db.close();
});

test("a refusal of a damaged journal names the option that accepts it", async () => {
  const { code, err } = await home.runHere(["list", "list", ...on]);
  assert.equal(code, 1);
  assert.match(err, /crashed\.db-wal is damaged: .*'bin\/mailroll doctor --accept-damaged-journal'.*\n$/);
  const { out } = await home.runHere(["doctor", ...on]);
  assert.match(out, /^problem +database .*-wal is damaged/m);
  assert.deepEqual(readFileSync(`${file}-wal`), damaged, "nothing was changed");
  assert.deepEqual(copies(), []);
});

test("the option changes nothing if the journal cannot be copied, and leaves no incomplete copy", async () => {
  // A file may have one block at most, so the copy fails.
  const limited = 'ulimit -f 1; exec "$0" doctor --accept-damaged-journal --database "sqlite:$1"';
  const { status, stderr } = spawnSync("sh", ["-c", limited, program, file], { encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /^mailroll: the damaged journal cannot be copied to .*: .*Nothing was changed\..*\n$/);
  assert.deepEqual(readFileSync(`${file}-wal`), damaged);
  assert.deepEqual(copies(), []);
});

test("the option keeps what is readable, and a copy of the journal", async () => {
  const { code, out } = await home.runHere(["doctor", "--accept-damaged-journal", ...on]);
  assert.equal(code, 0, out);
  const [copy = "", ...others] = copies();
  assert.deepEqual(others, []);
  assert.match(out, /^warning +journal +calls after the damage were dropped; its first \d+ pages/m);
  assert.ok(out.includes(copy), out);
  assert.deepEqual(readFileSync(join(dirname(file), copy)), damaged);
  assert.match(out, /^ok +integrity /m);
  const lists = await home.runHere(["list", "list", ...on]);
  assert.equal(lists.code, 0, lists.err);
  assert.match(lists.out, / One\b[\s\S]* Two\b/);
  assert.doesNotMatch(lists.out, /Three|Four|Five/);
});

test("the option changes nothing if the journal is not damaged, and is rejected for PostgreSQL", async () => {
  const { code, out } = await home.runHere(["doctor", "--accept-damaged-journal", ...on]);
  assert.equal(code, 0, out);
  assert.match(out, /^ok +journal +it is not damaged; nothing was changed$/m);
  assert.equal(copies().length, 1);
  const words = ["doctor", "--accept-damaged-journal", "--database", "postgres://u@127.0.0.1:1/m"];
  const refused = await home.runHere(words);
  assert.equal(refused.code, 2);
  assert.match(refused.err, /^mailroll: --accept-damaged-journal is for SQLite; .*\n$/);
});
