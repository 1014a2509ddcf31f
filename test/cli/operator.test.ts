/**
 * An operator's day on one installation: each test goes on from what the one before it did. Documents are
 * asked of the real program; texts for people and refusals are read without a process of their own, because
 * every start costs.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { after, test } from "node:test";
import { SqliteStore } from "#store/sqlite/store.ts";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());

/** A call as it would be typed; single quotes keep words together. */
const words = (call: string): readonly string[] =>
  (call.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'|'$/g, ""));
const json = <Document>(call: string): Promise<Document> => home.json<Document>(...words(call));

async function fails(call: string, code: number, line: RegExp): Promise<void> {
  const ran = await home.runHere(words(call));
  assert.equal(ran.code, code, `mailroll ${call}: ${ran.err}`);
  assert.match(ran.err, /^mailroll: [^\n]+\n$/);
  assert.match(ran.err, line);
}
/** The document of a call that must fail. */
async function failure(call: string, code: number): Promise<Readonly<Record<string, unknown>>> {
  const ran = await home.runHere(words(`${call} --json`));
  assert.deepEqual([ran.code, ran.err], [code, ""]);
  return JSON.parse(ran.out) as Readonly<Record<string, unknown>>;
}
async function says(call: string, text: RegExp): Promise<string> {
  const { code, out, err } = await home.runHere(words(call));
  assert.equal(code, 0, `mailroll ${call}: ${err}`);
  assert.match(out, text);
  return out;
}
const done = { outcome: "Done", byte: 0 };

test("without a database a command reports what to do and creates no file", async () => {
  await fails("list create News", 1, /there is no database .*m\.db; .*MAILROLL_DATABASE.*account create/);
  assert.equal(existsSync(home.database), false);
});

test("a command that creates a database prints its path", async (t) => {
  const other = new Installation();
  t.after(() => other.remove());
  const made = await other.runHere(["account", "create", "Acme"]);
  assert.deepEqual([made.code, made.err], [0, `created a new database: ${other.database}\n`]);
  const again = await other.runHere(["account", "create", "Zeta"]);
  assert.deepEqual([again.code, again.err], [0, ""]);
  const third = new Installation();
  t.after(() => third.remove());
  const { notes } = await third.json<{ notes: readonly string[] }>("account", "create", "Acme");
  assert.deepEqual(notes, [`created a new database: ${third.database}`]);
});

test("an account is created, renamed, limited and listed", async () => {
  const account = await json<{ id: number; name: string; createdAt: string }>("account create Acne");
  assert.deepEqual([account.id, account.name], [1, "Acne"]);
  assert.match(account.createdAt, /^20\d\d-\d\d-\d\dT/);
  await says("account rename 1 Acme", /^Account 1: Acme\n$/);
  await says("account set 1 --limit-fields 2", /field limit 2/);
  await Promise.all([
    says("account list", /^ID +NAME .*\n 1 +Acme +- +- +2 /),
    fails("account rename 5 X", 1, /there is no account 5/),
    fails("account set 1", 2, /nothing to set/),
    fails("account set 1 --limit-fields many", 2, /'many' is not a limit; give a number, or 'none'/),
    fails(
      "account set 1 --country Utopia",
      2,
      /--country 'Utopia' must be an ISO 3166-1 country code such as AR, ARG or 32/,
    ),
  ]);
});

test("an account's country is set in any ISO code, and removed again", async (t) => {
  const other = new Installation();
  t.after(() => other.remove());
  await other.json("account", "create", "Acme");
  const setTo = async (country: string) =>
    (await other.json<{ country: string | null }>("account", "set", "1", "--country", country)).country;
  assert.equal(await setTo("arg"), "AR");
  assert.equal(await setTo("276"), "DE");
  assert.equal(await setTo("none"), null);
});

