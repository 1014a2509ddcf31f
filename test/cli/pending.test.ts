/** Subscribers who have not confirmed yet, on the command line. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SqliteStore } from "#store/sqlite/store.ts";
import { actor } from "../store/actor.ts";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());
before(async () => {
  await home.runHere(["account", "create", "Acme"]);
  for (const name of ["Weekly", "Daily"]) await home.runHere(["list", "create", name]);
  const store = await SqliteStore.open(home.database, { days: 90, rows: 5, bytes: 2 ** 28 });
  const { add, addPending } = actor(store, 1);
  await addPending(1, "ada@example.org");
  await add(2, "ada@example.org");
  await store.close();
});
const run = async (...words: readonly string[]): Promise<string> => {
  const { code, out, err } = await home.runHere(words);
  assert.deepEqual([code, err], [0, ""], words.join(" "));
  return out;
};
const statuses = async (): Promise<readonly (string | undefined)[]> =>
  (await run("subscriber", "show", "ada@example.org"))
    .split("\n")
    .filter((line) => /^ +\d+ +(?:Weekly|Daily) /.test(line))
    .map((line) => line.trim().split(/ +/).at(-1));

test("subscriber show has the status of each membership", async () => {
  assert.deepEqual(await statuses(), ["pending", "active"]);
  await run("subscriber", "unsubscribe", "ada@example.org");
  assert.deepEqual(await statuses(), ["pending", "suspended"]);
  await run("subscriber", "reactivate", "ada@example.org", "--from", "unsubscribed", "--reason", "asked");
  assert.deepEqual(await statuses(), ["pending", "active"]);
});

test("subscriber add says that the membership is still pending", async () => {
  const added = await run("subscriber", "add", "1", "ada@example.org");
  assert.match(added, /is on list 1, but pending: not mailed until the person confirms\./);
  assert.match(await run("subscriber", "add", "2", "ada@example.org"), /is on list 2\.\n$/);
});

test("an import says how many rows are pending, and does not confirm them", async () => {
  const file = join(home.folder, "members.csv");
  writeFileSync(file, "email,state\nada@example.org,active\nbob@example.org,active\n");
  const line = /^ +1 {2}on the list, but pending: not mailed until the person confirms$/m;
  for (const more of [["--dry-run"], []])
    assert.match(await run("import", "subscribers", file, "--list", "1", ...more), line);
  assert.match(await run("import", "show", "1"), line);
  assert.deepEqual(await statuses(), ["pending", "active"]);
  assert.match(await run("list", "list"), /Weekly .* 1$/m);
});

test("doctor finds every count right", async () => {
  assert.match(await run("doctor"), /count/);
});
