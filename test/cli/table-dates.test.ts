/** How an import finds out which order the dates of a table have, before it takes the first row. */
import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openTable } from "#cli/commands/transfer/table-file.ts";
import { Installation, type Ran } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());
const path = (name: string): string => join(home.folder, name);
const put = (name: string, text: string): string => {
  writeFileSync(path(name), text);
  return path(name);
};
const take = (text: string, ...more: readonly string[]): Promise<Ran> =>
  home.runHere(["import", "subscribers", put("table.csv", text), "--list", "1", ...more]);

before(async () => {
  await home.runHere(["account", "create", "Acme"]);
  await home.runHere(["list", "create", "Members"]);
  await home.runHere(["field", "create", "Since", "--type", "DATE"]);
});

interface Shown {
  readonly birthday: string | null;
  readonly lists: readonly { readonly joinedAt: string }[];
  readonly values: readonly { readonly value: string }[];
}
const show = async (email: string): Promise<Shown> =>
  JSON.parse((await home.runHere(["subscriber", "show", email, "--json"])).out) as Shown;
async function refuses(ran: Promise<Ran>, line: RegExp): Promise<void> {
  const { code, err, out } = await ran;
  assert.match(err, line);
  assert.deepEqual([code, out], [2, ""]);
  const lists = (await home.runHere(["list", "list", "--json"])).out;
  assert.equal((JSON.parse(lists) as { memberCount: number }[])[0]?.memberCount, membersBefore);
}
let membersBefore = 0;

describe("a date column", () => {
  test("with only ambiguous dates is rejected before the first row, and --dates is requested", async () => {
    await refuses(
      take("email,birthday\na@example.org,03/04/1990\nb@example.org,05.05.1990\n"),
      /column 'birthday' are ambiguous, such as '03\/04\/1990' in line 2; give --dates dmy \(day first\) or --dates mdy/,
    );
  });
  test("with dates in both orders is rejected, and one of each is shown with its line", async () => {
    await refuses(
      take("email,Since\na@example.org,1/2/1990\nb@example.org,25.12.1990\nc@example.org,12/31/1990\n"),
      /column 'Since' has dates in both orders: '25\.12\.1990' in line 3 has the day first, '12\/31\/1990' in line 4 has the month first/,
    );
  });
  test("that contradicts --dates is rejected", async () => {
    await refuses(
      take("email,birthday\na@example.org,1/2/1990\nb@example.org,12/31/1990\n", "--dates", "dmy"),
      /--dates: the order dmy does not fit the column 'birthday': '12\/31\/1990' in line 3 has the month first/,
    );
  });
  test("is decided by one unambiguous cell, in any row", async () => {
    const { code, err } = await take(
      "email,birthday,subscribed_at,Since\na@example.org,03/04/1990,03/04/2020,2001-02-03\nb@example.org,,12/31/2019 10:00,\nc@example.org,25.12.1990,,\n",
    );
    assert.equal(code, 0);
    assert.equal(
      err,
      "'birthday' is read with the day first, because of '25.12.1990' in line 4\n'subscribed_at' is read with the month first, because of '12/31/2019 10:00' in line 3\n",
    );
    const a = await show("a@example.org");
    assert.equal(a.birthday, "1990-04-03");
    assert.equal(a.lists[0]?.joinedAt, "2020-03-04T00:00:00.000Z");
    assert.deepEqual(
      a.values.map(({ value }) => value),
      ["2001-02-03"],
    );
    membersBefore = 3;
  });
  test("can have its own --dates, if another column has the other order", async () => {
    const { code, err } = await take(
      "email,birthday,subscribed_at\nd@example.org,12/31/1990,03/04/2020\n",
      "--dates",
      "Subscribed at=dmy",
    );
    assert.deepEqual([code, err], [0, ""]);
    const d = await show("d@example.org");
    assert.deepEqual([d.birthday, d.lists[0]?.joinedAt], ["1990-12-31", "2020-04-03T00:00:00.000Z"]);
    membersBefore = 4;
    await refuses(
      take("email,birthday\ne@example.org,1/2/1990\n", "--dates", "town=dmy"),
      /--dates: 'town' is not a date column; the date columns are: birthday/,
    );
  });
  test("with both orders is read in the order of --dates, and values in the other order are left out, or reject their row", async () => {
    const table = "email,birthday\ne@example.org,25.12.1990\nf@example.org,12/31/1990\n";
    const tried = (...more: readonly string[]) =>
      take(table, "--dates", "dmy", "--dry-run", "--json", ...more);
    const strict = await tried("--strict");
    assert.equal(strict.code, 1);
    const { rejected } = JSON.parse(strict.out) as { rejected: { first: unknown } };
    assert.deepEqual(rejected.first, [{ line: 3, reason: "'12/31/1990' is not a date with the day first" }]);
    const { code, out } = await tried();
    assert.equal(code, 0);
    const { leftOutValues } = JSON.parse(out) as { leftOutValues: unknown };
    assert.deepEqual(leftOutValues, [
      { heading: "birthday", reason: "… is not a date with the day first", lines: [3], valueCount: 1 },
    ]);
  });
  test("of suppressions is decided by the same rule", async () => {
    const file = put("out.csv", "email,kind,date\nx@example.org,unsubscribed,03/04/2020\n");
    await refuses(home.runHere(["import", "suppressions", file]), /column 'date' are ambiguous/);
    appendFileSync(file, "y@example.org,unsubscribed,25/12/2020\n");
    assert.match(
      (await home.runHere(["import", "suppressions", file])).err,
      /^'date' is read with the day first, .*\n$/,
    );
    const { out } = await home.runHere(["subscriber", "show", "x@example.org"]);
    assert.match(out, /unsubscribed since 2020-04-03/);
  });
  test("with a two-digit year is left out with that reason, or rejects its row", async () => {
    const table = "email,birthday\ne@example.org,25.12.90\n";
    const { err } = await take(table, "--dry-run", "--strict");
    assert.match(err, /line 2: '25\.12\.90' has a two-digit year; use four digits\n/);
    assert.match(
      (await take(table, "--dry-run")).out,
      / 1 {2}values left out, because they are not valid \(--strict rejects their rows\)\n +1 {2}- 'birthday': … has a two-digit year; use four digits \(first: '25\.12\.90'; line 2\)/,
    );
  });
  test("ignores rows with a wrong number of cells", async () => {
    await refuses(
      take(
        "email,first_name,birthday\na@example.org,x,1/2/1990\nb@example.org,x, y,12/31/1990\nc@example.org,12/31/1990\n",
      ),
      /are ambiguous, such as '1\/2\/1990' in line 2/,
    );
  });
});

