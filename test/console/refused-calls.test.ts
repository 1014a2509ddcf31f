/** The pages of refused calls: groups, one group, one call, replay and dismiss. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { listChoice } from "#console/pages/refused-calls/call-arguments.ts";
import { storedForm } from "#domain/access/key.ts";
import { parseAddress } from "#domain/address.ts";
import { dayOf } from "#domain/calendar.ts";
import { addressOf } from "../store/actor.ts";
import { type Browser, fieldIn } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const CALLS = "/console/1/refused-calls";
const NOW = Date.UTC(2026, 10, 14);
const HOSTILE = `<script>alert("x")</script>`;
const ESCAPED = "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;";

let server: ConsoleServer;
let editor: Browser;
let viewer: Browser;
let key = 0;
before(async () => {
  server = await startConsole();
  const { store } = server;
  for (const name of ["Acme", "Other"]) await store.accounts.create({ name, at: 1 });
  for (const name of ["News", HOSTILE]) await store.lists.create({ account: 1, name, at: 1 });
  const made = { account: 1, label: HOSTILE, scope: "full", expiresAt: null, at: NOW } as const;
  key = (await store.keys.create({ ...made, ...storedForm("KEY-OF-THE-SHOP-123") }))?.id ?? 0;
  [viewer, editor] = [await server.signedIn("viewer"), await server.signedIn("editor")];
});
after(async () => {
  await server.close();
  assert.deepEqual(server.defects, []);
});
beforeEach(async () => {
  const any = { account: 1, operation: null, outcome: null, key: null };
  const { rows } = await server.store.refusals.search.page(any, { after: null, limit: 500 });
  await server.store.refusals.dismissAll({ account: 1, ids: rows.map(({ id }) => id) });
});

interface Refused {
  readonly email: string;
  readonly list?: number;
  readonly at?: number;
  readonly operation?: string;
  readonly more?: object;
  readonly isCut?: boolean;
  readonly by?: number | null;
}
/** Returns the id of the call. */
async function refuse(given: Refused): Promise<number> {
  const { email, list = 99, at = NOW, operation = "Subscriber.Add", more = {}, isCut = false } = given;
  const { by = key } = given;
  const args = JSON.stringify({ SubscribersListID: String(list), EMail: email, ...more });
  const recordedCall = { operation, args, isCut };
  const origin = by === null ? ({ kind: "operator" } as const) : ({ kind: "key", key: by } as const);
  await server.store.subscribers.add({
    ...{ account: 1, at, origin, recordedCall, list },
    address: parseAddress(email),
  });
  const any = { account: 1, operation: null, outcome: null, key: null };
  const { rows } = await server.store.refusals.search.page(any, { after: null, limit: 500 });
  return rows.find((row) => row.args === args)?.id ?? 0;
}
const groupAddress = (below = "", outcome = "UnknownList", of = String(key)): string =>
  `${CALLS}/group${below}?operation=Subscriber.Add&outcome=${outcome}&key=${of}`;

test("without refused calls the page says so, and what it would show", async () => {
  const { body } = await viewer.get(CALLS);
  assert.match(body, /No call was refused/);
  assert.match(body, /stays here until you correct or dismiss it/);
});

test("refused calls are grouped by reason and integration, and no-ops are one line", async () => {
  await refuse({ email: "ada@example.org" });
  await refuse({ email: "ada@example.org", at: NOW + 1 });
  await refuse({ email: "grace@example.org" });
  await refuse({ email: "grace@", list: 1 });
  await refuse({ email: "alan@example.org", by: null });
  const { store } = server;
  const recordedCall = { operation: "Subscriber.Remove", args: "{}", isCut: false };
  const by = { account: 1, at: NOW, origin: { kind: "key", key }, recordedCall } as const;
  await store.subscribers.remove({ ...by, list: 1, address: addressOf("no@example.org") });
  const { body } = await viewer.get(CALLS);
  const rows = body.split("<tr>").filter((row) => row.includes("row-link"));
  assert.equal(rows.length, 3);
  assert.match(rows[0] ?? "", /The list does not exist/);
  assert.ok(rows[0]?.includes(ESCAPED));
  assert.match(rows[0] ?? "", /data-label="Calls">2<.*data-label="Attempts">3</);
  assert.ok(rows.some((row) => row.includes("The e-mail address is not valid")));
  assert.ok(rows.some((row) => row.includes("key=none") && row.includes("Unknown")));
  assert.match(body, /1 call changed nothing because nothing had to be done: 1 × Subscriber\.Remove/);
});

