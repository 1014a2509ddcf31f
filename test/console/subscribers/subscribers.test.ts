/** The page of all subscribers: states, search, and changes of many. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { collect } from "#domain/paging.ts";
import { addressOf } from "../../store/actor.ts";
import type { Browser } from "../browser.ts";
import { type ConsoleServer, startConsole } from "../console-server.ts";
import { fillWorld, HOSTILE, type World } from "../subscribers-world.ts";

let server: ConsoleServer;
let world: World;
let editor: Browser;
let path: string;
before(async () => {
  server = await startConsole();
  const { user } = await server.signedIn(null);
  world = await fillWorld(server.store, server.now, user.id);
  editor = await server.signedIn("editor", world.account);
  path = `/console/${world.account}/subscribers`;
});
after(() => server.close());

const rowsIn = (body: string): readonly string[] =>
  [...body.matchAll(/<a class="row-link" href="[^"]*">([^<]*)</g)].map(([, text = ""]) => text);
const locationOf = ({ headers }: { readonly headers: Headers }): string => headers.get("location") ?? "";
const search = async (fields: Record<string, string>, from = path) =>
  await editor.post(from, "search", { search: "", name: "", list: "", ...fields });
const stateOf = async (email: string) => {
  const { account } = world;
  return (await server.store.subscribers.data({ account, address: addressOf(email) }))?.state;
};
const listsOf = async (email: string) => {
  const { account } = world;
  const data = await server.store.subscribers.data({ account, address: addressOf(email) });
  return data?.lists.map(({ id }) => id);
};

test("all people are listed with their states, and each state has a tab with its count", async () => {
  const { status, body } = await editor.get(path);
  assert.equal(status, 200);
  assert.equal(rowsIn(body).length, 11);
  for (const [label, count] of [
    ["All", 11],
    ["Active", 7],
    ["Unsubscribed", 1],
    ["Blocked", 1],
  ])
    assert.match(body, new RegExp(`>${label} <span class="tab-count">${count}<`), String(label));
  assert.deepEqual(rowsIn((await editor.get(`${path}?state=bounced`)).body), ["edsger@example.com"]);
});

test("hostile names are escaped in the table, the search form and the choice of lists", async () => {
  for (const body of [
    (await editor.get(path)).body,
    (await editor.follow(await search({ name: HOSTILE }))).body,
    (await editor.post(path, "search", { search: HOSTILE })).body,
    (await editor.get(`${path}/change`)).body,
  ]) {
    assert.doesNotMatch(body, /<script>alert/);
    assert.match(body, /&lt;script&gt;alert/);
  }
});

test("people are found by address, its beginning, domain, name and list, and the address says nothing", async () => {
  for (const [given, expected] of [
    [{ search: "ADA.lovelace@example.org" }, ["ada.lovelace@example.org"]],
    [{ search: "gra" }, ["grace.hopper@example.org"]],
    [{ search: "@example.com" }, ["edsger@example.com", "frances.allen@example.com"]],
    [{ name: "ödön" }, ["oedoen@example.org"]],
    [{ list: String(world.events) }, ["ada.lovelace@example.org"]],
    [{ search: "gra", name: "Ada" }, []],
  ] as const) {
    const sent = await search(given);
    assert.equal(sent.status, 303);
    assert.match(locationOf(sent).slice(path.length), /^\?(?:list=\d+|filter=[\w-]{40,})$/);
    const { body } = await editor.follow(sent);
    assert.deepEqual(rowsIn(body), expected);
    for (const value of Object.values(given)) assert.ok(body.includes(`value="${value}"`), value);
  }
});

test("people are found by conditions, which the pages of export and change take over", async () => {
  const condition = (what: string, test: string, value: string) => ({
    ...{ filter: what, "filter-test": test, "filter-value": value },
  });
  const sent = await search(condition("last name", "starts with", "L"));
  assert.match(locationOf(sent).slice(path.length), /^\?filter=[\w-]{40,}$/);
  const { body } = await editor.follow(sent);
  assert.deepEqual(rowsIn(body), ["barbara.liskov@example.net", "hedy@example.org"]);
  assert.match(body, /<details [^>]*id="field-filter" open>/);
  assert.match(body, /name="filter-value"[^>]* value="L"/);
  const [, tab = ""] = /href="([^"]*state=active[^"]*)"/.exec(body) ?? [];
  const active = (await editor.get(tab.replaceAll("&amp;", "&"))).body;
  assert.deepEqual(rowsIn(active), ["hedy@example.org"]);
  const [, exporting = ""] = /href="([^"]*\/subscribers\/export[^"]*)"/.exec(active) ?? [];
  const file = await editor.post(exporting.replaceAll("&amp;", "&"), "export", { separator: "comma" });
  assert.match(file.body, /hedy@example\.org/);
  assert.doesNotMatch(file.body, /liskov|ada/);
  const chosen = await editor.post(locationOf(sent), "choose", { whom: "all" });
  assert.match(locationOf(chosen), /\/subscribers\/change\?filter=[\w-]+$/);
  const preview = (await editor.get(locationOf(chosen))).body;
  assert.match(preview, /<h2>2 subscribers<\/h2>/);
  assert.doesNotMatch(preview, /every subscriber/);

  const closed = await editor.get(path);
  assert.match(closed.body, /<details [^>]*id="field-filter">/);
  const refused = await search(condition("country", "is", "Nowhere"));
  assert.equal(refused.status, 422);
  assert.match(refused.body, /<p class="field-error">Condition 1 \(country is Nowhere\) needs a code/);
  assert.match(refused.body, /name="filter-value"[^>]* value="Nowhere"/);
});

test("a search keeps the state, and a tab keeps the search", async () => {
  const sent = await search({ search: "@example.com" }, `${path}?state=bounced`);
  assert.match(locationOf(sent), /\?state=bounced&filter=/);
  const { body } = await editor.follow(sent);
  assert.deepEqual(rowsIn(body), ["edsger@example.com"]);
  const [, tab = ""] = /href="([^"]*state=complained[^"]*)"/.exec(body) ?? [];
  assert.deepEqual(rowsIn((await editor.get(tab.replaceAll("&amp;", "&"))).body), [
    "frances.allen@example.com",
  ]);
});

test("people are sorted by address or by when they were added, as far as the search can be sorted", async () => {
  const all = rowsIn((await editor.get(path)).body);
  assert.deepEqual(all, all.toSorted());
  assert.deepEqual(rowsIn((await editor.get(`${path}?sort=address-desc`)).body), all.toReversed());
  const sent = await search({ sort: "newest" });
  assert.equal(locationOf(sent), `${path}?sort=newest`);
  const newest = await editor.follow(sent);
  const byId = Object.entries(world.ids).toSorted(([, one], [, other]) => other - one);
  assert.deepEqual(
    rowsIn(newest.body).map((address) => address.replace(/@.*/, "")),
    byId.map(([name]) => name),
  );
  assert.match(newest.body, /<option value="newest" selected>Last added first/);
  assert.match(newest.body, /href="[^"]*\?state=active&amp;sort=newest"/);
  const bounced = await editor.get(`${path}?state=bounced&sort=address-desc`);
  assert.match(bounced.body, /<option value="oldest" selected>First added first/);
  assert.doesNotMatch(bounced.body, /<option value="address"/);
  assert.equal(locationOf(await search({ sort: "address" })), path);
});

