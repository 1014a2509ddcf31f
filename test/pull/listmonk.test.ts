/** A pull from listmonk: what it takes, what it leaves out, and what a second one changes. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Installation } from "../cli/program.ts";
import { CHANGED, JOINED, ListmonkServer, TOKEN, USER } from "./listmonk-server.ts";

const home = new Installation({ keepsOpen: true });
const listmonk = new ListmonkServer();
let url = "";
let tokenFile = "";
before(async () => {
  url = await listmonk.start();
  tokenFile = join(home.folder, "token.txt");
  writeFileSync(tokenFile, `${TOKEN}\n`);
  await home.output("account", "create", "Acme");
  listmonk.lists = [
    { id: 3, name: "News", optin: "single" },
    { id: 4, name: "Offers", optin: "double" },
    { id: 5, name: "news", optin: "single" },
  ];
  listmonk.campaigns = [
    { id: 1, name: "Spring", status: "finished", started_at: "2025-03-03T07:15:00Z", lists: [3, 4] },
    { id: 2, name: "Draft", status: "draft", started_at: null, lists: [3] },
    { id: 3, name: "Gone", status: "finished", started_at: "2025-03-04T07:15:00Z", lists: [0] },
  ];
  const person = (id: number, name: string, more: object) => ({
    ...{ id, email: `${name.toLowerCase()}@example.org`, name, status: "enabled" as const, attribs: {} },
    ...{ lists: {}, ...more },
  });
  listmonk.subscribers = [
    person(1, "Ada Lovelace", {
      email: "ada@example.org",
      attribs: {
        City: "London",
        orders: 3,
        vip: true,
        born: "1815-12-10",
        likes: ["tea", "maths"],
        country: "GB",
      },
      lists: { 3: "unconfirmed", 4: "confirmed" },
    }),
    person(2, "Bob", {
      attribs: { City: 7, orders: 12, stack: { os: "BSD" }, country: "Atlantis" },
      lists: { 3: "unsubscribed" },
    }),
    person(3, "Cyd", { lists: { 4: "unconfirmed" } }),
    person(4, "Dan", { status: "disabled", lists: { 3: "confirmed" } }),
    person(5, "Eve", { status: "blocklisted", lists: { 3: "unsubscribed", 4: "unsubscribed" } }),
    person(6, "Fay", {}),
    person(7, "Gil", { email: "no address", lists: { 3: "confirmed" } }),
    person(8, "Hal", { status: "disabled", lists: { 4: "unconfirmed" } }),
  ];
});
after(async () => {
  await listmonk.stop();
  await home.remove();
});

const words = (...more: readonly string[]) => [
  "pull",
  "listmonk",
  url,
  "--user",
  USER,
  "--token",
  tokenFile,
  ...more,
];
interface Counts {
  readonly importId: number | null;
  readonly counts: Readonly<Record<string, unknown>>;
  readonly rejected: readonly { readonly reason: string; readonly rowCount: number }[];
  readonly leftOutValues: readonly { readonly heading: string; readonly valueCount: number }[];
}
interface Pulled {
  readonly peopleCount: number;
  readonly lists: readonly (Counts & {
    readonly name: string;
    readonly listId: number;
    readonly isNew: boolean;
  })[];
  readonly others: Counts;
  readonly fields: readonly { readonly name: string; readonly type: string; readonly isNew: boolean }[];
  readonly campaigns: object;
}
const pull = async (...more: readonly string[]): Promise<Pulled> =>
  JSON.parse(await home.output(...words(...more, "--json"))) as Pulled;
const json = async <Result>(...given: readonly string[]): Promise<Result> =>
  JSON.parse(await home.output(...given, "--json")) as Result;
interface Shown {
  readonly state: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly country: string | null;
  readonly lists: readonly { readonly name: string; readonly joinedAt: string }[];
  readonly values: readonly { readonly value: string }[];
}
const show = (name: string) => json<Shown>("subscriber", "show", `${name}@example.org`);
const listsOf = async (name: string) => (await show(name)).lists.map((list) => list.name);
/** Everything that operators see of the people and the campaigns. */
const everything = async () => ({
  people: await Promise.all(
    ["ada", "bob", "dan", "eve", "fay", "hal"].map((name) =>
      json("subscriber", "show", `${name}@example.org`),
    ),
  ),
  lists: await json("list", "list"),
  fields: await json("field", "list"),
  campaigns: await json("campaign", "list"),
});

