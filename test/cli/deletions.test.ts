/** Deleting fields, campaigns and accounts: what the commands ask, say and refuse. */
import assert from "node:assert/strict";
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
    "campaign event 1 unsubscribe ben@example.org",
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
  await fails("field delete 37328 --yes", 1, /there is no field 37328; see 'mailroll field list'/);
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
  const { name, values } = await home.json<{ name: string; values: number }>(
    ...words("field delete 37329 --yes"),
  );
  assert.deepEqual([name, values], ["Age", 1]);
});

test("a campaign is deleted after confirmation, and the subscriber stays unsubscribed", async () => {
  await fails("campaign delete 1", 2, /this deletes campaign 1 \(Spring\) with 1 result; .*give --yes/);
  await says("campaign delete 1 --yes", "Deleted campaign 1 (Spring), which had 1 result.");
  await fails("campaign show 1", 1, /there is no campaign 1/);
  await fails("campaign delete 1 --yes", 1, /there is no campaign 1; see 'mailroll campaign list'/);
  const person = await home.json<{ state: string; history: readonly { campaign: unknown }[] }>(
    ...words("subscriber show ben@example.org"),
  );
  assert.equal(person.state, "unsubscribed");
  assert.equal(person.history.length, 2);
  const shown = await home.runHere(words("subscriber show ben@example.org"));
  assert.match(shown.out, /unsubscribed +operator +1/);
});