test("an export has those whom the search finds, with the permission of a viewer", async () => {
  const viewer = await server.signedIn("viewer", world.account);
  const link = (body: string): string =>
    (/href="([^"]*\/subscribers\/export[^"]*)"/.exec(body)?.[1] ?? "").replaceAll("&amp;", "&");
  const found = await editor.follow(await search({ search: "@example.com" }, `${path}?state=bounced`));
  const page = await viewer.get(link(found.body));
  assert.match(page.body, /everybody whom the search finds\. 1 subscriber\./);
  const file = await viewer.post(link(found.body), "export", { separator: "semicolon" });
  assert.equal(file.headers.get("content-disposition"), 'attachment; filename="subscribers.csv"');
  assert.match(file.body, /^email;first_name;[^\n]*\r?\nedsger@example\.com;Edsger;Dijkstra;[^\n]*\r?\n$/);
  const everybody = link((await viewer.get(path)).body);
  assert.match((await viewer.get(everybody)).body, /everybody in this account\. 11 subscribers\./);
  const all = await viewer.post(everybody, "export", { forSpreadsheet: "true" });
  assert.match(all.body, /^\ufeffemail,/);
  assert.equal(all.body.trim().split("\n").length, 12);
});

test("a search that is not valid is shown again with the problem beside its field", async () => {
  const sent = await search({ search: "not an address", name: "kept" });
  assert.equal(sent.status, 422);
  assert.match(sent.body, /id="field-search-error">Is neither an e-mail address/);
  assert.match(sent.body, /value="not an address"/);
  assert.match(sent.body, /value="kept"/);
  assert.equal((await search({ list: "999999" })).status, 422);
});