test("a dry run says what would be taken, and takes nothing", async () => {
  const { peopleCount, lists, fields, others, campaigns } = await pull("--dry-run");
  assert.equal(peopleCount, 8);
  assert.deepEqual(
    fields.map(({ name, type, isNew }) => [name, type, isNew]),
    [
      ["City", "STRING", true],
      ["orders", "REAL", true],
      ["vip", "BOOLEAN", true],
      ["born", "DATE", true],
      ["likes", "STRING", true],
      ["stack", "STRING", true],
    ],
  );
  assert.deepEqual(
    lists.map(({ name, listId, isNew }) => [name, listId, isNew]),
    [
      ["News", null, true],
      ["Offers", null, true],
      ["news (5)", null, true],
    ],
  );
  assert.deepEqual([lists[0]?.counts.added, lists[0]?.counts.leftSince], [1, 1]);
  assert.deepEqual(lists[1]?.rejected, [{ reason: "the person has not confirmed the list", rowCount: 2 }]);
  assert.equal(others.rejected.length, 1);
  assert.deepEqual(campaigns, { recorded: 1, alreadyThere: 0, notSent: 1, withoutList: 1 });
  assert.deepEqual(await json("list", "list"), []);
  assert.deepEqual((await json<{ items: readonly object[] }>("subscriber", "list")).items, []);
  assert.deepEqual(await json("import", "list"), []);
});

test("takes people with their state on each list, and an own list for each of the same name", async () => {
  const predicted = await pull("--dry-run");
  const { lists, others } = await pull();
  assert.deepEqual(
    lists.map(({ name, listId }) => [name, listId]),
    [
      ["News", 1],
      ["Offers", 2],
      ["news (5)", 3],
    ],
  );
  assert.deepEqual(
    [lists[0]?.rejected, lists[0]?.leftOutValues, others.counts],
    [predicted.lists[0]?.rejected, predicted.lists[0]?.leftOutValues, predicted.others.counts],
  );
  const ada = await show("ada");
  assert.deepEqual(
    [ada.state, ada.firstName, ada.lastName, ada.country],
    ["active", "Ada", "Lovelace", "GB"],
  );
  assert.deepEqual(
    ada.lists.map(({ name, joinedAt }) => [name, Date.parse(joinedAt)]),
    [
      ["News", Date.parse(JOINED)],
      ["Offers", Date.parse(JOINED)],
    ],
  );
  assert.deepEqual(
    ada.values.map(({ value }) => value),
    ["London", "3", "true", "1815-12-10", "tea, maths"],
  );
  const bob = await show("bob");
  assert.deepEqual([bob.state, bob.lists], ["active", []]);
  assert.deepEqual(
    bob.values.map(({ value }) => value),
    ["7", "12", '{"os":"BSD"}'],
  );
  assert.deepEqual(
    lists[0]?.leftOutValues.map(({ heading, valueCount }) => [heading, valueCount]),
    [["country", 1]],
  );
  assert.deepEqual([(await show("dan")).state, (await show("eve")).state], ["unsubscribed", "blocked"]);
  assert.deepEqual([(await show("fay")).state, await listsOf("fay")], ["active", []]);
  assert.deepEqual([(await show("hal")).state, await listsOf("hal")], ["unsubscribed", []]);
  assert.deepEqual(
    await json("block", "list").then((all) => (all as { pattern: string }[]).map(({ pattern }) => pattern)),
    ["eve@example.org"],
  );
  assert.match((await home.runHere(["subscriber", "show", "cyd@example.org"])).err, /no subscriber/);
});

test("says in words what it took, and what it left out and why", async () => {
  const { out } = await home.runHere(words());
  assert.match(out, /^Took 8 people\.\nFields:\n {2}City \(STRING, exists\)/);
  assert.match(
    out,
    /List 'News' \(1\), exists:\n {2}1 {2}already on the list\n {2}1 {2}unsubscribed; they are/,
  );
  assert.match(out, /2 {2}left out: the person has not confirmed the list \(first of subscriber 3\)\n/);
  assert.match(
    out,
    /1 {2}value of 'country' left out: … is not a country; .*\(first: '.+' of subscriber \d+\)$/m,
  );
  assert.match(
    out,
    /1 {2}left out: … is not an e-mail address: .* \(first: 'no address' of subscriber 7\)$/m,
  );
  assert.match(
    out,
    /Campaigns: 0 recorded, 1 already recorded, 1 left out that were not sent, 1 left out without/,
  );
});

test("records the campaigns that were sent, once, with their lists and times", async () => {
  const campaigns = await json<readonly { id: number; name: string; sentAt: string }[]>("campaign", "list");
  assert.deepEqual(
    campaigns.map(({ name, sentAt }) => [name, Date.parse(sentAt)]),
    [["Spring", Date.parse("2025-03-03T07:15:00Z")]],
  );
  const { lists } = await json<{ lists: readonly { name: string }[] }>(
    "campaign",
    "show",
    String(campaigns[0]?.id),
  );
  assert.deepEqual(
    lists.map(({ name }) => name),
    ["News", "Offers"],
  );
});

test("a second pull changes nothing", async () => {
  const before = await everything();
  const { lists, fields, campaigns } = await pull();
  assert.deepEqual(await everything(), before);
  assert.deepEqual(
    fields.filter(({ isNew }) => isNew),
    [],
  );
  assert.deepEqual(
    lists.filter(({ isNew }) => isNew),
    [],
  );
  assert.deepEqual(campaigns, { recorded: 0, alreadyThere: 1, notSent: 1, withoutList: 1 });
});