test("an import fails at the end of a file that changed during the second pass", async () => {
  const source = await openTable(put("growing.csv", "email\na@example.org\n"));
  for await (const _ of source.first());
  await assert.rejects(
    async () => {
      for await (const _ of source.second()) writeFileSync(path("growing.csv"), "email\nb@example.org\n");
    },
    { message: /growing\.csv changed while it was being read; import it again when it is complete$/ },
  );
  await source.close();
});

test("a file that changes between the two passes is not imported", async () => {
  const source = await openTable(put("changing.csv", "email,birthday\na@example.org,25.12.1990\n"));
  for await (const _ of source.first());
  appendFileSync(path("changing.csv"), "b@example.org,12/31/1990\n");
  await assert.rejects(
    async () => {
      for await (const _ of source.second());
    },
    { message: /changing\.csv changed while it was being read; import it again when it is complete$/ },
  );
  await source.close();
});

describe("a date column that is nearly certain", () => {
  test("with dots has the day first", async () => {
    assert.equal((await take("email,birthday\ndotted@example.org,03.04.1990\n")).code, 0);
    assert.equal((await show("dotted@example.org")).birthday, "1990-04-03");
  });
  test("with few ambiguous dates among others that begin with the year loses only those", async () => {
    const rows = Array.from({ length: 9 }, (_, n) => `year${n}@example.org,1990-04-0${n + 1}`);
    const table = (...more: readonly string[]) => ["email,birthday", ...rows, ...more, ""].join("\n");
    const { code, out } = await take(table("few@example.org,03/04/1990"));
    assert.equal(code, 0);
    assert.match(out, /'birthday': … is ambiguous; .*\(first: '03\/04\/1990'; line 11\)/);
    assert.equal((await show("few@example.org")).birthday, null);
    const { err } = await take(table("few@example.org,03/04/1990", "more@example.org,04/05/1990"));
    assert.match(err, /column 'birthday' are ambiguous, such as '03\/04\/1990' in line 11/);
  });
});
