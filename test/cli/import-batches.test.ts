/** A table that is given again while the service is in use, and what operators see of imports afterwards. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { ImportCounts, SubscriberCounts } from "#domain/import/batch.ts";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());

const run = home.output;
const json = async <Result>(...words: readonly string[]): Promise<Result> =>
  JSON.parse(await run(...words, "--json")) as Result;
function put(name: string, ...rows: readonly string[]): string {
  const file = join(home.folder, name);
  writeFileSync(file, `${rows.join("\n")}\n`);
  return file;
}
interface Imported {
  readonly importId: number;
  readonly counts: SubscriberCounts;
  readonly rejected: { readonly rowCount: number };
}
const take = (file: string, ...more: readonly string[]) =>
  json<Imported>("import", "subscribers", file, "--list", "1", ...more);
interface Recorded {
  readonly id: number;
  readonly endedAt: string | null;
  readonly counts: ImportCounts;
}
interface Shown {
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly values: readonly { readonly value: string }[];
}
const valuesOf = async (email: string) => {
  const { firstName, lastName, values } = await json<Shown>("subscriber", "show", email);
  return [firstName, lastName, ...values.map(({ value }) => value)];
};

let old: string;
before(async () => {
  await run("account", "create", "Acme");
  await run("list", "create", "Members");
  await run("field", "create", "Town", "--type", "STRING");
  old = put(
    "old.csv",
    "email,first_name,last_name,Town",
    "ada@example.org,Augusta,King,London",
    "bob@example.org,Bob,,",
  );
  await take(old);
});

test("importing an old file again keeps values that a call set since, and a dry run predicts it", async () => {
  await run("subscriber", "add", "1", "ada@example.org", "--first", "Ada", "--field", "Town=Paris");
  const expected = { subscribers: 1, values: 2 };
  assert.deepEqual((await take(old, "--dry-run")).counts.keptNewer, expected);
  const { counts: again } = await take(old);
  assert.deepEqual(again.keptNewer, expected);
  assert.deepEqual([again.alreadyThere, again.updated], [2, { subscribers: 0, values: 0 }]);
  assert.deepEqual(await valuesOf("ada@example.org"), ["Ada", "King", "Paris"]);
});

test("a newer file updates values that only imports set, and a dry run reports the same counts", async () => {
  const file = put(
    "newer.csv",
    "email,last_name,Town",
    "ada@example.org,Lovelace,Rome",
    "bob@example.org,B,Rome",
  );
  const predicted = await take(file, "--dry-run");
  const done = await take(file);
  assert.deepEqual(
    [done.counts.updated, done.counts.keptNewer],
    [
      { subscribers: 2, values: 3 },
      { subscribers: 1, values: 1 },
    ],
  );
  const { rejected } = done;
  assert.deepEqual({ ...predicted, isDryRun: false, importId: done.importId, rejected }, done);
  assert.deepEqual(await valuesOf("ada@example.org"), ["Ada", "Lovelace", "Paris"]);
  const page = await run("subscriber", "show", "ada@example.org");
  assert.match(page, /changed +operator .*First name: Augusta → Ada; Town: London → Paris/);
  assert.match(page, new RegExp(`changed +import ${done.importId} .*Last name: King → Lovelace`));
});

test("--overwrite replaces newer values too", async () => {
  const { updated, keptNewer } = (await take(old, "--overwrite")).counts;
  assert.deepEqual(
    [updated, keptNewer],
    [
      { subscribers: 1, values: 3 },
      { subscribers: 0, values: 0 },
    ],
  );
  assert.deepEqual(await valuesOf("ada@example.org"), ["Augusta", "King", "London"]);
});

test("imports are listed with user, file and counts", async () => {
  const { importId: id } = await take(old);
  const [newest] = await json<readonly Recorded[]>("import", "list");
  assert.partialDeepStrictEqual(newest, {
    ...{ id, fileName: "old.csv", listId: 1, rowCount: 2, hasRejectedRows: false },
    actor: { kind: "operator", id: null, name: userInfo().username },
  });
  assert.notEqual(newest?.endedAt, null);
  assert.match(
    await run("import", "list", "--limit", "1"),
    /ID +STARTED +BY +INTO +FILE +ROWS +FINISHED\n.* list 1 +old\.csv +2 +yes\n$/,
  );
  const shown = await run("import", "show", String(id));
  assert.match(shown, new RegExp(`^Import ${id} of old.csv into list 1\\nStarted .* by `));
  assert.match(shown, / 2 {2}rows read\n +0 {2}added to the list .*\n +2 {2}already on the list\n/);
  const { code, err } = await home.runHere(["import", "show", "99"]);
  assert.equal(code, 1);
  assert.match(err, /there is no import 99; see 'bin\/mailroll import list'/);
});

test("an interrupted import is listed as unfinished, with the counts so far", async () => {
  const rows = Array.from({ length: 2100 }, (_, n) => `p${n}@example.org,x`);
  const file = put("broken.csv", "email,note", ...rows, `bad@example.org,"${"y".repeat(1_100_000)}`);
  const { code, err } = await home.runHere(["import", "suppressions", file, "--as", "bounced"]);
  assert.equal(code, 1);
  assert.match(err, /cannot be read: .*import the file again/);
  const [newest] = await json<readonly Recorded[]>("import", "list");
  assert.equal(newest?.endedAt, null);
  assert.ok("recorded" in newest.counts && newest.counts.recorded >= 1000);
  assert.match(
    await run("import", "show", String(newest.id)),
    /Finished {2}no: it is running, or was interrupted/,
  );
});

test("a file with invalid columns is not recorded as an import", async () => {
  const ids = async () => (await json<readonly Recorded[]>("import", "list")).map(({ id }) => id);
  const before = await ids();
  const file = put("wrong.csv", "name", "Ada");
  assert.equal((await home.runHere(["import", "subscribers", file, "--list", "1"])).code, 2);
  assert.deepEqual(await ids(), before);
});

test("the last row of an address counts, and a suppression of an earlier row is kept", async () => {
  const file = put(
    "twice.csv",
    "email,first_name,last_name,state",
    "Twice@example.org,First,Only here,active",
    "gone@example.org,Gone,,unsubscribed",
    "once@example.org,Once,,active",
    "gone@example.org,Back,,active",
    ...Array.from({ length: 1100 }, (_, n) => `filler${n}@example.org,x,,active`),
    "twice@example.org,no,far,too,many,cells",
    "Twice <twice@EXAMPLE.org>,Last,,active",
  );
  const rejected = ["--rejected", join(home.folder, "twice.rejected")];
  const words = ["import", "subscribers", file, "--list", "1", "--json", ...rejected];
  const counted = async (...more: readonly string[]) => {
    const { out } = await home.runHere([...words, ...more]);
    const { counts, rejected } = JSON.parse(out) as Imported;
    const { added, duplicates, suppressed, newSubscribers } = counts;
    return [added, duplicates, suppressed.unsubscribed, rejected.rowCount, newSubscribers];
  };
  const predicted = await counted("--dry-run");
  assert.deepEqual(predicted, [1102, 2, 1, 1, 1103]);
  assert.deepEqual(await counted(), predicted);
  assert.deepEqual(await valuesOf("twice@example.org"), ["Last", null]);
  const gone = await json<{ readonly state: string }>("subscriber", "show", "gone@example.org");
  assert.equal(gone.state, "unsubscribed");
  const { history } = await json<{ readonly history: readonly { readonly kind: string }[] }>(
    "subscriber",
    "show",
    "twice@example.org",
  );
  assert.deepEqual(
    history.map(({ kind }) => kind),
    ["joined"],
    "nothing was replaced",
  );
});

test("if the last row of an address is malformed, its earlier rows are not imported either", async () => {
  const rejected = join(home.folder, "malformed.rejected");
  const rows = [
    "email,first_name,state",
    "wide@example.org,Wide,active",
    "wide@example.org,Wide,unsubscribed,extra",
    "stray@example.org,Stray,active",
    'stray@example.org,"Stray"x,unsubscribed',
    "shifted@example.org,Shifted,active",
    ",shifted@example.org,Shifted,unsubscribed",
    "friend@example.org,Friend,active",
    "short@example.org,friend@example.org",
  ];
  const { out } = await home.runHere([
    ...["import", "subscribers", put("malformed.csv", ...rows), "--list", "1", "--json"],
    ...["--rejected", rejected],
  ]);
  const { counts, rejected: reported } = JSON.parse(out) as Imported;
  assert.deepEqual([counts.added, counts.duplicates, reported.rowCount], [1, 3, 4]);
  for (const name of ["wide", "stray", "shifted"])
    assert.equal((await home.runHere(["subscriber", "show", `${name}@example.org`])).code, 1, name);
  await run("subscriber", "show", "friend@example.org");
});