test("an address that is no subscriber says whether it can be added and, if not, why", async () => {
  const shown = async (email: string) => (await editor.follow(await search({ search: email }))).body;
  const blocked = await shown("somebody@spam.example");
  assert.match(blocked, /somebody@spam\.example is not a subscriber/);
  assert.match(blocked, /The block list contains <code><a [^>]*>@spam\.example<\/a><\/code> since/);
  assert.match(blocked, /by <a href="[^"]*\/settings\/users\/1">user1@example\.org<\/a>/);
  assert.match(await shown("new@example.org"), /The address can be added or imported/);
  const address = addressOf("gone@example.org");
  const { account, newsletter } = world;
  const of = { account, at: server.now, origin: { kind: "operator" }, recordedCall: null, address } as const;
  await server.store.subscribers.add({ ...of, list: newsletter });
  await server.store.subscribers.unsubscribe(of);
  await server.store.subscribers.erase({ account, address, at: server.now });
  assert.match(await shown("gone@example.org"), /had unsubscribed and was erased\. The address stays unsub/);
});

test("pages lead on and back, and keep the search", async () => {
  const { account, newsletter } = world;
  const other = (await server.store.accounts.create({ name: "Many", at: 1 })).id;
  const list = (await server.store.lists.create({ account: other, name: "L", at: 1 })).id;
  assert.notEqual(account, other);
  assert.notEqual(list, newsletter);
  for (let n = 0; n < 60; n += 1)
    await server.store.subscribers.add({
      account: other,
      at: 1,
      origin: { kind: "operator" },
      recordedCall: null,
      address: addressOf(`p${String(n).padStart(2, "0")}@example.org`),
      list,
    });
  const browser = await server.signedIn("viewer", other);
  const found = await browser.post(`/console/${other}/subscribers`, "search", { search: "p" });
  const first = await browser.follow(found);
  const linkIn = (body: string, rel: string): string =>
    (new RegExp(`href="([^"]*)" rel="${rel}"`).exec(body)?.[1] ?? "").replaceAll("&amp;", "&");
  assert.equal(rowsIn(first.body).length, 50);
  const second = await browser.get(linkIn(first.body, "next"));
  assert.deepEqual(rowsIn(second.body).length, 10);
  assert.equal(rowsIn((await browser.get(linkIn(second.body, "prev"))).body)[0], "p00@example.org");
});

test("an account without subscribers says what to do first", async () => {
  const empty = (await server.store.accounts.create({ name: "Empty", at: 1 })).id;
  const browser = await server.signedIn("editor", empty);
  assert.match((await browser.get(`/console/${empty}/subscribers`)).body, /No subscribers yet/);
});