test("a database without an account is reported with what to do", async (t) => {
  const other = new Installation();
  t.after(() => other.remove());
  mkdirSync(dirname(other.database), { recursive: true });
  await (await SqliteStore.open(other.database, { days: 90, rows: 5, bytes: 1000 })).close();
  const { code, err } = await other.runHere(["list", "list"]);
  assert.deepEqual(
    [code, err],
    [
      1,
      "mailroll: there is no account yet; start the server once, or run 'bin/mailroll account create NAME'\n",
    ],
  );
  const { out } = await other.runHere(["doctor"]);
  assert.match(
    out,
    /^warning +accounts +there is no account; start the server once, or run: bin\/mailroll account/m,
  );
});

test("a key is shown once, expires at the end of its last day, and is listed by its first characters only", async () => {
  const out = await says(
    "key create --label Shop --scope read --expires 2999-12-31",
    /^[0-9A-F]{32}\n\nKey 1 of account 1 \(Acme\), scope read, expires 2999-12-31 23:59:59Z\.\n.*only once/,
  );
  const key = out.slice(0, 32);
  const made = await json<Readonly<Record<string, unknown>>>("key create");
  assert.match(String(made.secret), /^[0-9A-F]{32}$/);
  assert.deepEqual([made.id, made.accountId, made.scope, "hash" in made], [2, 1, "full", false]);
  const [table] = await Promise.all([
    says("key list", /^ID +HINT +NAME +SCOPE/),
    fails("key create --expires 2020-01-01", 2, /--expires '2020-01-01' must be in the future/),
    fails("key create --scope write", 2, /--scope must be one of full, read/),
    fails("key revoke 77", 1, /there is no key 77; see 'bin\/mailroll key list'/),
  ]);
  assert.ok(table.includes(`${key.slice(0, 4)}…  Shop  read   yes`));
  assert.ok(!table.includes(key) && !table.includes(String(made.secret)));
});

test("the label of a key and when it expires are changed, each by itself", async () => {
  await says(
    "key set 1 --expires 2998-12-31",
    /^Changed: Shop \(key 1\) of account 1 \(Acme\), expires 2998-12-31 23:59:59Z\.\n$/,
  );
  const changed = await json<{ name: string; expiresAt: string }>("key set 1 --label Till");
  assert.deepEqual([changed.name, changed.expiresAt.slice(0, 10)], ["Till", "2998-12-31"]);
  await says("key set 1 --label Shop --expires none", /^Changed: Shop \(key 1\) .*, does not expire\.\n$/);
  await fails("key set 1", 2, /nothing to set: give --label or --expires/);
  await fails("key set 1 --expires 2020-01-01", 2, /--expires '2020-01-01' must be in the future/);
  await fails("key set 77 --label X", 1, /there is no key 77; see 'bin\/mailroll key list'/);
});

test("a key is revoked after confirmation, or with --yes", async () => {
  await fails(
    "key revoke 1",
    2,
    /this revokes Shop \(key 1\) of account 1 \(Acme\), .*without a terminal or with --json, give --yes\n$/,
  );
  const { error } = await failure("key revoke 1", 2);
  assert.equal((error as { code: string }).code, "ConfirmationRequired");
  const no = await home.runHere(["key", "revoke", "1"], false);
  assert.match(
    no.err,
    /^Revoke Shop \(key 1\) .*, never used\? Programs that use it stop working .*\nmailroll: nothing was revoked\n$/,
  );
  assert.equal(no.code, 1);
  const [kept] = await json<readonly { revokedAt: string | null }[]>("key list");
  assert.equal(kept?.revokedAt, null);
  await says("key revoke 2 --yes", /^Revoked at 20.*: key 2 \([0-9A-F]{4}…\)\.\n$/);
  // There is nothing to ask about.
  await says("key revoke 2", /^Revoked at 20/);
  const [, revoked] = await json<readonly { revokedAt: string | null }[]>("key list");
  assert.match(revoked?.revokedAt ?? "", /^20/);
});

test("lists are created, renamed and listed", async () => {
  const list = await json<{ id: number; name: string }>("list create News");
  assert.deepEqual([list.id, list.name], [1, "News"]);
  await json("list create Old");
  await says("list rename 1 お知らせ", /^List 1: お知らせ\n$/);
  await Promise.all([
    fails("list rename 9 X", 1, /there is no list 9/),
    says("list list", /^ID +NAME +CREATED +MEMBER COUNT\n 1 {2}お知らせ .*\n 2 {2}Old +20.* 0\n$/),
  ]);
});

