/**
 * Columns that become fields when a table is imported: JSON attributes, tags, and those that a user names.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Installation, type Ran } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());
before(async () => {
  await home.runHere(["account", "create", "Acme"]);
  await home.runHere(["list", "create", "Members"]);
});
const take = (rows: readonly string[], ...more: readonly string[]): Promise<Ran> => {
  const file = join(home.folder, "table.csv");
  writeFileSync(file, `${rows.join("\n")}\n`);
  return home.runHere(["import", "subscribers", file, "--list", "1", ...more]);
};
const show = async (email: string): Promise<string> =>
  (await home.runHere(["subscriber", "show", email])).out;
const fieldNames = async (): Promise<readonly (readonly [string, string])[]> => {
  const { out } = await home.runHere(["field", "list", "--json"]);
  return (JSON.parse(out) as { name: string; dataType: string }[]).map(({ name, dataType }) => [
    name,
    dataType,
  ]);
};
/** A row of a listmonk export. */
const row = (email: string, attributes: unknown): string =>
  `u,${email},A B,"${(typeof attributes === "string" ? attributes : JSON.stringify(attributes)).replaceAll('"', '""')}",enabled`;
const LISTMONK = "uuid,email,name,attributes,status";

test("the attributes of listmonk become fields whose types the whole file decides", async () => {
  const table = [
    LISTMONK,
    row("one@example.org", { city: "Ulm", plz: "04109", age: 54, tea: true, since: "2024-05-01", mixed: 1 }),
    row("two@example.org", {
      City: "Bonn",
      labels: ["a", "b"],
      deep: { x: [1] },
      mixed: "2024-05-01",
      age: 4.5,
    }),
    row("broken@example.org", '{"city": '),
    row("list@example.org", '["city"]'),
    row("late@example.org", { seen: "2024-05-01T10:00:00Z", empty: null, huge: 1e21, newsletter: false }),
  ];
  const tried = await take(table, "--dry-run");
  assert.equal(tried.code, 0, tried.err);
  assert.match(
    tried.err,
    /^new fields: 'city' \(text\), 'plz' \(text\), 'age' \(number\), 'tea' \(yes\/no\), 'since' \(date\), 'mixed' \(text\), 'labels' \(text\), 'deep' \(text\), 'seen' \(text\), 'huge' \(text\)$/m,
  );
  assert.match(tried.err, /attributes of the column 'attributes' are not imported: 'newsletter'; at most 50/);
  assert.match(tried.out, /2 {2}- 'attributes': … is not a JSON object \(first: '\{"city": '; lines 4, 5\)/);
  assert.deepEqual(await fieldNames(), []);

  const imported = await take(table);
  assert.equal(imported.code, 0, imported.err);
  assert.match(
    imported.out,
    /2 {2}- 'attributes': … is not a JSON object \(first: '\{"city": '; lines 4, 5\)/,
  );
  const one = await show("one@example.org");
  for (const value of [
    /city +Ulm /,
    /plz +04109 /,
    /age +54 /,
    /tea +true /,
    /since +2024-05-01 /,
    /mixed +1 /,
  ])
    assert.match(one, value);
  const two = await show("two@example.org");
  for (const value of [/city +Bonn /, /labels +a, b /, /deep +\{"x":\[1\]\} /, /age +4\.5 /])
    assert.match(two, value);
  assert.match(await show("broken@example.org"), /active/);
  assert.match(await show("late@example.org"), /seen +2024-05-01T10:00:00Z /);

  const again = await take(table, "--dry-run");
  assert.doesNotMatch(again.err, /new fields?:/);
  assert.match(again.out, /0 {2}subscribers updated/);
});

test("an attribute goes into the field that has its name, and a value that does not fit is left out with its line", async () => {
  await home.runHere(["field", "create", "Shoe size", "--type", "REAL"]);
  const { err, out } = await take([
    LISTMONK,
    row("big@example.org", { "shoe SIZE": "43" }),
    row("odd@example.org", { "shoe SIZE": "large" }),
  ]);
  assert.doesNotMatch(err, /new fields?:/);
  assert.match(
    out,
    /1 {2}- 'attributes: Shoe size': … is not valid for the field .* \(first: '.+'; line 3\)/,
  );
  assert.match(await show("big@example.org"), /Shoe size +43 /);
  const strict = await take(
    [LISTMONK, row("odd2@example.org", { "shoe SIZE": "large" })],
    "--strict",
    "--dry-run",
  );
  assert.match(strict.err, /line 2: 'large' is not valid for the field/);
});

