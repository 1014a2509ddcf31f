/** The pages about lists: all of them, one with its members, and what can be done there. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { State } from "#domain/subscriber/subscriber.ts";
import { finishJobs } from "../api/v2/finish-jobs.ts";
import type { Received } from "../send-request.ts";
import { actor, addressOf } from "../store/actor.ts";
import { fieldIn } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const HOSTILE = `<script>alert("x")</script>'"&`;
let server: ConsoleServer;
before(async () => {
  server = await startConsole();
  for (const name of ["Default", "Other"]) await server.store.accounts.create({ name, at: 1 });
});
after(async () => {
  await server.close();
  assert.deepEqual(server.defects, []);
});

const newList = async (name: string, account = 1): Promise<number> =>
  (await server.store.lists.create({ account, name, at: server.now })).id;
const origin = { kind: "operator" } as const;
const cause = () => ({ account: 1, at: server.now, origin, recordedCall: null });
const data = { gender: null, birthday: null, countryNumber: null, values: [] };
async function newMember(list: number, email: string, firstName = "", lastName = ""): Promise<number> {
  const address = addressOf(email);
  const names = { firstName: firstName || null, lastName: lastName || null };
  await server.store.subscribers.addWithData({ ...cause(), list, address, data: { ...data, ...names } });
  const found = await server.store.subscribers.find({ account: 1, address });
  assert.ok(found);
  return found.id;
}
/** The addresses in the table of members. */
const members = ({ body }: Received): readonly string[] =>
  [...body.matchAll(/class="row-link" href="[^"]+">([^<]+)</g)].map(([, address = ""]) => address);
const noScript = ({ body }: Received): void => assert.doesNotMatch(body, /<script>alert|"x"\)<\/script>'"&/);

test("without a list, the page says what to do first, by role", async () => {
  const [editor, viewer] = [await server.signedIn("editor", 2), await server.signedIn("viewer", 2)];
  const empty = await editor.get("/console/2/lists");
  assert.match(empty.body, /No lists yet/);
  assert.match(empty.body, /href="\/console\/2\/lists\/new"/);
  assert.doesNotMatch((await viewer.get("/console/2/lists")).body, /lists\/new/);
});

test("a list is created, and shown with its members and who joined and left", async () => {
  const editor = await server.signedIn("editor");
  const sent = await editor.post("/console/1/lists/new", "create", { name: HOSTILE, id: "" });
  assert.equal(sent.status, 303);
  const one = await editor.follow(sent);
  noScript(one);
  assert.match(one.body, /was created/);
  assert.match(one.body, /Nobody is on this list yet/);
  const id = Number(sent.headers.get("location")?.split("/").at(-1));
  await newMember(id, "ada@example.org");
  await newMember(id, "grace@example.org");
  await server.store.subscribers.remove({ ...cause(), list: id, address: addressOf("ada@example.org") });
  const all = await editor.get("/console/1/lists");
  noScript(all);
  const row = all.body.match(/<tr>(?:(?!<\/tr>).)*&lt;script&gt;.*?<\/tr>/s)?.[0] ?? "";
  assert.deepEqual(
    [...row.matchAll(/data-label="([^"]+)">(\d+)</g)].map(([, label, value]) => [label, value]),
    [
      ["Active members", "1"],
      ["Joined in 30 days", "2"],
      ["Left in 30 days", "1"],
    ],
  );
});

test("a name or id that cannot be used is explained beside its field, with what was typed", async () => {
  const administrator = await server.signedIn(null);
  const taken = await newList("Taken");
  const send = (name: string, id: string) =>
    administrator.post("/console/1/lists/new", "create", { name, id });
  const nameless = await send(" ", "");
  assert.equal(nameless.status, 422);
  assert.match(nameless.body, /id="field-name-error">Must have 1 to/);
  const wrong = await send("Fine", "seven");
  assert.match(wrong.body, /id="field-id-error">Must be a whole number/);
  assert.deepEqual([fieldIn(wrong, "name"), fieldIn(wrong, "id")], ["Fine", "seven"]);
  assert.match(
    (await send("Fine", String(taken))).body,
    /id="field-id-error">This id cannot be chosen; choose another one/,
  );
  const chosen = await send("Chosen", "4711");
  assert.equal(chosen.headers.get("location"), "/console/1/lists/4711");
  const owner = await server.signedIn("owner");
  for (const kind of ["lists", "fields"]) {
    const path = `/console/1/${kind}/new`;
    assert.match((await administrator.get(path)).body, /name="id"/);
    assert.doesNotMatch((await owner.get(path)).body, /name="id"/);
    assert.equal((await owner.post(path, "create", { name: "X", type: "REAL", id: "4712" })).status, 403);
  }
});

test("members are found by address, beginning, domain and name, and no address or name is in a URL", async () => {
  const viewer = await server.signedIn("viewer");
  const list = await newList("Search");
  await newMember(list, "lovelace@example.org", "Ada", "Lovelace");
  await newMember(list, "hopper@example.com", "Grace", "Hopper");
  await newMember(list, "hostile@example.net", HOSTILE, "Böse");
  const path = `/console/1/lists/${list}`;
  const find = async (search: string, name: string): Promise<readonly string[]> => {
    const sent = await viewer.post(path, "search", { search, name });
    assert.equal(sent.status, 303);
    const location = sent.headers.get("location") ?? "";
    assert.doesNotMatch(decodeURIComponent(location), /example|lovel|hopper|böse/i);
    const shown = await viewer.follow(sent);
    noScript(shown);
    assert.deepEqual([fieldIn(shown, "search"), fieldIn(shown, "name")], [search, name]);
    return members(shown);
  };
  assert.deepEqual(await find("hopper@example.com", ""), ["hopper@example.com"]);
  assert.deepEqual(await find("lovel", ""), ["lovelace@example.org"]);
  assert.deepEqual(await find("@example.net", ""), ["hostile@example.net"]);
  assert.deepEqual(await find("", "grace h"), ["hopper@example.com"]);
  assert.deepEqual(await find("", "böse"), ["hostile@example.net"]);
  assert.deepEqual(await find("nobody@example.org", ""), []);
  const wrong = await viewer.post(path, "search", { search: "two words", name: "" });
  assert.equal(wrong.status, 422);
  assert.match(wrong.body, /id="field-search-error">Is neither an e-mail address/);
  assert.equal(fieldIn(wrong, "search"), "two words");
});

test("members are shown with the day on which they joined, and whether they have confirmed", async () => {
  const viewer = await server.signedIn("viewer");
  const [earlier, list] = [await newList("Earlier"), await newList("Joined")];
  const of = actor(server.store, 1);
  const day = (date: number): number => Date.UTC(2026, 5, date, 12);
  await of.add(earlier, "both@joined.example", day(1));
  await of.add(list, "both@joined.example", day(20));
  await of.addPending(list, "waits@joined.example", day(21));
  const { body } = await viewer.get(`/console/1/lists/${list}`);
  const rows = body.split("<tr>").filter((row) => row.includes("@joined.example"));
  assert.equal(rows.length, 2);
  assert.match(rows[0] ?? "", /data-label="Member since"><time[^>]*>20 Jun/);
  assert.doesNotMatch(rows[0] ?? "", /Not confirmed/);
  assert.match(rows[1] ?? "", /Active<\/span> <span class="badge info">Not confirmed/);
});

test("members are filtered by state and shown by pages, also together with a search", async () => {
  const viewer = await server.signedIn("viewer");
  const list = await newList("Many");
  for (let at = 0; at < 60; at += 1) await newMember(list, `p${String(at).padStart(2, "0")}@many.example`);
  const address = addressOf("p03@many.example");
  await server.store.subscribers.unsubscribe({ ...cause(), address });
  const path = `/console/1/lists/${list}`;
  const inState = async (state: State) => members(await viewer.get(`${path}?state=${state}`));
  assert.deepEqual(await inState("unsubscribed"), ["p03@many.example"]);
  assert.deepEqual(await inState("bounced"), []);
  assert.equal((await viewer.get(`${path}?state=nonsense`)).status, 404);
  const first = await viewer.follow(await viewer.post(path, "search", { search: "@many.example", name: "" }));
  assert.equal(members(first).length, 50);
  const href = (page: Received, rel: string): string =>
    new RegExp(`href="([^"]+)" rel="${rel}"`).exec(page.body)?.[1]?.replaceAll("&amp;", "&") ?? "";
  assert.doesNotMatch(href(first, "next"), /many/);
  const second = await viewer.get(href(first, "next"));
  assert.deepEqual(members(second).length, 10);
  assert.deepEqual(members(await viewer.get(href(second, "prev"))), members(first));
});

test("the growth of a list is a chart with its numbers as a table, per day or per week", async () => {
  const viewer = await server.signedIn("viewer");
  const list = await newList("Growth");
  await newMember(list, "grow@example.org");
  const path = `/console/1/lists/${list}`;
  const month = await viewer.get(path);
  assert.match(month.body, /Joined and left per day, .* to .*: 1 joined, 0 left\./);
  assert.match(month.body, /<strong class="chart-title">Active members<\/strong>/);
  const year = await viewer.get(`${path}?days=365`);
  assert.match(year.body, /Joined and left per week, .*: 1 joined, 0 left\./);
  assert.match(year.body, /href="[^"]*\?days=365" aria-current="page"/);
});

test("a person is added to lists with names and custom fields; what is wrong is beside its field", async () => {
  const editor = await server.signedIn("editor");
  const list = await newList("Add");
  const field = await server.store.fields.create({
    ...{ account: 1, id: null, at: 1, field: { name: HOSTILE, type: "REAL", isPrivate: false } as const },
  });
  assert.ok(typeof field === "object");
  const value = `value-${field.id}`;
  const others = [await newList("More"), await newList(HOSTILE)];
  const path = `/console/1/subscribers/new?list=${list}`;
  const form = await editor.get(path);
  noScript(form);
  assert.match(form.body, new RegExp(`name="lists" value="${list}" checked`));
  assert.equal([...form.body.matchAll(/name="lists" value="\d+" checked/g)].length, 1);
  const given = {
    lists: [list, ...others].map(String),
    email: "new@example.org",
    firstName: "Zoë",
    lastName: HOSTILE,
    [value]: "4.50",
  };
  const noList = await editor.post("/console/1/subscribers/new", "add", { ...given, lists: "" });
  assert.match(noList.body, /field-lists-error">Choose at least one list/);
  const gone = await editor.post(path, "add", { ...given, lists: ["999999"] });
  assert.match(gone.body, /One of these lists does not exist any more/);
  const noAddress = await editor.post(path, "add", { ...given, email: "no address" });
  assert.equal(noAddress.status, 422);
  assert.match(noAddress.body, /id="field-email-error"/);
  noScript(noAddress);
  assert.deepEqual([fieldIn(noAddress, "firstName"), fieldIn(noAddress, value)], ["Zoë", "4.50"]);
  const noNumber = await editor.post(path, "add", { ...given, [value]: "many" });
  assert.match(noNumber.body, new RegExp(`id="field-${value}-error">[^<]*is not valid for the field`));
  assert.equal(fieldIn(noNumber, "email"), "new@example.org");
  const added = await editor.post(path, "add", given);
  assert.equal(added.headers.get("location"), `/console/1/lists/${list}`);
  assert.match((await editor.follow(added)).body, /new@example\.org is on “Add” and “More” and /);
  const stored = await server.store.subscribers.data({ account: 1, address: addressOf("new@example.org") });
  assert.deepEqual(
    [stored?.data.firstName, stored?.data.lastName, stored?.values.map((one) => one.value)],
    ["Zoë", HOSTILE, ["4.5"]],
  );
  assert.deepEqual(
    stored?.lists.map(({ id }) => id),
    [list, ...others],
  );
  const alone = await editor.post("/console/1/subscribers/new", "add", {
    ...given,
    email: "own@example.org",
  });
  const own = await server.store.subscribers.data({ account: 1, address: addressOf("own@example.org") });
  assert.equal(alone.headers.get("location"), `/console/1/subscribers/${own?.id}`);
  await server.store.subscribers.unsubscribe({ ...cause(), address: addressOf("new@example.org") });
  const refused = await editor.post(path, "add", given);
  assert.equal(refused.status, 422);
  assert.match(refused.body, /role="alert"/);
});

test("a person is removed from a list on a page that says what stays", async () => {
  const editor = await server.signedIn("editor");
  const list = await newList("Leave");
  const id = await newMember(list, "leave@example.org");
  const path = `/console/1/lists/${list}/members/${id}/remove`;
  assert.match((await editor.get(`/console/1/lists/${list}`)).body, new RegExp(`href="${path}"`));
  assert.match(
    (await editor.get(path)).body,
    /Remove leave@example\.org from “Leave”\?.*stays in the account/s,
  );
  const sent = await editor.post(path, "remove");
  assert.match((await editor.follow(sent)).body, /leave@example\.org was removed from “Leave”/);
  const again = await editor.post(path, "remove");
  assert.equal(again.status, 422);
  assert.equal((await editor.get(path.replace(String(id), "99999"))).status, 404);
});

test("an export has the chosen members and separator", async () => {
  const viewer = await server.signedIn("viewer");
  const list = await newList("Out");
  await newMember(list, "stays@example.org", "=1+1");
  await newMember(list, "left@example.org");
  await server.store.subscribers.unsubscribe({ ...cause(), address: addressOf("left@example.org") });
  const path = `/console/1/lists/${list}/export`;
  const form = (await viewer.get(path)).body;
  assert.match(form, /data-plain/);
  assert.match(form, /<input type="checkbox"[^>]*name="forSpreadsheet"[^>]* checked/);
  const active = await viewer.post(path, "export", { state: "active", separator: "semicolon" });
  assert.equal(active.headers.get("content-disposition"), `attachment; filename="list-${list}.csv"`);
  assert.match(active.body, /^email;/);
  assert.match(active.body, /\nstays@example\.org;=1\+1/);
  assert.doesNotMatch(active.body, /left@/);
  const safe = { state: "all", separator: "comma", forSpreadsheet: "true" };
  const all = await viewer.post(path, "export", safe);
  assert.match(all.body, /^\ufeffemail,/);
  assert.match(all.body, /left@example\.org/);
  assert.match(all.body, /,'=1\+1/);
});

test("of two who rename a list, the second is told and overwrites nothing", async () => {
  const [one, other] = [await server.signedIn("editor"), await server.signedIn("editor")];
  const list = await newList("Before");
  const path = `/console/1/lists/${list}/rename`;
  const version = fieldIn(await one.get(path), "version") ?? "";
  const sent = await one.post(path, "rename", { name: "Mine", version });
  assert.match((await one.follow(sent)).body, /is now called “Mine”/);
  const late = await other.post(path, "rename", { name: "Theirs", version });
  assert.equal(late.status, 409);
  assert.equal(fieldIn(late, "name"), "Theirs");
});

test("a deletion says what goes and what stays, and leads to its job if the list is large", async () => {
  const owner = await server.signedIn("owner");
  const small = await newList("Small");
  await newMember(small, "only@example.org");
  const path = (list: number): string => `/console/1/lists/${list}/delete`;
  const asked = await owner.get(path(small));
  assert.match(asked.body, /Delete the list “Small”\?.*1 member leaves it.*people stay in the account/s);
  const version = fieldIn(asked, "version") ?? "";
  const sent = await owner.post(path(small), "delete", { version });
  assert.equal(sent.headers.get("location"), "/console/1/lists");
  assert.match((await owner.follow(sent)).body, /“Small” was deleted/);
  assert.equal((await owner.get(path(small))).status, 404);

  const large = await newList("Large");
  for (let at = 0; at < 300; at += 1) await newMember(large, `l${at}@example.org`);
  const begun = await owner.post(path(large), "delete");
  assert.match(begun.headers.get("location") ?? "", /^\/console\/1\/jobs\/\d+$/);
  const job = await owner.follow(begun);
  assert.match(job.body, /Deletion of list \d+/);
  assert.match(job.body, /250 of 300 members/);
  assert.match((await owner.get("/console/1/lists")).body, /Being deleted/);
  await finishJobs(server.store);
  assert.match((await owner.follow(begun)).body, /Finished/);
});

test("each role sees and does what it may", async () => {
  const list = await newList("Roles");
  const id = await newMember(list, "roles@example.org");
  const at = `/console/1/lists/${list}`;
  const viewer = await server.signedIn("viewer");
  const seen = (await viewer.get(at)).body;
  assert.doesNotMatch(seen, /\/new\?list|\/rename"|\/delete"|\/remove"|imports\?list/);
  for (const path of [
    `/console/1/subscribers/new?list=${list}`,
    `${at}/rename`,
    `${at}/delete`,
    `${at}/members/${id}/remove`,
  ])
    assert.equal((await viewer.get(path)).status, 403, path);
  assert.equal((await viewer.get("/console/1/lists/new")).status, 403);
  assert.equal((await viewer.post(`${at}/members/${id}/remove`, "remove")).status, 403);
  const editor = await server.signedIn("editor");
  assert.doesNotMatch((await editor.get(at)).body, /\/delete"/);
  assert.equal((await editor.post(`${at}/delete`, "delete")).status, 403);
});

test("a list of another account is not found on any page", async () => {
  const list = await newList("Theirs", 2);
  const owner = await server.signedIn("owner");
  for (const rest of ["", "/rename", "/delete", "/export"])
    assert.equal((await owner.get(`/console/1/lists/${list}${rest}`)).status, 404, rest);
  assert.equal((await owner.get(`/console/1/subscribers/new?list=${list}`)).status, 404);
  const mine = await newList("Mine");
  const id = await newMember(mine, "mine@example.org");
  assert.equal((await owner.get(`/console/1/lists/${list}/members/${id}/remove`)).status, 404);
  assert.equal((await owner.post(`/console/1/lists/${list}/export`, "export")).status, 404);
  assert.equal((await owner.post(`/console/1/lists/${list}/delete`, "delete")).status, 404);
});