test("the page of a key leads to its own groups, and from there to all", async () => {
  const { store } = server;
  const made = { account: 1, label: "Till", scope: "full", expiresAt: null, at: NOW } as const;
  const till = (await store.keys.create({ ...made, ...storedForm("KEY-OF-THE-TILL-123") }))?.id ?? 0;
  await refuse({ email: "ada@example.org" });
  await refuse({ email: "grace@", list: 1, by: till });
  await refuse({ email: "alan@example.org", by: null });
  const calls = [{ key: till, day: dayOf(server.now), program: "", calls: 9, refusals: 1, faults: 0 }];
  await store.statistics.addCalls({ calls, quirks: [] });
  const of = `${CALLS}?key=${till}`;
  assert.ok((await viewer.get(`/console/1/integrations/${till}`)).body.includes(`href="${of}"`));
  const only = await viewer.get(of);
  assert.equal(only.body.split("row-link").length, 2);
  assert.match(only.body, /The e-mail address is not valid/);
  assert.match(
    only.body,
    /Only of the integration <a href="[^"]+">Till<\/a> – <a href="\/console\/1\/refused-calls">show all/,
  );
  const hostile = (await viewer.get(`${CALLS}?key=${key}`)).body;
  assert.match(hostile, /The list does not exist/);
  assert.ok(hostile.includes(ESCAPED) && !hostile.includes(HOSTILE));
  assert.equal((await viewer.get(`${CALLS}?key=none`)).body.split("row-link").length, 2);
  assert.match((await viewer.get(`${CALLS}?key=999`)).body, /No refused call of this integration is left/);
  assert.equal((await viewer.get(`${CALLS}?key=x`)).status, 404);
  assert.equal((await viewer.get(CALLS)).body.split("row-link").length, 4);
});

test("selected calls of a group are replayed or dismissed at once, and one notice says the result", async () => {
  for (const name of ["ada", "grace", "alan"]) await refuse({ email: `${name}@example.org`, list: 77 });
  const group = groupAddress();
  const ids = [...(await editor.get(group)).body.matchAll(/name="id" value="(\d+)"/g)].map(
    ([, id = ""]) => id,
  );
  assert.equal(ids.length, 3);
  assert.doesNotMatch((await viewer.get(group)).body, /name="id"/);
  const send = (step: string, id: readonly string[]) => editor.post(group, "selected", { step, id });

  const none = await send("replay", []);
  assert.equal(none.status, 422);
  assert.match(none.body, /Select at least one call/);
  const many = await send(
    "dismiss",
    Array.from({ length: 51 }, (_, nth) => String(nth + 1)),
  );
  assert.equal(many.status, 422);
  assert.match(many.body, /Select at most 50 calls/);
  assert.equal((await viewer.post(group, "selected", { step: "dismiss", id: ids })).status, 403);

  const again = await send("replay", ids.slice(0, 2));
  assert.equal(again.status, 422);
  assert.match(again.body, /2 calls were refused again: correct them one by one\./);
  assert.equal(again.body.split(" checked>").length - 1, 2, "the selection is kept");

  const dismissed = await editor.follow(await send("dismiss", [ids[0] ?? "", ids[1] ?? "", "999999"]));
  assert.match(dismissed.body, /2 calls were dismissed\. 1 call was already gone\./);
  assert.equal((await editor.get(group)).body.split('name="id"').length - 1, 1);

  await server.store.lists.adopt({ account: 1, id: 77, name: "Late", at: NOW });
  const replayed = await editor.follow(await send("replay", ids.slice(2)));
  assert.match(replayed.body, /1 call succeeded and was removed from the refused calls\./);
  assert.match(replayed.body, /No calls left/);
});

