/** The pages of campaigns: list, record, results, people, change and delete. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { CampaignEvent } from "#domain/campaign.ts";
import type { Received } from "../send-request.ts";
import { addressOf } from "../store/actor.ts";
import { type Browser, fieldIn } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const CAMPAIGNS = "/console/1/campaigns";
const SENT = Date.UTC(2026, 2, 3, 7, 15, 42);
const HOSTILE = `<script>alert("x")</script> & 'Co'`;
const ESCAPED = "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;Co&#39;";

let server: ConsoleServer;
let editor: Browser;
let owner: Browser;
let viewer: Browser;
before(async () => {
  server = await startConsole();
  const { store } = server;
  for (const name of ["Acme", "Other"]) await store.accounts.create({ name, at: 1 });
  await store.lists.create({ account: 1, name: "News", at: 1 });
  await store.lists.create({ account: 1, name: HOSTILE, at: 1 });
  await store.lists.create({ account: 2, name: "Theirs", at: 1 });
  [viewer, editor, owner] = [
    await server.signedIn("viewer"),
    await server.signedIn("editor"),
    await server.signedIn("owner"),
  ];
});
after(async () => {
  await server.close();
  assert.deepEqual(server.defects, []);
});

let id = 0;
beforeEach(async () => {
  const times = { createdAt: SENT, sentAt: SENT };
  const made = await server.store.campaigns.record({ account: 1, name: HOSTILE, lists: [1, 2], ...times });
  assert.ok("id" in made);
  ({ id } = made);
});
const happened = (event: CampaignEvent, email: string, at = SENT): Promise<unknown> => {
  const by = { account: 1, at, origin: { kind: "operator" }, recordedCall: null } as const;
  return server.store.campaigns.recordEvent({ ...by, address: addressOf(email), campaign: id, event });
};
const one = (): string => `${CAMPAIGNS}/${id}`;

test("an account without campaigns says what to do first, to those who may do it", async () => {
  const other = await server.signedIn("editor", 2);
  const { body } = await other.get("/console/2/campaigns");
  assert.match(body, /No campaign yet/);
  assert.match(body, /href="\/console\/2\/campaigns\/new"/);
  const reader = await server.signedIn("viewer", 2);
  assert.doesNotMatch((await reader.get("/console/2/campaigns")).body, /campaigns\/new/);
});

test("campaigns are listed with when they were sent and what came of them", async () => {
  await happened("unsubscribed", "ada@example.org");
  await happened("unsubscribed", "grace@example.org");
  await happened("complained", "ada@example.org");
  const { body } = await viewer.get(CAMPAIGNS);
  const row = body.split("<tr>").find((text) => text.includes(`href="${one()}"`)) ?? "";
  assert.ok(row.includes(ESCAPED));
  assert.match(row, /3 Mar 2026/);
  assert.deepEqual(
    [...row.matchAll(/data-label="(Unsubscribed|Bounced|Complained)">(\d+)/g)].map(([, , count]) => count),
    ["2", "0", "1"],
  );
});

test("a long list of campaigns is shown in pages", async () => {
  const at = Date.UTC(2020, 1, 1);
  for (let nth = 0; nth < 30; nth += 1)
    await server.store.campaigns.record({
      ...{ account: 1, name: `Old ${nth}`, lists: [1] },
      ...{ createdAt: at + nth, sentAt: null },
    });
  const first = await viewer.get(CAMPAIGNS);
  const next = /href="([^"]+)" rel="next"/.exec(first.body)?.[1];
  assert.ok(next);
  const second = await viewer.get(next.replaceAll("&amp;", "&"));
  assert.match(second.body, /Old 0</);
  assert.match(second.body, /rel="prev"/);
  assert.match(second.body, /Not sent/);
});

test("a campaign is recorded with its lists and times, in the user's time zone", async () => {
  const user = await server.signedIn("editor");
  await user.post("/console/me", "profile", { name: "", timeZone: "Europe/Berlin" });
  const form = await user.get(`${CAMPAIGNS}/record`);
  assert.match(form.body, /Europe\/Berlin/);
  assert.ok(form.body.includes(ESCAPED));
  const sent = await user.post(`${CAMPAIGNS}/record`, "record", {
    ...{ name: "Spring offers", lists: ["", "1", "2"] },
    ...{ sentAt: "2026-03-29T03:30", createdAt: "2026-03-28T12:00" },
  });
  assert.equal(sent.status, 303);
  const shown = await user.follow(sent);
  assert.match(shown.body, /The campaign “Spring offers” is recorded/);
  assert.match(shown.body, /Sent on 29 Mar 2026, 03:30/);
  const made = Number(sent.headers.get("location")?.split("/").at(-1));
  assert.deepEqual(await server.store.campaigns.byId({ account: 1, id: made }), {
    ...{ id: made, name: "Spring offers" },
    createdAt: Date.UTC(2026, 2, 28, 11),
    sentAt: Date.UTC(2026, 2, 29, 1, 30),
  });
});

test("what is wrong with a new campaign is said beside its field, and what was typed is kept", async () => {
  const cases: readonly (readonly [fields: Record<string, string | readonly string[]>, problem: RegExp])[] = [
    [{ name: "" }, /field-name-error">Must have 1 to 100 characters/],
    [{ lists: "" }, /field-lists-error">Must have at least one list/],
    [{ lists: ["1", "x"] }, /field-lists-error">“x” is not the id of a list/],
    [{ lists: ["1", "3"] }, /There is no list 3/],
    [{ sentAt: "yesterday" }, /field-sentAt-error">Enter a date and a time/],
    [{ sentAt: "2026-02-30T10:00" }, /field-sentAt-error">Enter a date and a time/],
    [{ sentAt: "2999-01-01T10:00" }, /field-sentAt-error">Must not be in the future/],
    [
      { sentAt: "2026-01-01T10:00", createdAt: "2026-01-02T10:00" },
      /field-sentAt-error">Must not be before the time of creation/,
    ],
  ];
  for (const [fields, problem] of cases) {
    const sent = { name: HOSTILE, lists: ["", "2"], ...fields };
    const refused = await editor.post(`${CAMPAIGNS}/record`, "record", sent);
    assert.equal(refused.status, 422, JSON.stringify(fields));
    assert.match(refused.body, problem);
    if (fields.name === undefined) assert.equal(fieldIn(refused, "name"), ESCAPED);
    if (fields.lists === undefined) assert.match(refused.body, /value="2" checked/);
    if (typeof fields.sentAt === "string") assert.equal(fieldIn(refused, "sentAt"), fields.sentAt);
  }
});

test("a campaign shows its results as numbers and per day, and the lists it was sent to", async () => {
  const day = 86_400_000;
  await happened("bounced", "a@example.org");
  await happened("unsubscribed", "b@example.org", SENT + day);
  await happened("unsubscribed", "c@example.org", SENT + 100 * day);
  const { body } = await viewer.get(one());
  assert.ok(body.includes(`<h1>${ESCAPED}</h1>`));
  assert.match(body, /Sent on 3 Mar 2026, 07:15/);
  assert.match(body, /<title>4 Mar: 1 unsubscribed, 0 bounced, 0 complained<\/title>/);
  assert.match(body, /1 more result is of another day/);
  assert.match(body, /href="\/console\/1\/lists\/1">News</);
  assert.ok(body.includes(`href="/console/1/lists/2">${ESCAPED}</a>`));
  for (const part of ["unsubscribed", "bounced", "complained"])
    assert.ok(body.includes(`href="${one()}/${part}"`));
  const all = await viewer.get(`${one()}?days=all`);
  assert.match(all.body, /<title>11 Jun: 1 unsubscribed/);
  assert.doesNotMatch(all.body, /more result/);
});

test("a campaign without results, and one whose list was deleted, say so", async () => {
  const { store } = server;
  const gone = await store.lists.create({ account: 1, name: "Gone", at: 1 });
  const times = { createdAt: SENT, sentAt: null };
  const made = await store.campaigns.record({ account: 1, name: "Quiet", lists: [gone.id], ...times });
  assert.ok("id" in made);
  await owner.get(one());
  const lease = { owner: "test", until: Date.now() + 60_000 };
  await store.lists.delete({ account: 1, id: gone.id, at: SENT, origin: { kind: "operator" }, lease });
  const { body } = await viewer.get(`${CAMPAIGNS}/${made.id}`);
  assert.match(body, /No results yet/);
  assert.match(body, /Not sent/);
  assert.match(body, /Gone <span class="badge neutral">deleted/);
  assert.doesNotMatch(body, new RegExp(`/lists/${gone.id}"`));
});

test("the people behind a number are listed in pages and linked", async () => {
  for (let nth = 0; nth < 55; nth += 1) await happened("complained", `p${nth}@example.org`, SENT + nth);
  const first = await viewer.get(`${one()}/complained`);
  assert.match(first.body, /50 of 55/);
  const person = await server.store.subscribers.find({ account: 1, address: addressOf("p0@example.org") });
  assert.ok(first.body.includes(`href="/console/1/subscribers/${person?.id}"`));
  const next = /href="([^"]+)" rel="next"/.exec(first.body)?.[1] ?? "";
  assert.doesNotMatch(next, /example|@/);
  const second = await viewer.get(next);
  assert.match(second.body, /p54@example\.org/);
  assert.match((await viewer.get(`${one()}/unsubscribed`)).body, /Nobody has unsubscribed/);
  assert.match((await viewer.get(`${one()}/bounced`)).body, /No mail of this campaign has bounced/);
});

test("a page that was emptied meanwhile leads back to the one before it, in either direction", async () => {
  const shown = ({ body }: Received): readonly string[] =>
    [...body.matchAll(/>(q\d+)@example\.org</g)].map(([, name = ""]) => name);
  const linked = ({ body }: Received, rel: string): string =>
    new RegExp(`href="([^"]+)" rel="${rel}"`).exec(body)?.[1] ?? "";
  const erase = async (names: readonly string[]): Promise<void> => {
    for (const name of names)
      await server.store.subscribers.erase({
        account: 1,
        at: SENT,
        address: addressOf(`${name}@example.org`),
      });
  };
  for (let nth = 0; nth < 102; nth += 1) await happened("bounced", `q${nth}@example.org`, SENT + nth);
  const from = (start: number) => Array.from({ length: 50 }, (_, nth) => `q${start + nth}`);
  const [first, second] = [from(0), from(50)];
  const start = await viewer.get(`${one()}/bounced`);
  assert.deepEqual(shown(start), first);
  const middle = await viewer.get(linked(start, "next"));
  assert.deepEqual(shown(middle), second);
  await erase(["q100", "q101"]);
  const last = await viewer.get(linked(middle, "next"));
  assert.deepEqual(shown(last), second);
  assert.equal(linked(last, "next"), "");
  await erase(first);
  const before = await viewer.get(linked(middle, "prev"));
  assert.deepEqual(shown(before), second);
  assert.equal(linked(before, "prev"), "");
});

test("a campaign is changed, and a time that was not touched keeps its seconds", async () => {
  const form = await editor.get(`${one()}/change`);
  assert.equal(fieldIn(form, "sentAt"), "2026-03-03T07:15");
  const fields = {
    name: "Renamed",
    sentAt: "2026-03-03T07:15",
    createdAt: "2026-03-01T00:00",
    version: fieldIn(form, "version") ?? "",
  };
  const sent = await editor.post(`${one()}/change`, "change", fields);
  assert.match((await editor.follow(sent)).body, /The campaign is changed/);
  const stored = { id, name: "Renamed", createdAt: Date.UTC(2026, 2, 1), sentAt: SENT };
  assert.deepEqual(await server.store.campaigns.byId({ account: 1, id }), stored);
  const late = await editor.post(`${one()}/change`, "change", { ...fields, name: "Mine" });
  assert.equal(late.status, 409);
  assert.match(late.body, /Somebody else has changed this/);
  assert.equal(fieldIn(late, "name"), "Mine");
  const wrong = await editor.post(`${one()}/change`, "change", { ...fields, name: "" });
  assert.match(wrong.body, /field-name-error">Must have 1 to 100 characters/);
  const again = fieldIn(await editor.get(`${one()}/change`), "version") ?? "";
  const unsent = { ...fields, sentAt: "", createdAt: "", version: again };
  await editor.post(`${one()}/change`, "change", unsent);
  assert.deepEqual(await server.store.campaigns.byId({ account: 1, id }), { ...stored, sentAt: null });
});

test("the deletion says what goes and what stays, and then deletes", async () => {
  await happened("unsubscribed", "gone@example.org");
  const { body } = await owner.get(`${one()}/deletion`);
  assert.match(body, /1 result is deleted/);
  assert.match(body, /1 unsubscribed, 0 bounced, 0 complained/);
  assert.match(body, /stay suppressed/);
  const sent = await owner.post(`${one()}/deletion`, "delete");
  assert.ok((await owner.follow(sent)).body.includes(`The campaign “${ESCAPED}” is deleted.`));
  assert.equal((await owner.get(one())).status, 404);
  const add = { account: 1, list: 1, at: SENT, origin: { kind: "operator" }, recordedCall: null } as const;
  const address = addressOf("gone@example.org");
  assert.equal(await server.store.subscribers.add({ ...add, address }), "Unsubscribed");
});

test("users see and do what their role allows, and only campaigns of their account", async () => {
  const seen = (await viewer.get(one())).body;
  assert.doesNotMatch(seen, /\/change"|\/deletion"/);
  const edited = (await editor.get(one())).body;
  assert.match(edited, /\/change"/);
  assert.doesNotMatch(edited, /\/deletion"/);
  assert.match((await owner.get(one())).body, /\/deletion"/);
  const cases: readonly (readonly [who: Browser, path: string, form: string])[] = [
    [viewer, `${CAMPAIGNS}/record`, "record"],
    [viewer, `${one()}/change`, "change"],
    [editor, `${one()}/deletion`, "delete"],
  ];
  for (const [who, path, form] of cases) {
    assert.equal((await who.get(path)).status, 403, path);
    assert.equal((await who.post(path, form, { name: "Mine", lists: "1" })).status, 403, path);
  }
  const stranger = await server.signedIn("owner", 2);
  for (const below of ["", "/unsubscribed", "/change", "/deletion"]) {
    assert.equal((await stranger.get(`/console/2/campaigns/${id}${below}`)).status, 404, below);
    assert.equal((await stranger.get(`${one()}${below}`)).status, 404, below);
  }
  assert.equal((await stranger.post(`/console/2/campaigns/${id}/deletion`, "delete")).status, 404);
  assert.notEqual(await server.store.campaigns.byId({ account: 1, id }), null);
});