test("fields are created by type, ignoring case; a refusal is explained, and is an outcome for scripts", async () => {
  const field = await json<{ id: number; type: string; isPrivate: boolean }>(
    "field create Newsletter --type consent --private",
  );
  assert.deepEqual([field.id, field.type, field.isPrivate], [1, "CONSENT", true]);
  await says("field create Score --type SCORE", /^Field 2: Score, SCORE\n$/);
  await Promise.all([
    fails("field create NEWSLETTER --type STRING", 1, /FieldExists \(255\): .*'bin\/mailroll field list'/),
    fails("field create X --type TEXT", 2, /BOOLEAN, REAL, STRING,.* GDPR; 'TEXT'/),
    fails("field create ' ' --type STRING", 1, /InvalidFieldName \(254\)/),
    fails("field create More --type DATE", 1, /LimitReached \(103\).*account set 1 --limit-fields N/),
    says("field list", /Newsletter +CONSENT +yes .*\n.*Score +SCORE +no /),
    fails("field rename 2 newsletter", 1, /FieldExists \(255\): .*'bin\/mailroll field list'/),
    fails("field rename 2 ' '", 1, /InvalidFieldName \(254\)/),
    fails("field rename 9 X", 1, /there is no field 9; see 'bin\/mailroll field list'/),
    fails("field rename two X", 2, /ID must be a number from 1; 'two' is not/),
  ]);
  const { error, ...refused } = await failure("field create NEWSLETTER --type STRING", 1);
  assert.deepEqual(refused, { outcome: "FieldExists", byte: 255 });
  assert.equal((error as { code: string }).code, "FieldExists");
});

test("keys, lists and fields can be created with existing keys and ids; a conflict is reported in one line", async () => {
  const key = "Old-Key:12345";
  const taken = await home.runHereOn(`${key}\r\n`, ["key", "create", "--key", "-", "--label", "CRM"]);
  assert.equal(taken.code, 0, taken.err);
  assert.match(taken.out, /^Key 3 of account 1 .*\nThe existing key was registered: OLD-…\n$/);
  assert.match(taken.err, /^warning: this key has fewer than 16 characters .*bin\/mailroll key create.*\n$/);
  await fails(`key create --key ${key.toLowerCase()}`, 1, /the key already exists in this/);
  await says("account set 1 --limit-fields none", /field limit none/);
  await says("list create Old --id 543181", /^List 543181: Old\n$/);
  await says("field create Town --type STRING --id 9007199254740993", /^Field 9007199254740993: Town/);
  await Promise.all([
    fails("key create --key short", 2, /--key must have 8 to 128 printable characters(?!.*short)/),
    fails("list create Old --id 543181", 1, /this id cannot be chosen; choose another one/),
    fails("list create Old --id 2000000001", 2, /at most 2000000000: list ids are 32-bit/),
    fails("list create Old --id 0", 2, /--id must be a number from 1; '0'/),
    fails(
      "field create City --type STRING --id 9007199254740993",
      1,
      /this id cannot be chosen; choose another one/,
    ),
    fails(
      "field create City --type STRING --id 9000000000000000001",
      2,
      /--id '9000000000000000001' must be at most 9000000000000000000/,
    ),
    fails("field create City --type STRING --id -1", 2, /--id/),
  ]);
  const { error } = await failure("list create Old --id 543181", 1);
  assert.equal((error as { code: string }).code, "AlreadyExists");
  await says("list delete 543181 --yes", /^Deleted/);
});

test("a subscriber is added with data; an invalid value is explained", async () => {
  const add = "subscriber add 1 Ada@example.org --first Ada --last Love\u009b31mlace --field newsletter=yes";
  assert.deepEqual(await json(add), done);
  await Promise.all([
    fails(
      "subscriber add 1 ada@example.org --field Score=high",
      1,
      /InvalidValue \(253\): 'high' is not valid for the field Score \(SCORE\), which takes a number/,
    ),
    fails("subscriber add 1 ada@example.org --first \u0001", 1, /InvalidValue \(253\): a name has/),
    fails("subscriber add 1 a@example.org --field Size=1", 2, /there are: Newsletter, Score/),
    fails("subscriber add 7 ada@example.org", 1, /UnknownList \(101\)/),
    fails("subscriber add 1 ada", 1, /InvalidEmail \(1\): .*given address was ada: it has no @\.\n/),
  ]);
});

