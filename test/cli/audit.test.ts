/** `mailroll audit list`. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { AuditEntry } from "#domain/access/audit.ts";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());

const run = home.output;
const actionsOf = async (...words: readonly string[]): Promise<readonly string[]> =>
  (JSON.parse(await run("audit", "list", "--json", ...words)) as AuditEntry[]).map(({ action }) => action);

before(async () => {
  await run("account", "create", "Acme");
  await run("list", "create", "News");
  await run("list", "rename", "1", "Weekly");
  await run("key", "create", "--label", "Shop", "--key", "EXISTING-KEY-0123456789");
  const file = join(home.folder, "ada@example.org.csv");
  writeFileSync(file, "email\nada@example.org\n");
  await run("import", "subscribers", file, "--list", "1", "--dry-run");
  await run("import", "subscribers", file, "--list", "1");
});

test("audit list shows who changed what, newest first, without keys or addresses", async () => {
  const text = await run("audit", "list");
  const who = userInfo().username.replace(/[^\w]/g, "\\$&");
  assert.match(text, /^ID +AT +WHO +ACTION +WHAT +CHANGE\n/);
  const lines = text.split("\n");
  for (const [index, line] of [
    "import\\.subscribers +import 1 +listId: 1",
    "key\\.create +key 1 Shop +name: Shop; scope: full; expiresAt: -; revokedAt: -",
    "list\\.rename +list 1 Weekly +name: News → Weekly",
    "list\\.create +list 1 Weekly +name: News",
    "account\\.create +account 1 +name: Acme; .*",
  ].entries())
    assert.match(lines[index + 1] ?? "", new RegExp(`^ *\\d+ +20\\S+ \\S+Z +operator ${who} +${line}$`));
  assert.doesNotMatch(text + (await run("audit", "list", "--json")), /EXIST|ada@/);
});

test("audit list selects by action, time and number", async () => {
  assert.deepEqual(await actionsOf("--action", "list.rename"), ["list.rename"]);
  assert.deepEqual(await actionsOf("--by", "user:1"), []);
  assert.equal((await actionsOf("--by", "operator")).length, 5);
  assert.equal((await home.runHere(["audit", "list", "--by", "ada"])).code, 2);
  assert.deepEqual(await actionsOf("--limit", "2"), ["import.subscribers", "key.create"]);
  assert.deepEqual(await actionsOf("--since", "2999-01-01"), []);
  assert.equal((await actionsOf("--since", "2020-01-01")).length, 5);
  assert.match(await run("audit", "list", "--action", "nope"), /^There are no such entries\.\n$/);
  const { err } = await home.runHere(["audit", "list", "--limit", "2"]);
  assert.equal(err, "these are the newest 2 entries; for more, give --limit N\n");
  const wrong = await home.runHere(["audit", "list", "--since", "soon"]);
  assert.deepEqual([wrong.code, /--since must be a date/.test(wrong.err)], [2, true]);
});

test("audit list shows one account, or all of them with --all-accounts", async () => {
  await run("account", "create", "Other");
  assert.deepEqual(await actionsOf("--account", "2"), ["account.create"]);
  assert.equal((await actionsOf("--all-accounts")).length, 6);
  assert.match(await run("audit", "list", "--all-accounts", "--limit", "1"), /ACCOUNT.*\n.* 2 +operator /);
  const both = await home.runHere(["audit", "list", "--all-accounts", "--account", "1"]);
  assert.deepEqual([both.code, /contradict each other/.test(both.err)], [2, true]);
});
