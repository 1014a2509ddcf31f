/** Deleting fields, campaigns and accounts: what the commands ask, say and refuse. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());

const words = (call: string): readonly string[] => call.split(" ");
async function says(call: string, text: string): Promise<void> {
  const { code, out, err } = await home.runHere(words(call));
  assert.deepEqual([code, out, err], [0, `${text}\n`, ""]);
}
async function fails(call: string, code: number, line: RegExp): Promise<void> {
  const ran = await home.runHere(words(call));
  assert.deepEqual([ran.code, ran.out], [code, ""], ran.err);
  assert.match(ran.err, line);
}

before(async () => {
  for (const call of [
    "account create Acme",
    "list create News",
    "field create Town --type STRING --id 37328",
    "field create Age --type REAL",
    "subscriber add 1 ada@example.org --field Town=Rome --field Age=36",
    "subscriber add 1 ben@example.org --field Town=Bonn",
    "campaign record Spring --list 1",
    "campaign event 1 unsubscribed ben@example.org",
  ])
    assert.equal((await home.runHere(words(call))).code, 0, call);
});

test("a field is deleted after confirmation, with the number of values that go", async () => {
  await fails("field delete 37328", 2, /this deletes field 37328 \(Town\) with 2 values; .*give --yes/);
  const no = await home.runHere(words("field delete 37328"), false);
  assert.equal(no.code, 1);
  assert.equal(
    no.err,
    "Delete field 37328 (Town) with 2 values? Calls that give a value to it are refused from then on.\nmailroll: nothing was deleted\n",
  );
  await says("field delete 37328 --yes", "Deleted field 37328 (Town), which had 2 values.");
  await fails("field delete 37328 --yes", 1, /there is no field 37328; see 'bin\/mailroll field list'/);
  await fails("field delete x --yes", 2, /ID must be a number from 1; 'x' is not/);
  const fields = await home.json<{ readonly name: string }[]>("field", "list");
  assert.deepEqual(
    fields.map(({ name }) => name),
    ["Age"],
  );
});

test("a field is deleted as JSON only with --yes", async () => {
  const asked = await home.runHere(words("field delete 37329 --json"), true);
  assert.equal(asked.code, 2);
  assert.equal((JSON.parse(asked.out) as { error: { code: string } }).error.code, "ConfirmationRequired");
  const { name, valueCount } = await home.json<{ name: string; valueCount: number }>(
    ...words("field delete 37329 --yes"),
  );
  assert.deepEqual([name, valueCount], ["Age", 1]);
});

test("a campaign is deleted after confirmation, and the subscriber stays unsubscribed", async () => {
  await fails("campaign delete 1", 2, /this deletes campaign 1 \(Spring\) with 1 result; .*give --yes/);
  await says("campaign delete 1 --yes", "Deleted campaign 1 (Spring), which had 1 result.");
  await fails("campaign show 1", 1, /there is no campaign 1/);
  await fails("campaign delete 1 --yes", 1, /there is no campaign 1; see 'bin\/mailroll campaign list'/);
  const person = await home.json<{ state: string; history: readonly { campaign: unknown }[] }>(
    ...words("subscriber show ben@example.org"),
  );
  assert.equal(person.state, "unsubscribed");
  assert.equal(person.history.length, 2);
  const shown = await home.runHere(words("subscriber show ben@example.org"));
  assert.match(shown.out, /unsubscribed +operator \S+ +1/);
});

test("an account is deleted only by somebody who gives its name", async () => {
  const asked =
    /this deletes account 1 \(Acme\) with 1 active subscriber and everything else in it; .*--name/;
  await fails("account delete 1", 2, asked);
  await fails("account delete 1 --yes", 2, asked);
  await fails("account delete 1 --name Acme", 2, asked);
  await fails("account delete 1 --name Acne --yes", 2, /--name 'Acne' is not the name of account 1/);
  const no = await home.runHere(words("account delete 1"), false);
  assert.equal(no.code, 1);
  assert.equal(
    no.err,
    "Delete account 1 (Acme) with 1 active subscriber and everything else in it? It cannot be undone. Type the name of the account to confirm:\nmailroll: nothing was deleted\n",
  );
  await fails(
    "account delete 7 --name Acme --yes",
    1,
    /there is no account 7; see 'bin\/mailroll account list'/,
  );
});

test("a deleted account is gone, and doctor finds nothing wrong", async () => {
  assert.equal((await home.runHere(words("account create Other"))).code, 0);
  await fails("account delete 1 --name Acme --yes --rewrite --leave-traces", 2, /contradict each other/);
  const hasTraces = (): boolean =>
    [home.database, `${home.database}-wal`]
      .filter((file) => existsSync(file))
      .some((file) => readFileSync(file).includes("ada@example.org"));
  assert.ok(hasTraces());
  await says("account delete 1 --name Acme --yes", "Deleted account 1 (Acme) and everything in it.");
  assert.ok(!hasTraces(), "nothing is left in the files");
  const accounts = await home.json<{ readonly name: string }[]>("account", "list");
  assert.deepEqual(
    accounts.map(({ name }) => name),
    ["Other"],
  );
  await fails("list list --account 1", 1, /there is no account 1/);
  const { checks } = await home.json<{ checks: readonly { name: string; status: string }[] }>("doctor");
  assert.deepEqual(
    checks.filter(({ name }) => ["counters", "jobs"].includes(name)).map(({ status }) => status),
    ["ok", "ok"],
  );
  const yes = await home.runHere(words("account delete 2"), true);
  assert.equal(yes.out, "Deleted account 2 (Other) and everything in it.\n");
});