test("a subscriber is removed from a list, once", async () => {
  await says("subscriber add 2 ada@example.org", /is on list 2/);
  await says("subscriber remove 2 ada@example.org", /was removed from list 2/);
  await fails("subscriber remove 2 ada@example.org", 1, /NotOnList \(202\)/);
  const { error, ...refused } = await failure("subscriber remove 2 ada@example.org", 1);
  assert.deepEqual(refused, { outcome: "NotOnList", byte: 202 });
  assert.equal((error as { code: string }).code, "NotOnList");
});

test("an opt-out refuses an add until it is cleared with a reason", async () => {
  await says("subscriber unsubscribe ada@example.org", /unsubscribed since 20/);
  await fails(
    "subscriber add 1 ada@example.org",
    1,
    /Unsubscribed \(206\).*bin\/mailroll subscriber reactivate ada@example\.org --from unsubscribed --reason TEXT/,
  );
  const clear = "subscriber reactivate ada@example.org --from unsubscribed --reason 'she rang'";
  await says(clear, /is active again/);
  await fails(clear, 1, /ada@example\.org is not unsubscribed/);
});

test("a block of a domain suppresses its subscribers until it is removed", async () => {
  await says("block add @EXAMPLE.org", /^@example\.org is on the block list/);
  await Promise.all([
    says("block list", /^PATTERN +CREATED\n@example\.org +20/),
    fails("block add nonsense", 2, /'nonsense' cannot be blocked/),
    fails("subscriber add 1 bob@example.org", 1, /Blocked \(204\).*bin\/mailroll block list/),
    fails(
      "subscriber show bob@example.org",
      1,
      /there is no subscriber .*@example\.org is on the block list/,
    ),
  ]);
  await says("block remove @example.org", /was removed from the block list/);
  await fails(
    "block remove @example.org",
    1,
    /there is no block @example\.org; see 'bin\/mailroll block list'/,
  );
});

test("a campaign of another tool is recorded with its lists and times", async () => {
  const { id } = await json<{ id: number }>("campaign record Spring --list 1 --list 2 --sent 2026-03-03");
  assert.equal(id, 1);
  await Promise.all([
    fails("campaign record X --list 9", 1, /there is no list 9/),
    fails("campaign record X --list 1 --sent 2999-01-01", 2, /--sent '2999-01-01' must not be in the future/),
    says("campaign list", /Spring +2026-03-03 00:00:00Z +2026-03-03 00:00:00Z/),
  ]);
});

test("an event of a campaign is recorded at its time", async () => {
  assert.deepEqual(await json("campaign event 1 bounced ada@example.org --at 2026-03-04T10:00:00Z"), done);
  await Promise.all([
    fails("campaign event 1 bounce ada@example.org", 2, /EVENT must be one of bounced/),
    fails("campaign event 1 complained", 2, /EMAIL is missing; or give --file/),
    fails("campaign event 8 complained ada@example.org", 1, /there is no campaign 8/),
    fails(
      "campaign event 1 complained ada@example.org --at 2999-01-01",
      2,
      /--at '2999-01-01' must not be in/,
    ),
  ]);
});