test("a column of one's own comes before an attribute, a custom field before all attributes, and a user may ignore them", async () => {
  await home.runHere(["field", "create", "Team", "--type", "STRING"]);
  const own = [`${LISTMONK},Team`, `${row("team@example.org", { team: "red" })},blue`];
  assert.equal((await take(own)).code, 0);
  assert.match(await show("team@example.org"), /Team +blue /);
  const ignored = await take([LISTMONK, row("no@example.org", { never: 1 })], "--map", "attributes=ignore");
  assert.doesNotMatch(ignored.err, /new fields?:/);
});

test("at most 50 attributes become fields, the others are named, and a second import makes no more", async () => {
  const attributes = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`a${n}`, n]));
  const table = [LISTMONK, row("many@example.org", { ...attributes, ["x".repeat(101)]: 1 })];
  const before = (await fieldNames()).length;
  const { err } = await take(table);
  assert.match(err, /'a50', 'a51', 'a52', 'a53', 'a54' and more; at most 50 become new fields/);
  assert.equal((await fieldNames()).length, before + 50);
  assert.doesNotMatch((await take(table)).err, /new fields?:/);
  assert.equal((await fieldNames()).length, before + 50);
});

test("a cell of attributes that is longer than 64 KiB, or nested without end, is left out", async () => {
  const { code, out } = await take([
    LISTMONK,
    row("long@example.org", { long: "x".repeat(65_536) }),
    row("deep@example.org", `{"d":${"[".repeat(30_000)}${"]".repeat(30_000)}}`),
  ]);
  assert.equal(code, 0, out);
  assert.match(
    out,
    /1 {2}- 'attributes': … is too long: a cell has at most 65536 characters \(first: '\{"long":"x{51}…'; line 2\)/,
  );
  assert.match(out, /1 {2}- 'attributes': … is not a JSON object \(first: '\{"d":\[+…'; line 3\)/);
});

test("an attribute that is named with an address becomes no field, and no message names it", async () => {
  const { err } = await take([LISTMONK, row("boss@example.org", { "ann@example.org": "reports to" })]);
  assert.match(err, /attributes of the column 'attributes' are not imported: '…'/);
  assert.doesNotMatch(err, /ann@|new fields?:/);
});

test("the tags of a product become one text field; those of another table do not", async () => {
  assert.match((await take(["email,Tags", "x@example.org,y"])).err, /unknown columns: 'Tags'/);
  const { err } = await take([
    "Email Address,MEMBER_RATING,LEID,EUID,TAGS",
    'tag@example.org,2,1,2,"""VIP"",""Winter"""',
  ]);
  assert.match(err, /^new field: 'TAGS' \(text\)$/m);
  assert.match(await show("tag@example.org"), /TAGS +"VIP","Winter" /);
});

test("a heading can be mapped to a new text field, and to JSON attributes in any table", async () => {
  const table = ["email,Hobby,Extra", `hob@example.org,chess,"{""club"":""A""}"`];
  const { code, err } = await take(table, "--map", "Hobby=new_field", "--map", "Extra=json_attributes");
  assert.equal(code, 0, err);
  const shown = await show("hob@example.org");
  assert.match(shown, /Hobby +chess /);
  assert.match(shown, /club +A /);
  const nameless = await take(
    [`email,${"x".repeat(101)}`, "a@example.org,1"],
    ...["--map", `${"x".repeat(101)}=new_field`],
  );
  assert.match(nameless.err, /cannot be the name of a new field: it needs 1 to 100 characters/);
  const builtIn = await take(["email,Birthday", "a@example.org,1"], "--map", "Birthday=new_field");
  assert.match(builtIn.err, /every subscriber has the built-in field 'Birthday'/);
  const twice = await take(["email,Sport,sport ", "a@example.org,1,2"], "--map", "Sport=new_field");
  assert.match(twice.err, /the columns 'Sport' and 'sport ' map to the same data/);
});

test("an import that would create more fields than the account may have creates none", async () => {
  const count = (await fieldNames()).length;
  await home.runHere(["account", "set", "1", "--limit-fields", String(count + 1)]);
  const table = [LISTMONK, row("full@example.org", { f1: 1, f2: 2 })];
  for (const more of [["--dry-run"], []]) {
    const { code, err } = await take(table, ...more);
    assert.equal(code, 2);
    assert.match(
      err,
      new RegExp(`would create 2 new fields, but the account may have at most ${count + 1} in all`),
    );
  }
  assert.equal((await fieldNames()).length, count);
});
