/** `mailroll subscriber set`: an operator corrects a subscriber. */
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());

const words = (call: string): readonly string[] =>
  (call.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'|'$/g, ""));
async function run(call: string): Promise<string> {
  const { code, out, err } = await home.runHere(words(call));
  assert.deepEqual([code, err], [0, ""], call);
  return out;
}
async function fails(call: string, code: number, line: RegExp): Promise<void> {
  const ran = await home.runHere(words(call));
  assert.equal(ran.code, code, `mailroll ${call}: ${ran.out}${ran.err}`);
  assert.match(ran.err, /^mailroll: [^\n]+\n$/);
  assert.match(ran.err, line);
}
/** Of the account that the last test made. */
let account = 0;
let ada = "";
beforeEach(async () => {
  account += 1;
  await home.runHere(["account", "create", "Acme"]);
  await run(`list create News --account ${account}`);
  await run(`field create Town --type STRING --account ${account}`);
  await run(`field create Score --type REAL --account ${account}`);
  ada = `ada@example.org --account ${account}`;
  await run(`subscriber add ${account} ${ada} --first Ad --field Town=Paris`);
});

test("values are corrected and cleared, and the output has the old and the new ones", async () => {
  assert.equal(
    await run(
      `subscriber set ${ada} --first Ada --last 'King Noel' --gender female --birthday 1815-12-10 --country GBR --field score=04.50 --clear town`,
    ),
    `ada@example.org was corrected:
  First name: Ad → Ada
  Last name: (none) → King Noel
  Gender: (none) → F
  Birthday: (none) → 1815-12-10
  Country: (none) → GB
  Score: (none) → 4.5
  Town: Paris → (none)
`,
  );
  const shown = await run(`subscriber show ${ada}`);
  assert.match(
    shown,
    /^First name +Ada\nLast name +King Noel\nGender +F\nBirthday +1815-12-10\nCountry +GB$/m,
  );
  assert.match(shown, / changed +operator .*First name: Ad → Ada; .*; Town: Paris → \(none\)/);
  assert.match(
    await run(
      `subscriber set ${ada} --clear first --clear LAST --clear gender --clear birthday --clear country`,
    ),
    /Ada → \(none\)\n.*King Noel → \(none\)\n.*F → \(none\)\n.*1815-12-10 → \(none\)\n.*GB → \(none\)\n$/,
  );
  assert.equal(
    await run(`subscriber set ${ada} --clear first --field Score=4.5`),
    "ada@example.org had these values already.\n",
  );
});

test("a cleared value has the name that its field has today, also in the export", async () => {
  await run(`subscriber set ${ada} --clear Town`);
  const { id } =
    (
      await home.json<readonly { id: number; name: string }[]>("field", "list", "--account", `${account}`)
    ).find(({ name }) => name === "Town") ?? assert.fail();
  await run(`field rename ${id} Home --account ${account}`);
  assert.match(await run(`subscriber show ${ada}`), /Home: Paris → \(none\)/);
  assert.match(await run(`subscriber export ${ada}`), /Home:\s+“Paris”\s+was\s+removed\./);
  const { subscriber } = await home.json<{
    subscriber: { history: readonly { replaced: readonly object[] | null }[] };
  }>(...words(`subscriber export ${ada}`));
  assert.deepEqual(subscriber.history.at(-1)?.replaced, [
    { field: { id, name: "Home" }, old: "Paris", new: null },
  ]);
});

test("the address is changed, and the history has the old one", async () => {
  const moved = ada.replace("example.org", "new.example");
  assert.equal(
    await run(`subscriber set ${ada} --email 'Ada <ada@new.example>'`),
    "ada@new.example was corrected:\n  E-mail address: ada@example.org → ada@new.example\n",
  );
  assert.match(await run(`subscriber show ${moved}`), /E-mail address: ada@example\.org → ada@new\.example/);
  await fails(`subscriber show ${ada}`, 1, /there is no subscriber/);
  await fails(
    `subscriber set ${ada} --first X`,
    1,
    /there is no subscriber with the address ada@example\.org/,
  );
  assert.match(
    await run(`subscriber erase ${moved} --leave-traces --yes`),
    /Before, the address was ada@example\.org\. .*erase it, too/,
  );
});

test("a refused change of address says why, and what to do", async () => {
  const set = `subscriber set ${ada} --email`;
  await run(`subscriber add ${account} bob@example.org --account ${account}`);
  await fails(
    `${set} BOB@example.org`,
    1,
    /BOB@example\.org is already a subscriber .* erase ada@example\.org/,
  );
  await run(`block add @spam.example --account ${account}`);
  await fails(
    `${set} ada@spam.example`,
    1,
    /Blocked \(204\): the new address ada@spam\.example is blocked: .*another address/,
  );
  await run(`subscriber unsubscribe ${ada}`);
  await fails(
    `${set} ada@new.example`,
    1,
    /Unsubscribed \(206\): .* is unsubscribed\. .*reactivate the subscriber with that reason first/,
  );
  assert.match(await run(`${set} Ada@Example.org`), /Ada@Example\.org was corrected/);
});

test("wrong input is rejected with the option and what it takes", async () => {
  const set = `subscriber set ${ada}`;
  await Promise.all([
    fails(set, 2, /nothing to set: give --email, .* or --clear/),
    fails(`subscriber set ada --account ${account} --first X`, 2, /EMAIL 'ada' is not an e-mail address/),
    fails(`${set} --email bob`, 2, /--email 'bob' is not an e-mail address: it has no @/),
    fails(`${set} --gender woman`, 2, /--gender 'woman' must be M, F or X/),
    fails(`${set} --birthday 10.12.1815`, 2, /--birthday '10\.12\.1815' must be a date such as/),
    fails(`${set} --birthday 2999-01-01`, 2, /--birthday '2999-01-01' must not be in the future/),
    fails(`${set} --country XX`, 2, /--country 'XX' must be a country such as/),
    fails(`${set} --first ''`, 2, /--first '' is empty; to remove the stored value, clear it/),
    fails(`${set} --last ${"x".repeat(1001)}`, 2, /--last 'x+' must be at most 1000 characters/),
    fails(`${set} --field Town=`, 2, /--field: the value of Town is empty; .*clear it/),
    fails(`${set} --field Twon=Rome`, 2, /--field: there is no field 'Twon'; there are: Town, Score/),
    fails(`${set} --field Score=high`, 1, /'high' is not valid for the field Score \(REAL\)/),
    fails(`${set} --clear Twon`, 2, /--clear: there is no field 'Twon'/),
    fails(`${set} --clear first --first Ada`, 2, /--first 'Ada' is given, but it is also to be cleared/),
    fails(`${set} --clear Town --field town=Rome`, 2, /--clear: Town is both set and cleared/),
  ]);
  assert.match(await run(`subscriber show ${ada}`), /Ad\n.*Paris/s);
});

test("subscriber show has the whole history, however long it is", async () => {
  for (let n = 0; n < 30; n += 1) {
    await run(`subscriber remove ${account} ${ada}`);
    await run(`subscriber add ${account} ${ada}`);
  }
  const shown = await run(`subscriber show ${ada}`);
  assert.deepEqual([shown.match(/ joined /g)?.length, shown.match(/ left /g)?.length], [31, 30]);
  assert.ok(shown.indexOf(" joined ") < shown.indexOf(" left "), "the oldest comes first");
});