test("a campaign is shown with its lists and numbers, and corrected", async () => {
  await says(
    "campaign show 1",
    /^Campaign 1: Spring, .*\n\nLists, .*:\n {2}1 お知らせ, now \d+ active members?\n {2}2 Old, now 0 .*\n\nBounced +1\nUnsubscribed +0\nComplained +0\n$/,
  );
  await says(
    "campaign set 1 --name 'Spring offers' --created 2026-03-01 --sent 2026-03-03T08:00:00Z",
    /^Campaign 1: Spring offers, created 2026-03-01 00:00:00Z, sent 2026-03-03 08:00:00Z\n$/,
  );
  await says("campaign set 1 --sent none", /created 2026-03-01 00:00:00Z, not sent\n$/);
  await says(
    "campaign set 1 --name Spring --sent 2026-03-03",
    /Spring, created .*, sent 2026-03-03 00:00:00Z/,
  );
  await Promise.all([
    fails("campaign set 1", 2, /nothing to set: give --name, --created or --sent/),
    fails(
      "campaign set 1 --sent 2026-02-01",
      2,
      /--sent '2026-02-01' must not be before the time of creation/,
    ),
    fails("campaign set 1 --name ' '", 2, /--name ' ' must have 1 to 100 characters/),
    fails("campaign set 9 --name X", 1, /there is no campaign 9; see 'bin\/mailroll campaign list'/),
    fails("campaign show 9", 1, /there is no campaign 9/),
  ]);
});

test("subscriber show prints data, lists, state and the whole history, oldest first", async () => {
  const [page, record] = await Promise.all([
    says("subscriber show ADA@example.org", /^Ada@example\.org\n/),
    json<{ suppressions: Record<string, unknown>; history: { actor: unknown }[] }>(
      "subscriber show ada@example.org",
    ),
    fails(
      "subscriber show nobody@example.org",
      1,
      /there is no subscriber with the address nobody@example\.org\n/,
    ),
  ]);
  assert.match(page, /State +bounced since 2026-03-04 10:00:00Z\n/);
  assert.match(page, /Last name +Love 31mlace\n/);
  assert.match(page, /Newsletter +true +20\d\d-/);
  assert.match(page, / 1 {2}お知らせ +20\d\d-.* suspended\n/);
  const happened = [...page.matchAll(/^ +\d{4}-\S+ \S+Z +([a-z]+) +operator \S/gm)].map(([, what]) => what);
  const expected = "bounced joined joined left unsubscribed reactivated blocked unblocked".split(" ");
  assert.deepEqual(happened, expected);
  assert.match(page, /reactivated .*no longer unsubscribed: she rang/);
  const { username } = userInfo();
  assert.ok(/bounced +operator (\S+) +1 Spring/.exec(page)?.[1] === username, page);
  assert.deepEqual(record.history[0]?.actor, { kind: "operator", id: null, name: username });
  assert.equal(record.suppressions.bounced, "2026-03-04T10:00:00.000Z");
  assert.equal(record.suppressions.unsubscribed, null);
  assert.equal(record.history.length, expected.length);
});

test("without a terminal a list is deleted only with --yes", async () => {
  await says("subscriber add 2 cy@example.org", /is on list 2/);
  await fails("list delete 2", 2, /this deletes list 2 \(Old\) with 1 active member; .*give --yes/);
  const no = await home.runHere(words("list delete 2"), false);
  assert.equal(no.code, 1);
  assert.equal(
    no.err,
    "Delete list 2 (Old) with 1 active member? Its subscribers stay in the account, but are no longer on this list. 1 campaign recorded for it stays, with its name.\nmailroll: nothing was deleted\n",
  );
  await says("list delete 2 --yes", /^Deleted list 2 \(Old\), which had 1 active member\.\n$/);
  await fails("list delete 2 --yes", 1, /there is no list 2/);
});

test("with two accounts a command needs --account, by id or by name", async () => {
  await json("account create Zeta");
  await Promise.all([
    fails("list list", 2, /choose one with --account or MAILROLL_ACCOUNT: 1 Acme, 2 Zeta/),
    says("list list --account Zeta", /^There is no list yet/),
    fails("list list --account 3", 1, /there is no account 3; there are: 1 Acme, 2 Zeta/),
    fails("key revoke 1 --account 2", 1, /there is no key 1/),
  ]);
});

test("MAILROLL_ACCOUNT names the account of commands without --account", async () => {
  const lists = async (command: string, account: string) =>
    (await home.runHere(words(command), null, { MAILROLL_ACCOUNT: account })).out;
  assert.match(await lists("list list", "Zeta"), /^There is no list yet/);
  assert.match(await lists("list list --account Acme", "Zeta"), /お知らせ/);
  await fails("list list", 2, /choose one with --account or MAILROLL_ACCOUNT/);
});
