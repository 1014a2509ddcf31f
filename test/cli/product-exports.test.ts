/** Exports of other products are imported without a flag, and everybody arrives in the right state. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Arrived, notImported, productExports } from "../transfer/product-exports.ts";
import { Installation } from "./program.ts";

interface Shown {
  readonly email: string;
  readonly state: Arrived["state"];
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly country: string | null;
  readonly lists: readonly { readonly joinedAt: string }[];
}

const home = new Installation({ keepsOpen: true });
after(() => home.remove());
before(async () => {
  await home.runHere(["account", "create", "Acme"]);
});

async function arrived({ email, since }: Arrived): Promise<Arrived> {
  const { code, out } = await home.runHere(["subscriber", "show", email, "--json"]);
  if (code !== 0) return notImported(email);
  const shown = JSON.parse(out) as Shown;
  return {
    ...{ email: shown.email.toLowerCase(), state: shown.state, country: shown.country },
    ...{ first: shown.firstName, last: shown.lastName },
    since: since === null ? null : (shown.lists[0]?.joinedAt.slice(0, 10) ?? null),
  };
}

for (const { name, text, people } of productExports)
  test(name, async () => {
    const created = await home.runHere(["list", "create", name, "--json"]);
    const { id } = JSON.parse(created.out) as { readonly id: number };
    const file = join(home.folder, name);
    writeFileSync(file, text);
    const imported = await home.runHere(["import", "subscribers", file, "--list", String(id)]);
    const found: Arrived[] = [];
    for (const person of people) found.push(await arrived(person));
    assert.deepEqual(found, people, imported.out + imported.err);
    const isComplete = people.every(({ state }) => state !== "not confirmed");
    assert.equal(imported.code, isComplete ? 0 : 1, imported.out);
  });

describe("nobody becomes active of whom the file says otherwise:", () => {
  const listmonk = "uuid,email,name,attributes,status\n1,PERSON,A B,{}";
  const brevo = "EMAIL,ADDED_TIME,MODIFIED_TIME";
  const tables: readonly (readonly [name: string, table: string, state: Arrived["state"]])[] = [
    ["no to a subscription", "email,subscribed\nPERSON,no\n", "not confirmed"],
    ["no to a newsletter, and a state", "email,Newsletter,Status\nPERSON,no,active\n", "unsubscribed"],
    ["a state, and no to a newsletter", "email,Status,Newsletter\nPERSON,active,no\n", "unsubscribed"],
    ["no tick mark", "email,Newsletter\nother@example.com,x\nPERSON,\n", "unsubscribed"],
    ["a word of no product", `${listmonk},constructor\n`, "not confirmed"],
    ["Brevo, no opt-in", `${brevo},OPT_IN\nPERSON,2024-01-01,2024-01-01,No\n`, "unsubscribed"],
    ["Brevo, no double opt-in", `${brevo},DOUBLE_OPT-IN\nPERSON,2024-01-01,2024-01-01,2\n`, "not confirmed"],
    [
      "Brevo, an unknown word",
      `${brevo},EMAIL_BLACKLISTED\nPERSON,2024-01-01,2024-01-01,t\n`,
      "not confirmed",
    ],
    ["Brevo, in capitals", `${brevo},_BLOCKLISTED\nPERSON,2024-01-01,2024-01-01,[Email]\n`, "blocked"],
    [
      "HubSpot, a word instead of yes",
      "Record ID,Email,Create Date,Unsubscribed from all email\n1,PERSON,2024-01-01,Unsubscribed\n",
      "unsubscribed",
    ],
    [
      "HubSpot, not confirmed",
      "Record ID,Email,Create Date,Marketing email confirmation status\n1,PERSON,2024-01-01,Waiting for confirmation\n",
      "not confirmed",
    ],
  ];
  const take = async (name: string, table: string, ...more: readonly string[]) => {
    const file = join(home.folder, `${name}.csv`);
    writeFileSync(file, table);
    return home.runHere(["import", "subscribers", file, "--list", "1", ...more]);
  };
  for (const [index, [name, table, state]] of tables.entries())
    test(name, async () => {
      const email = `told${index}@example.org`;
      const { out, err } = await take("told", table.replace("PERSON", email));
      const found = await arrived({ ...notImported(email), state });
      assert.equal(found.state, state, out + err);
    });

  test("a note says where an empty cell is read as no", async () => {
    const ticked = await take("ticks", "email,Newsletter\nt1@example.org,x\nt2@example.org,\n", "--dry-run");
    assert.match(ticked.err, /in the column 'Newsletter' an empty cell means no, because no cell says no/);
    const answered = await take(
      "answers",
      "email,Newsletter\nt1@example.org,no\nt2@example.org,\n",
      "--dry-run",
    );
    assert.doesNotMatch(answered.err, /an empty cell/);
  });
  test("an empty consent in Klaviyo is no consent, and the dry run says why", async () => {
    const table =
      "Email,Klaviyo ID,Email Marketing Consent\nk1@example.org,1,\nk2@example.org,2,SUBSCRIBED\n";
    const { out, err } = await take("klaviyo", table, "--dry-run");
    assert.match(err, /whose consent in Klaviyo is empty or NEVER_SUBSCRIBED, are not imported/);
    assert.match(err, /line 2: no consent is given: the person has not confirmed/);
    assert.match(out, /1 {2}added/);
  });
  test("a file of MailerLite with people of one state is imported as addresses not to mail", async () => {
    const file = join(home.folder, "unsubscribed.csv");
    writeFileSync(file, "Subscriber,Sent,Opens,Clicks\nml@example.org,1,0,0\n");
    const { code, err } = await home.runHere(["import", "suppressions", file, "--as", "unsubscribed"]);
    assert.equal(code, 0, err);
    const found = await arrived({ ...notImported("ml@example.org"), state: "unsubscribed" });
    assert.equal(found.state, "unsubscribed");
  });
  test("an export without states says so, and one of a file for each state does not", async () => {
    const hubspot = await take(
      "none",
      "Record ID,Email,Create Date\n1,n@example.org,2024-01-01\n",
      "--dry-run",
    );
    assert.match(
      hubspot.err,
      /the file does not say who has unsubscribed or bounced: everybody is imported as active/,
    );
    const mailchimp = await take(
      "all",
      "Email Address,MEMBER_RATING,LEID,EUID\nn@example.org,2,1,2\n",
      "--dry-run",
    );
    assert.doesNotMatch(mailchimp.err, /does not say who/);
  });
});

test("a dry run shows three examples of names that are split at the last space", async () => {
  const people = [
    "Jutta von der Heide",
    "Kübra",
    "Wen, Xiaoming",
    "Colm Brennan",
    "Colm Brennan",
    "A B",
    "C D",
  ];
  const rows = people.map((name, n) => `u${n},split${n}@example.org,"${name}",{},enabled`);
  const file = join(home.folder, "names.csv");
  writeFileSync(file, ["uuid,email,name,attributes,status", ...rows, ""].join("\n"));
  const tried = await home.runHere(["import", "subscribers", file, "--list", "1", "--dry-run"]);
  assert.deepEqual(
    tried.err.split("\n").filter((line) => line.startsWith("the name")),
    [
      "the name 'Jutta von der Heide' is split into 'Jutta von der' and 'Heide'",
      "the name 'Colm Brennan' is split into 'Colm' and 'Brennan'",
      "the name 'A B' is split into 'A' and 'B'",
    ],
  );
  const { err } = await home.runHere(["import", "subscribers", file, "--list", "1"]);
  assert.doesNotMatch(err, /is split/);
});
test("a column that the product leaves out goes into a custom field of its name, and a column of one's own comes first", async () => {
  await home.runHere(["field", "create", "Lifecycle Stage", "--type", "STRING"]);
  const file = join(home.folder, "own.csv");
  writeFileSync(
    file,
    "Record ID,Email,Lifecycle Stage,Country,Country/Region\n1,own@example.org,lead,Spain,France\n",
  );
  await home.runHere(["import", "subscribers", file, "--list", "1"]);
  const { out } = await home.runHere(["subscriber", "show", "own@example.org"]);
  assert.match(out, /Lifecycle Stage +lead /);
  assert.match(out, /Country +ES/);
});
test("a malformed row does not decide what the letters of a column mean", async () => {
  const file = join(home.folder, "letters.csv");
  writeFileSync(file, "email,gender,first_name\nbob@example.org,M,Bob\nwide@example.org,H,x,y\n");
  await home.runHere(["import", "subscribers", file, "--list", "1"]);
  assert.match((await home.runHere(["subscriber", "show", "bob@example.org"])).out, /Gender +M/);
});
