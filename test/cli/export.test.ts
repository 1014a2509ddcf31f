/** Lists as tables: whom an export has, what it does to a file, and what a spreadsheet makes of it. */
import assert from "node:assert/strict";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { disarmed } from "#csv/write-csv.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { actor } from "../store/actor.ts";
import { Installation, type Ran } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());
const path = (name: string): string => join(home.folder, name);
const exported = (...more: readonly string[]): Promise<Ran> =>
  home.runHere(["export", "subscribers", "--list", "1", ...more]);

before(async () => {
  await home.runHere(["account", "create", "Acme"]);
  await home.runHere(["list", "create", "Members"]);
  await home.runHere(["field", "create", "=Formula", "--type", "STRING"]);
  writeFileSync(
    path("people.csv"),
    `email,first_name,last_name,=Formula,state,bounced_at
active@example.org,=1+1,"\t-2",@x,active,
-dash@example.org,Ann,O'Neil,a=b,active,
out@example.org,,,,unsubscribed,2020-01-01
bounced@example.org,,,,bounced,
complained@example.org,,,,complained,
blocked@example.org,,,,blocked,
`,
  );
  const { err } = await home.runHere(["import", "subscribers", path("people.csv"), "--list", "1"]);
  assert.equal(err, "");
  const store = await SqliteStore.open(home.database, { days: 90, rows: 5, bytes: 2 ** 28 });
  for (const email of ["pending@example.org", "out-pending@example.org"])
    await actor(store, 1).addPending(1, email);
  await actor(store, 1).unsubscribe("out-pending@example.org");
  await store.close();
});

test("without a list, an export has whom a search finds in the account", async () => {
  const find = async (...more: readonly string[]) => {
    const file = path(`found-${more.join("")}.csv`);
    const { err, code } = await home.runHere(["export", "subscribers", ...more, "--output", file]);
    return code === 0 ? addressesIn(readFileSync(file, "utf8")).toSorted() : err;
  };
  assert.deepEqual(await find("--name", "Ann"), ["-dash@example.org"]);
  assert.deepEqual(await find("out", "--state", "all"), ["out-pending@example.org", "out@example.org"]);
  assert.deepEqual(await find("@example.org", "--state", "blocked", "--list", "1"), ["blocked@example.org"]);
  assert.deepEqual(await find("--where", "=Formula is A=B"), ["-dash@example.org"]);
  const onList = ["--state", "all", "--list", "1", "--where", "first name is not empty"];
  assert.deepEqual(await find(...onList), ["-dash@example.org", "active@example.org"]);
  assert.equal((await find("--state", "all")).length, 8);
  assert.match(String(await find("--state", "pending")), /--state pending is about one list/);
  const { out } = await home.runHere(["subscriber", "list", "--sort", "newest", "--limit", "1", "--json"]);
  const { items } = JSON.parse(out) as { readonly items: readonly { readonly email: string }[] };
  assert.deepEqual(
    items.map(({ email }) => email),
    ["out-pending@example.org"],
  );
});

const addressesIn = (table: string): readonly string[] =>
  table
    .trimEnd()
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(",")[0] ?? "");

describe("an export contains", () => {
  for (const [state, addresses] of [
    [null, ["active@example.org", "-dash@example.org"]],
    ["active", ["active@example.org", "-dash@example.org"]],
    ["pending", ["pending@example.org"]],
    ["unsubscribed", ["out@example.org", "out-pending@example.org"]],
    ["bounced", ["bounced@example.org"]],
    ["complained", ["complained@example.org"]],
    ["blocked", ["blocked@example.org"]],
  ] as const)
    test(`only ${state ?? "active"} members ${state === null ? "where no state is named" : `with --state ${state}`}`, async () => {
      const file = path(`${state}.csv`);
      const { out, err } = await exported(...(state === null ? [] : ["--state", state]), "--output", file);
      assert.equal(err, "");
      const told = `Exported ${addresses.length} ${state ?? "active"} members of list 1 to ${file}\n`;
      assert.equal(out, told);
      assert.deepEqual(addressesIn(readFileSync(file, "utf8")), addresses);
    });
  test("all subscribers with --state all", async () => {
    await exported("--state", "all", "--output", path("all.csv"));
    assert.equal(addressesIn(readFileSync(path("all.csv"), "utf8")).length, 8);
  });
  test("pending members marked as such, whom an import of the file rejects", async () => {
    await exported("--state", "pending", "--output", path("waiting.csv"));
    assert.match(readFileSync(path("waiting.csv"), "utf8"), /^pending@example\.org,.*,pending,,,,\r$/m);
    const { code } = await home.runHere(["import", "subscribers", path("waiting.csv"), "--list", "1"]);
    assert.equal(code, 1);
    assert.match(
      readFileSync(path("waiting.rejected.csv"), "utf8"),
      /'pending': the person has not confirmed/,
    );
  });
  test("nothing for an unknown state, which is rejected", async () => {
    const { code, err } = await exported("--state", "gone");
    assert.deepEqual([code, /--state must be one of active, pending, unsubscribed/.test(err)], [2, true]);
  });
});

describe("an existing file", () => {
  test("is not replaced without --force", async () => {
    writeFileSync(path("mine.csv"), "my work");
    const { code, out, err } = await exported("--output", path("mine.csv"));
    assert.deepEqual([code, out], [1, ""]);
    assert.match(err, /^mailroll: .*mine\.csv already exists; choose another name, or give --force/);
    assert.equal(readFileSync(path("mine.csv"), "utf8"), "my work");
    assert.equal((await exported("--output", path("mine.csv"), "--force")).code, 0);
    assert.match(readFileSync(path("mine.csv"), "utf8"), /^email,/);
  });
  test("is not written through a link, not even with --force", async () => {
    writeFileSync(path("theirs.csv"), "their work");
    symlinkSync(path("theirs.csv"), path("link.csv"));
    assert.match(
      (await exported("--output", path("link.csv"), "--force")).err,
      /is a symbolic link; give the path of the file/,
    );
    assert.equal(readFileSync(path("theirs.csv"), "utf8"), "their work");
  });
  test("must be a regular file: for a device, standard output is redirected", async () => {
    for (const device of ["/dev/null", "/dev/fd"])
      assert.match((await exported("--output", device, "--force")).err, /not a regular file; omit --output/);
  });
});

describe("--spreadsheet-safe", () => {
  test("puts an apostrophe before every cell that a spreadsheet would treat as a formula", async () => {
    assert.equal((await exported("--spreadsheet-safe", "--output", path("safe.csv"))).code, 0);
    const [header = "", first = "", second = ""] = readFileSync(path("safe.csv"), "utf8").split("\r\n");
    assert.match(header, /,'=Formula,/);
    assert.match(first, /^active@example\.org,'=1\+1,"'\t-2",.*,'@x,/);
    assert.match(second, /^'-dash@example\.org,Ann,O'Neil,.*,a=b,/);
  });
  test("covers the formula characters of all spreadsheets", () => {
    for (const sign of ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
      assert.equal(disarmed(`${sign}x`), `'${sign}x`);
    for (const cell of ["", "x=1", "'=x", "a@b.org"]) assert.equal(disarmed(cell), cell);
  });
});