test("a group shows its calls in pages, what to do, and those without a key apart", async () => {
  for (let nth = 0; nth < 52; nth += 1) await refuse({ email: `p${nth}@example.org`, at: NOW + nth });
  await refuse({ email: "nokey@example.org", by: null });
  const first = await viewer.get(groupAddress());
  assert.match(first.body, /Choose the list that is meant/);
  assert.match(first.body, /p51@example\.org/);
  assert.doesNotMatch(first.body, /nokey/);
  const next = /href="([^"]+)" rel="next"/.exec(first.body)?.[1]?.replaceAll("&amp;", "&") ?? "";
  assert.doesNotMatch(next, /example|@/);
  assert.match((await viewer.get(next)).body, /p0@example\.org/);
  const apart = await viewer.get(groupAddress("", "UnknownList", "none"));
  assert.match(apart.body, /nokey@example\.org/);
  assert.doesNotMatch(apart.body, /p0@/);
  assert.match((await viewer.get(groupAddress("", "Bounced"))).body, /No calls left/);
  for (const query of ["", "?operation=x", "?operation=x&outcome=y&key=z"])
    assert.equal((await viewer.get(`${CALLS}/group${query}`)).status, 404, query);
});

test("a call is shown with its arguments, the reason and what to do about it", async () => {
  const customs = { CustomsFields: [{ Customfieldid: "7", Value: HOSTILE }], FirstName: HOSTILE };
  await server.store.subscribers.add({
    ...{ account: 1, at: NOW, origin: { kind: "operator" }, recordedCall: null, list: 1 },
    address: addressOf("known@example.org"),
  });
  const id = await refuse({
    email: "known@example.org",
    list: 98,
    operation: "Subscriber.AddwithNameandCustoms",
    more: customs,
  });
  const { body } = await viewer.get(`${CALLS}/${id}`);
  assert.match(body, /The list does not exist/);
  assert.match(body, /98 <small>\(there is no such list\)/);
  assert.match(body, /known@example\.org <small>\(<a href="\/console\/1\/subscribers\/\d+">show this person/);
  assert.match(body, /CustomsFields 1: Customfieldid/);
  assert.ok(!body.includes(HOSTILE));
  assert.equal(body.split(`data-label="Value">${ESCAPED}`).length, 3);
  assert.doesNotMatch(body, /KEY-OF-THE-SHOP/);
});

test("a value is fixed and the call replayed; refused again, it stays with what was typed", async () => {
  const id = await refuse({ email: "ada@@example", list: 1 });
  const one = `${CALLS}/${id}`;
  const again = await editor.post(one, "replay", {
    "corrections/EMail": "still wrong",
    "corrections/SubscribersListID": "1",
  });
  assert.equal(again.status, 422);
  assert.match(again.body, /Refused again: The e-mail address is not valid/);
  assert.equal(fieldIn(again, "corrections/EMail"), "still wrong");
  const wrong = await editor.post(one, "replay", { "corrections/SubscribersListID": "first" });
  assert.equal(wrong.status, 422);
  assert.match(
    wrong.body,
    /id="field-corrections\/SubscribersListID-error">SubscribersListID: &quot;first&quot; is not/,
  );
  const fixed = { "corrections/EMail": "ada@example.com", "corrections/SubscribersListID": "2" };
  const done = await editor.post(one, "replay", fixed);
  assert.equal(done.status, 303);
  assert.match((await editor.follow(done)).body, /The call succeeded/);
  assert.equal((await editor.get(one)).status, 404);
  const address = addressOf("ada@example.com");
  assert.notEqual(await server.store.subscribers.find({ account: 1, address }), null);
});

test("values of records are corrected, too, and those that are wrong are named", async () => {
  const more = { FirstName: "Ada\nB", CustomsFields: [{ Customfieldid: "7", Value: "Berlin" }] };
  const operation = "Subscriber.AddwithNameandCustoms";
  const id = await refuse({ email: "eve@example.org", operation, more });
  const { body } = await editor.get(`${CALLS}/${id}`);
  assert.match(body, /name="corrections\/CustomsFields\/0\/Customfieldid"/);
  const field = "corrections/CustomsFields/0/Customfieldid";
  const wrong = await editor.post(`${CALLS}/${id}`, "replay", { [field]: "seven" });
  assert.match(wrong.body, /field-corrections\/CustomsFields\/0\/Customfieldid-error/);
  const unknown = { "corrections/SubscribersListID": "1", "corrections/FirstName": "AdaB", [field]: "8" };
  const refused = await editor.post(`${CALLS}/${id}`, "replay", unknown);
  assert.match(refused.body, /Refused again: A custom field does not exist/);
});

test("a call that was cut, and one of an unknown operation, can only be dismissed", async () => {
  const cut = await refuse({ email: "cut@example.org", isCut: true });
  assert.match((await editor.get(`${CALLS}/${cut}`)).body, /too long to be stored in full/);
  const old = await refuse({ email: "old@example.org", operation: "Old.Operation" });
  assert.match((await editor.get(`${CALLS}/${old}`)).body, /has no operation Old\.Operation/);
  for (const id of [cut, old]) {
    const refused = await editor.post(`${CALLS}/${id}`, "replay");
    assert.equal(refused.status, 422);
    const done = await editor.post(`${CALLS}/${id}`, "dismiss");
    assert.match((await editor.follow(done)).body, /The call is dismissed/);
    assert.equal((await editor.get(`${CALLS}/${id}`)).status, 404);
  }
});

test("a whole group is replayed or dismissed after a preview, as a job", async () => {
  for (const email of ["a@example.org", "b@example.org"]) await refuse({ email });
  for (const [below, form] of [
    ["/replay", "replay"],
    ["/dismissal", "dismiss"],
  ] as const) {
    const preview = await editor.get(groupAddress(below));
    assert.match(preview.body, /class="affected">2 calls</);
    assert.match(preview.body, /b@example\.org/);
    const started = await editor.post(groupAddress(below), form);
    assert.equal(started.status, 303);
    assert.match(started.headers.get("location") ?? "", /\/console\/1\/jobs\/\d+$/);
    assert.match((await editor.follow(started)).body, /The job has started/);
  }
  const none = await editor.post(groupAddress("/replay", "Bounced"), "replay");
  assert.equal(none.status, 422);
  assert.match(none.body, /The group has no calls left/);
});

test("viewers only look, and calls of another account are not found", async () => {
  const id = await refuse({ email: "ada@example.org" });
  const seen = (await viewer.get(`${CALLS}/${id}`)).body;
  assert.doesNotMatch(seen, /<form method="post" class/);
  assert.doesNotMatch((await viewer.get(groupAddress())).body, /group\/replay|group\/dismissal/);
  for (const form of ["replay", "dismiss"])
    assert.equal((await viewer.post(`${CALLS}/${id}`, form)).status, 403, form);
  for (const [below, form] of [
    ["/replay", "replay"],
    ["/dismissal", "dismiss"],
  ] as const) {
    assert.equal((await viewer.get(groupAddress(below))).status, 403);
    assert.equal((await viewer.post(groupAddress(below), form)).status, 403);
  }
  const stranger = await server.signedIn("owner", 2);
  assert.equal((await stranger.get(`/console/2/refused-calls/${id}`)).status, 404);
  assert.equal((await stranger.post(`/console/2/refused-calls/${id}`, "dismiss")).status, 404);
  assert.equal((await stranger.get(`${CALLS}/${id}`)).status, 404);
  assert.equal((await viewer.get(`${CALLS}/${id}`)).status, 200);
});

test("the name of a list to choose is isolated from its id", () => {
  assert.equal(listChoice("\u202egnitset", "1"), "\u2068\u202egnitset\u2069 (1)");
});
