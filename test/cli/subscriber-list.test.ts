/** `mailroll subscriber list`, on one installation. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());
before(async () => {
  for (const words of [
    ["account", "create", "Acme"],
    ["list", "create", "Weekly"],
    ["list", "create", "Daily"],
    ["subscriber", "add", "1", "Ada@example.org", "--first", "Ada", "--last", "Lovelace"],
    ["subscriber", "add", "2", "ada@example.org"],
    ["subscriber", "add", "1", "adam@example.com"],
    ["subscriber", "add", "1", "bob@example.org"],
    ["subscriber", "unsubscribe", "bob@example.org"],
    ["account", "create", "Other"],
    ["list", "create", "Theirs", "--account", "2"],
    ["subscriber", "add", "3", "ada@other.example", "--account", "2"],
  ])
    assert.equal((await home.runHere(words)).code, 0, words.join(" "));
});

interface Found {
  readonly items: readonly { readonly email: string }[];
  readonly next: string | null;
}
const search = (...words: readonly string[]): Promise<Found> =>
  home.json<Found>("subscriber", "list", ...words, "--account", "1");
const addresses = async (...words: readonly string[]): Promise<string> =>
  (await search(...words)).items.map(({ email }) => email).join(" ");
async function fails(words: readonly string[], code: number, line: RegExp): Promise<void> {
  const ran = await home.runHere(["subscriber", "list", ...words, "--account", "1"]);
  assert.deepEqual([ran.code, ran.out], [code, ""]);
  assert.match(ran.err, line);
}

test("the form of the search says whether an address, a domain or a beginning is meant", async () => {
  assert.equal(await addresses(), "Ada@example.org adam@example.com bob@example.org");
  assert.equal(await addresses(" ADA@example.org "), "Ada@example.org");
  assert.equal(await addresses("Ada"), "Ada@example.org adam@example.com");
  assert.equal(await addresses("ada@"), "Ada@example.org");
  assert.equal(await addresses("@EXAMPLE.org"), "Ada@example.org bob@example.org");
});

test("options narrow a search down", async () => {
  assert.equal(await addresses("--name", "ada lo"), "Ada@example.org");
  assert.equal(await addresses("--state", "Unsubscribed"), "bob@example.org");
  assert.equal(await addresses("--list", "2"), "Ada@example.org");
  assert.equal(await addresses("@example.org", "--state", "active", "--list", "1"), "Ada@example.org");
});

test("conditions narrow a search down, and all of them must hold", async () => {
  const named = ["--where", "first name is not empty"];
  assert.equal(await addresses(...named), "Ada@example.org");
  assert.equal(
    await addresses("--where", "first name is empty", "--list", "1"),
    "adam@example.com bob@example.org",
  );
  assert.equal(await addresses(...named, "--where", "last name starts with K"), "");
  await fails(["--where", "hair is red"], 2, /--where 'hair is red' is not understood/);
  await fails(["--where", "country is Nowhere"], 2, /condition 1 \(country is Nowhere\) needs a code/);
});

test("the table has names, state, date and the number of lists", async () => {
  const { out } = await home.runHere(["subscriber", "list", "ada@example.org", "--account", "1"]);
  const [header, row, ...rest] = out.split("\n");
  assert.match(header ?? "", /^EMAIL +FIRST NAME +LAST NAME +STATE +CREATED +LISTS$/);
  assert.match(row ?? "", /^Ada@example\.org +Ada +Lovelace +active +20\d\d-.* +2$/);
  assert.deepEqual(rest, [""]);
  const none = await home.runHere(["subscriber", "list", "zoe", "--account", "1"]);
  assert.deepEqual([none.code, none.out], [0, "No subscriber was found.\n"]);
});

test("a search is continued with the cursor that it printed", async () => {
  const { out } = await home.runHere(["subscriber", "list", "--limit", "2", "--account", "1"]);
  const [, cursor = ""] =
    /^There may be more\. To continue, repeat the command with --after (\S+)$/m.exec(out) ?? [];
  const first = await search("--limit", "2");
  assert.equal(first.next, cursor);
  const last = await search("--limit", "2", "--after", cursor);
  assert.deepEqual([last.items.length, last.next], [1, null]);
});

test("a search goes on beyond the 10,000 rows of a page until it has found enough", async () => {
  const db = new DatabaseSync(home.database);
  db.exec(`
    WITH RECURSIVE series (n) AS (SELECT 10001 UNION ALL SELECT n + 1 FROM series WHERE n < 24500)
    INSERT INTO subscriber (account_id, address, address_key, first_name, known_since)
    SELECT 2, n || '@many.example', n || '@many.example', CASE n % 6000 WHEN 0 THEN 'Zoe' ELSE '' END, 5 FROM series`);
  db.close();
  const found = (...words: readonly string[]): Promise<Found> =>
    home.json<Found>("subscriber", "list", "--name", "zoe", ...words, "--account", "2");
  const all = await found();
  assert.deepEqual(
    all.items.map(({ email }) => email),
    ["12000@many.example", "18000@many.example", "24000@many.example"],
  );
  assert.equal(all.next, null);
  const first = await found("--limit", "1");
  assert.deepEqual([first.items.length, first.next === null], [1, false]);
  const second = await found("--after", first.next ?? "");
  assert.deepEqual([second.items, second.next], [all.items.slice(1), null]);
  const unsubscribe = ["subscriber", "bulk", "@many.example", "--unsubscribe", "--account", "2"];
  const asked = await home.runHere(unsubscribe, false);
  assert.match(
    asked.err,
    /\nthey are not all counted here; --dry-run gives the exact numbers\nUnsubscribe at least 10,000 subscribers\?/,
  );
  assert.match(
    (await home.runHere([...unsubscribe, "--dry-run"])).out,
    /^14,500 subscribers would be changed/,
  );
});

test("wrong input is explained", async () => {
  const { next } = await search("--limit", "1");
  await fails(["a b"], 2, /SEARCH 'a b' is neither an e-mail address, nor a domain such as @example\.org/);
  await fails([""], 2, /SEARCH '' is neither/);
  await fails(["@"], 2, /SEARCH '@' is neither/);
  await fails(["--name", " "], 2, /--name ' ' must have 1 to 100 characters/);
  await fails(
    ["--state", "gone"],
    2,
    /--state must be one of active, unsubscribed, bounced, complained, blocked/,
  );
  await fails(["--list", "3"], 1, /there is no list 3; see 'bin\/mailroll list list'/);
  await fails(["--limit", "501"], 2, /--limit '501' must be a number from 1 to 500/);
  await fails(
    ["--after", "x"],
    2,
    /--after 'x' is not a cursor of this search; .*start again from the first page/,
  );
  await fails(["ada", "--after", next ?? ""], 2, /is not a cursor of this search/);
});