test("selected people are previewed and then changed", async () => {
  const { ids, events } = world;
  const selected = [ids.hedy, ids.edsger].map(String);
  assert.equal((await editor.post(path, "choose", { whom: "selected" })).status, 422);
  const chosen = await editor.post(path, "choose", { whom: "selected", id: selected });
  assert.equal(locationOf(chosen), `${path}/change?ids=${selected.join("-")}`);
  const preview = await editor.follow(chosen);
  assert.match(preview.body, />2 subscribers</);
  assert.deepEqual(rowsIn(preview.body), ["hedy@example.org", "edsger@example.com"]);
  const change = locationOf(chosen);
  assert.match((await editor.post(change, "change", {})).body, /field-kind-error">Choose what to do/);
  const noList = await editor.post(change, "change", { kind: "add", changeList: "" });
  assert.match(noList.body, /field-changeList-error">Choose a list/);
  assert.match(noList.body, /value="add" checked/);
  const done = await editor.post(change, "change", { kind: "add", changeList: String(events) });
  assert.equal(done.status, 303);
  assert.match((await editor.follow(done)).body, /1 changed; 1 refused: /);
  assert.ok((await listsOf("hedy@example.org"))?.includes(events));
  await editor.post(change, "change", { kind: "remove", changeList: String(events) });
  assert.deepEqual(await listsOf("hedy@example.org"), [world.newsletter]);
});

test("all that match are previewed and then changed by a job", async () => {
  const { body } = await editor.follow(await search({ search: "margaret" }));
  const [, form = ""] = /<form method="post">([\s\S]*)<\/form>/.exec(body) ?? [];
  assert.match(form, /Change all that match/);
  const found = locationOf(await search({ search: "margaret" }));
  const chosen = await editor.post(found, "choose", { whom: "all" });
  assert.match(locationOf(chosen), /\/subscribers\/change\?filter=[\w-]+$/);
  assert.match((await editor.follow(chosen)).body, />1 subscriber</);
  const begun = await editor.post(locationOf(chosen), "change", { kind: "unsubscribe" });
  assert.match(locationOf(begun), /\/jobs\/\d+$/);
  const jobs = await collect(server.store.jobs.all.pages({ account: world.account }));
  assert.equal(jobs[0]?.kind, "change-subscribers");
  assert.equal(await stateOf("margaret@example.org"), "active");
});

test("a dry run counts what a change of all that match would do, and changes nobody", async () => {
  const found = locationOf(await search({ search: "@example.org" }));
  const chosen = locationOf(await editor.post(found, "choose", { whom: "all" }));
  const change = { kind: "unsubscribe" };
  const begun = locationOf(await editor.post(chosen, "change", { ...change, dryRun: "true" }));
  assert.match(begun, /\/subscribers\/change\?filter=[\w-]+&dryRun=\d+&kind=unsubscribe$/);
  assert.match((await editor.get(begun)).body, /It starts within a few seconds/);
  const { account } = world;
  const [job] = await collect(server.store.jobs.all.pages({ account }));
  assert.equal(job?.kind, "dry-run-change");
  const at = { owner: "test", now: Date.now(), until: Date.now() + 60_000 };
  const lease = await server.store.jobs.take({ ...at, id: job.id });
  assert.ok(lease);
  assert.equal(await server.store.jobs.step({ ...lease, ...at }), "finished");
  const { done, result } = (await server.store.jobs.byId({ account, id: job.id })) ?? {};
  const { body } = await editor.get(begun);
  assert.ok(done !== undefined && done > 2 && Number(result?.changed) > 1);
  assert.match(body, new RegExp(`>${done} match\\. Nothing was changed`));
  assert.match(body, new RegExp(`<dt>Changed</dt><dd>${Number(result?.changed)}</dd>`));
  assert.match(body, /value="unsubscribe" checked/);
  assert.equal(await stateOf("hedy@example.org"), "active");
  const other = await editor.get(`${path}/change?dryRun=${1 + job.id}`);
  assert.equal(other.status, 404);
});

test("a change of everybody has to be confirmed, and a broken address never means everybody", async () => {
  const sent = await editor.post(`${path}/change`, "change", { kind: "unsubscribe" });
  assert.equal(sent.status, 422);
  assert.match(sent.body, /field-all-error/);
  for (const query of ["state=nonsense", "list=x", "ids=1-x", "ids=", "filter=x"]) {
    const { status } = await editor.post(`${path}/change?${query}`, "change", {
      kind: "unsubscribe",
      all: "true",
    });
    assert.ok(status === 404 || status === 400, query);
  }
  assert.equal(await stateOf("hedy@example.org"), "active");
});

test("a viewer sees the people and cannot select or change them", async () => {
  const viewer = await server.signedIn("viewer", world.account);
  const { body } = await viewer.get(path);
  assert.doesNotMatch(
    body,
    /Change all that match|type="checkbox"|class="button plain" href="[^"]*\/imports"/,
  );
  assert.equal((await viewer.get(`${path}/change`)).status, 403);
  const sent = await viewer.post(`${path}/change?ids=${world.ids.hedy}`, "change", { kind: "unsubscribe" });
  assert.equal(sent.status, 403);
  assert.equal(await stateOf("hedy@example.org"), "active");
});

test("the people of another account are not found", async () => {
  const other = await server.store.accounts.create({ name: "Other", at: 1 });
  const stranger = await server.signedIn("owner", other.id);
  assert.equal((await stranger.get(path)).status, 404);
  const there = `/console/${other.id}/subscribers/change?ids=${world.ids.hedy}`;
  assert.doesNotMatch((await stranger.get(there)).body, /hedy/);
  await stranger.post(there, "change", { kind: "unsubscribe" });
  assert.equal(await stateOf("hedy@example.org"), "active");
  assert.deepEqual(server.defects, []);
});
