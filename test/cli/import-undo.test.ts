/** A wrong import is undone to the byte, from the command line. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());

const run = home.output;
function put(name: string, ...rows: readonly string[]): string {
  const file = join(home.folder, name);
  writeFileSync(file, `${rows.join("\n")}\n`);
  return file;
}
let exports = 0;
async function exported(list: number): Promise<string> {
  exports += 1;
  const file = join(home.folder, `export-${exports}.csv`);
  await run("export", "subscribers", "--list", String(list), "--state", "all", "--output", file);
  return readFileSync(file, "utf8");
}
const state = async (): Promise<readonly string[]> => [await exported(1), await exported(2)];
const take = async (file: string, ...more: readonly string[]): Promise<number> =>
  (
    JSON.parse(await run("import", "subscribers", file, "--list", "1", ...more, "--json")) as {
      readonly importId: number;
    }
  ).importId;
interface Undone {
  readonly job: { readonly result: { readonly counts: object; readonly laterImports: readonly number[] } };
}
const undo = async (id: number, ...more: readonly string[]) =>
  (JSON.parse(await run("import", "undo", String(id), ...more, "--json")) as Undone).job.result;

before(async () => {
  await run("account", "create", "Acme");
  await run("list", "create", "Members");
  await run("list", "create", "Customers");
  await run("field", "create", "Town", "--type", "STRING");
  await take(
    put(
      "right.csv",
      "email,first_name,last_name,gender,birthday,country,Town,subscribed_at",
      "ada@example.org,Ada,Lovelace,F,1985-12-10,GB,London,2020-01-02",
      "bob@example.org,Bob,,,,,,2021-01-02",
      "out@example.org,Out,,,,,,2021-01-02",
    ),
  );
  await run("subscriber", "add", "2", "cy@example.org", "--first", "Cy", "--field", "Town=Paris");
  await run("subscriber", "unsubscribe", "out@example.org");
});

/** Names in the wrong columns, values of others, new people, and somebody who opted out. */
const wrong = () =>
  put(
    "wrong.csv",
    "email,first_name,last_name,gender,birthday,country,Town,subscribed_at",
    "ada@example.org,Lovelace,Ada,M,1999-01-01,US,Oslo,2024-01-02",
    "bob@example.org,Bobby,Tables,M,1999-01-01,US,Oslo,2024-01-02",
    "cy@example.org,Cyrus,Wrong,M,1999-01-01,US,Oslo,2024-01-02",
    "out@example.org,Outer,Wrong,M,1999-01-01,US,Oslo,2024-01-02",
    "new@example.org,New,Wrong,M,1999-01-01,US,Oslo,2024-01-02",
  );

test("a wrong import is undone: exports before it and afterwards are equal, byte by byte", async () => {
  const before = await state();
  const id = await take(wrong(), "--overwrite");
  const between = await state();
  assert.notDeepEqual(between, before);
  const preview = await run("import", "undo", String(id), "--dry-run");
  assert.match(preview, /^Undoing import 2 would do this\. Nothing was changed\.\n/);
  assert.match(preview, / 1 {2}deleted: the import created them/);
  assert.match(preview, / 1 {2}removed from the list, but kept as subscribers\n/);
  assert.match(
    preview,
    / 4 {2}of those who are kept get back 24 values, or lose what the import filled in\n/,
  );
  assert.deepEqual(await state(), between);
  const { counts, laterImports } = await undo(id, "--yes");
  assert.deepEqual(counts, {
    ...{ deleted: 1, removed: 1, restored: { subscribers: 4, values: 24 }, keptValues: 0 },
    stayed: { addedSince: 0, optedOut: 0, mailed: 0, changedSince: 0 },
  });
  assert.deepEqual(laterImports, []);
  assert.deepEqual(await state(), before);
  assert.match(await run("import", "show", String(id)), /^Undone {4}2\d/m);
  assert.match(await run("import", "list"), /wrong\.csv +5 {2}yes +yes\n/);
});

test("two imports of the same wrong file are undone, the latest first; the right one is then imported", async () => {
  const before = await state();
  const [one, other] = [await take(wrong()), await take(wrong(), "--overwrite")];
  assert.match(
    await run("import", "undo", String(one), "--dry-run"),
    new RegExp(`Later imports: ${other}\\.`),
  );
  await undo(other, "--yes");
  await undo(one, "--yes");
  assert.deepEqual(await state(), before);
  await take(put("next.csv", "email", "new@example.org", "cy@example.org"));
  assert.match(await exported(1), /new@example\.org/);
  assert.match(await exported(1), /cy@example\.org/);
});

test("asks with the numbers before it undoes an import, and refuses without a confirmation", async () => {
  const id = await take(put("more.csv", "email", "more@example.org"));
  const refused = await home.runHere(["import", "undo", String(id)]);
  assert.equal(refused.code, 2);
  assert.match(refused.err, /1 {2}deleted: the import created them/);
  assert.match(refused.err, /to confirm it without a terminal or with --json, give --yes/);
  assert.match(await exported(1), /more@example\.org/);
});

test("refuses what cannot be undone, with the reason and what to do instead", async () => {
  const failure = async (...words: readonly string[]): Promise<string> => {
    const { code, err } = await home.runHere(["import", "undo", ...words, "--yes"]);
    assert.equal(code, 1, err);
    return err;
  };
  assert.match(await failure("2"), /import 2 was undone already; import the file again if you need it/);
  assert.match(await failure("99"), /there is no import 99/);
  await run("import", "suppressions", put("out.txt", "no@example.org"), "--as", "unsubscribed");
  const suppressions = JSON.parse(await run("import", "list", "--json")) as readonly {
    readonly id: number;
  }[];
  assert.match(
    await failure(String(suppressions[0]?.id)),
    /is an import of suppressions, and an opt-out is never undone; reactivate single subscribers/,
  );
});