test("a later pull takes who left since, keeps what was set here, and who joined here afterwards stays", async () => {
  await home.output("subscriber", "add", "1", "bob@example.org", "--field", "City=Rome");
  const [ada] = listmonk.subscribers;
  assert.ok(ada);
  listmonk.subscribers[0] = { ...ada, lists: { 3: "unsubscribed", 4: "confirmed" } };
  assert.deepEqual((await pull("--dry-run")).lists[0]?.counts.leftSince, 1);
  await pull();
  assert.deepEqual(await listsOf("ada"), ["Offers"]);
  const bob = await show("bob");
  assert.ok(Date.parse(CHANGED) < Date.parse(bob.lists[0]?.joinedAt ?? ""));
  assert.deepEqual([bob.lists.map(({ name }) => name), bob.values[0]?.value], [["News"], "Rome"]);
});

test("who left in listmonk is not added again by a file with an older date", async () => {
  const file = join(home.folder, "old.csv");
  writeFileSync(file, "email,subscribed_at\nada@example.org,2024-01-01\n");
  await home.output("import", "subscribers", file, "--list", "1");
  assert.deepEqual(await listsOf("ada"), ["Offers"]);
});

test("people who are deleted in listmonk during a pull cost nobody else", async () => {
  const all = listmonk.subscribers;
  const crowd = Array.from({ length: 120 }, (_, index) => ({
    ...{
      id: 100 + index,
      email: `c${index}@example.org`,
      name: "C",
      status: "enabled" as const,
      attribs: {},
    },
    lists: { 5: "confirmed" as const },
  }));
  listmonk.subscribers = [...all, ...crowd];
  let pages = 0;
  listmonk.intercept = ({ url: asked = "" }) => {
    if (asked.includes("page=2&") && asked.includes("subscribers")) {
      pages += 1;
      if (pages === 2) listmonk.subscribers = listmonk.subscribers.filter(({ id }) => id > 8 && id !== 100);
    }
    return false;
  };
  const { lists } = await pull();
  assert.deepEqual([lists[2]?.name, lists[2]?.counts.added], ["news (5)", 120]);
  listmonk.intercept = () => false;
  listmonk.subscribers = all;
});

const refusals: readonly (readonly [what: string, words: () => readonly string[], expected: RegExp])[] = [
  [
    "a password in the address",
    () => ["pull", "listmonk", "https://a:b@example.org", "--user", "u", "--token", "-"],
    /must not contain a user or a password/,
  ],
  [
    "another machine without encryption",
    () => ["pull", "listmonk", "http://lists.example.org", "--user", "u", "--token", "-"],
    /not encrypted.*--insecure-http/,
  ],
  [
    "something else than an address",
    () => ["pull", "listmonk", "lists.example.org", "--user", "u", "--token", "-"],
    /is not an address/,
  ],
  [
    "a file that does not exist",
    () => ["pull", "listmonk", url, "--user", USER, "--token", join(home.folder, "none")],
    /there is no file/,
  ],
  [
    "a wrong user",
    () => ["pull", "listmonk", url, "--user", "nobody", "--token", tokenFile],
    /refused the user, the secret.*invalid API credentials/,
  ],
  [
    "an address that is not listmonk's",
    () => ["pull", "listmonk", `${url}/other`, "--user", USER, "--token", tokenFile],
    /status 404/,
  ],
];
for (const [what, given, expected] of refusals)
  test(`says what is wrong with ${what}`, async () => {
    const { code, err } = await home.runHere(given());
    assert.notEqual(code, 0);
    assert.match(err, expected);
    assert.doesNotMatch(err, new RegExp(TOKEN));
  });

test("does not follow a redirect with the secret", async () => {
  let seen = 0;
  listmonk.intercept = ({ url: asked = "" }, response) => {
    if (asked.startsWith("/api/lists")) response.writeHead(302, { Location: "/stolen" }).end();
    else seen += 1;
    return true;
  };
  const { err } = await home.runHere(words());
  listmonk.intercept = () => false;
  assert.match(err, /redirects to http:\/\/127.*not followed with the secret/);
  assert.equal(seen, 0);
});

test("repeats a request that failed for a moment, and refuses an answer without end", async () => {
  let failures = 0;
  listmonk.intercept = (_, response) => {
    failures += 1;
    if (failures > 1) return false;
    response.writeHead(503, { "Content-Type": "application/json" }).end('{"message":"down"}');
    return true;
  };
  const { code, err } = await home.runHere(words("--dry-run"));
  assert.deepEqual([code, /status 503: down; trying again in 1 s/.test(err)], [0, true]);
  listmonk.intercept = (_, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(Buffer.alloc(33 * 1024 ** 2, " "));
    return true;
  };
  assert.match((await home.runHere(words())).err, /more than 32 MiB/);
  listmonk.intercept = () => false;
});
