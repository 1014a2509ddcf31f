/**
 * The settings of an account in the console: the account itself, its block list, its tokens and audit log.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { actionNames, timesOfDay } from "#console/pages/audit-log.ts";
import { actions } from "../admin/all-actions.ts";
import { addressOf } from "../store/actor.ts";
import { type Browser, fieldIn } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const HOSTILE = `<img src=x onerror="alert(1)"> & 'co'`;
const ESCAPED = /&lt;img src=x onerror=&quot;alert\(1\)&quot;&gt; &amp; &#39;co&#39;/;
const SETTINGS = "/console/1/settings";

let server: ConsoleServer;
let administrator: Browser;
let owner: Browser;
let editor: Browser;
let viewer: Browser;
before(async () => {
  server = await startConsole();
  for (const name of ["Acme", "Other"]) await server.store.accounts.create({ name, at: 1 });
  administrator = await server.signedIn(null);
  owner = await server.signedIn("owner");
  editor = await server.signedIn("editor");
  viewer = await server.signedIn("viewer");
});
after(async () => {
  assert.deepEqual(server.defects, []);
  await server.close();
});
const account = (id = 1) => server.store.accounts.byId({ id });

describe("the account", () => {
  test("everybody with a role sees it, and each role only the forms and tabs that it may use", async () => {
    const seen = async (browser: Browser) => {
      const { status, body } = await browser.get(SETTINGS);
      assert.equal(status, 200);
      return {
        forms: [...body.matchAll(/name="do" value="(\w+)"/g)].map(([, name]) => name),
        tabs: [...body.matchAll(/\/settings\/([\w-]+)"/g)].map(([, tab]) => tab),
      };
    };
    const few = ["senders", "blocks", "tokens"];
    const more = ["senders", "blocks", "users", "tokens", "audit-log"];
    assert.deepEqual(await seen(viewer), { forms: [], tabs: few });
    assert.deepEqual(await seen(editor), { forms: [], tabs: few });
    assert.deepEqual(await seen(owner), { forms: ["rename"], tabs: more });
    assert.deepEqual(await seen(administrator), { forms: ["rename", "set"], tabs: [...more, "delete"] });
    assert.equal((await owner.get("/console/2/settings")).status, 404);
  });

  test("an owner renames it, with any name; a wrong one is said beside the field, and stays there", async () => {
    const renamed = await owner.post(SETTINGS, "rename", { name: HOSTILE });
    assert.equal(renamed.status, 303);
    const page = await owner.follow(renamed);
    assert.match(page.body, /is renamed/);
    assert.match(page.body, ESCAPED);
    assert.doesNotMatch(page.body, /<img src=x/);
    const wrong = await owner.post(SETTINGS, "rename", { name: " ".repeat(3) });
    assert.equal(wrong.status, 422);
    assert.match(wrong.body, /id="field-name-error">Must have 1 to/);
    assert.equal(fieldIn(wrong, "name"), "   ");
    assert.equal((await editor.post(SETTINGS, "rename", { name: "Mine" })).status, 403);
    assert.equal((await account())?.name, HOSTILE);
  });

  test("an administrator changes country and limits; what is no number is refused, and an owner is", async () => {
    const values = { country: "DE", limitSubscribers: "50000", limitFields: "" };
    assert.equal((await owner.post(SETTINGS, "set", values)).status, 403);
    const wrong = await administrator.post(SETTINGS, "set", { ...values, limitSubscribers: "many" });
    assert.equal(wrong.status, 422);
    assert.match(wrong.body, /id="field-limitSubscribers-error">Must be a whole number/);
    assert.equal(fieldIn(wrong, "limitSubscribers"), "many");
    assert.equal((await administrator.post(SETTINGS, "set", values)).status, 303);
    const { country, limitSubscribers, limitFields } = (await account()) ?? assert.fail();
    assert.deepEqual([country, limitSubscribers, limitFields], ["DE", 50_000, null]);
    assert.match((await viewer.get(SETTINGS)).body, /0 of at most 50,000/);
  });

  test("of two who edit it, the second is told, and nothing is overwritten", async () => {
    const version = fieldIn(await owner.get(SETTINGS), "version") ?? assert.fail();
    assert.equal((await administrator.post(SETTINGS, "rename", { name: "First", version })).status, 303);
    const second = await owner.post(SETTINGS, "rename", { name: "Second", version });
    assert.equal(second.status, 409);
    assert.match(second.body, /Somebody else has changed this/);
    assert.equal((await account())?.name, "First");
  });

  test("is deleted by an administrator who types its name, and by nobody else", async () => {
    const { id } = await server.store.accounts.create({ name: HOSTILE, at: 1 });
    const path = `/console/${id}/settings/delete`;
    const page = await administrator.get(path);
    assert.match(page.body, /0 active subscribers/);
    assert.match(page.body, ESCAPED);
    assert.equal((await owner.get(path)).status, 404);
    assert.equal((await owner.get(`${SETTINGS}/delete`)).status, 403);
    assert.equal((await owner.post(`${SETTINGS}/delete`, "delete", { name: "First" })).status, 403);
    const wrong = await administrator.post(path, "delete", { name: "another" });
    assert.equal(wrong.status, 422);
    assert.match(wrong.body, /nothing was deleted/);
    assert.ok(await account(id));
    const deleted = await administrator.post(path, "delete", { name: HOSTILE });
    assert.equal(deleted.status, 303);
    assert.match((await administrator.follow(deleted)).body, ESCAPED);
    assert.equal(await account(id), null);
    assert.equal((await administrator.get(path)).status, 404);
  });
});

describe("the block list", () => {
  const BLOCKS = `${SETTINGS}/blocks`;
  const patterns = async () =>
    (await server.store.blocks.all.page({ account: 1 }, { after: null, limit: 9 })).rows.map(
      ({ pattern }) => pattern,
    );

  test("an editor blocks a domain after having seen whom it touches, and removes the block again", async () => {
    const { id: list } = await server.store.lists.create({ account: 1, name: "News", at: 1 });
    for (const email of ["a@covered.example", "b@covered.example", "c@example.org"])
      await server.store.subscribers.add({
        ...{ account: 1, list, address: addressOf(email), at: 1 },
        ...{ origin: { kind: "operator" }, recordedCall: null },
      });
    assert.match((await editor.get(BLOCKS)).body, /Nothing is blocked/);
    const checked = await editor.post(BLOCKS, "check", { pattern: "@Covered.example" });
    assert.equal(checked.status, 303);
    const address = checked.headers.get("location") ?? "";
    assert.doesNotMatch(address, /covered/i);
    const question = await editor.follow(checked);
    assert.match(question.body, /Block @covered\.example\?/);
    assert.match(question.body, /2 subscribers have such an address/);
    assert.deepEqual(await patterns(), []);
    const added = await editor.post(address, "change");
    assert.match((await editor.follow(added)).body, /@covered\.example is blocked\./);
    assert.deepEqual(await patterns(), ["@covered.example"]);
    assert.equal((await account())?.activeSubscribers, 1);
    const asked = await editor.post(BLOCKS, "ask", { pattern: "@covered.example" });
    assert.match((await editor.follow(asked)).body, /Remove the block of @covered\.example\?/);
    const removed = await editor.post(asked.headers.get("location") ?? "", "change");
    assert.match((await editor.follow(removed)).body, /is no longer blocked/);
    assert.equal((await account())?.activeSubscribers, 3);
  });

  test("a wrong pattern is said beside the field, with what was typed, escaped", async () => {
    const wrong = await editor.post(BLOCKS, "check", { pattern: HOSTILE });
    assert.equal(wrong.status, 422);
    assert.match(wrong.body, /id="field-pattern-error">Cannot be blocked/);
    assert.match(wrong.body, ESCAPED);
  });

  test("a viewer sees the list and can change nothing; the address of a question is of its account only", async () => {
    const page = await viewer.get(BLOCKS);
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.body, /name="do"/);
    assert.equal((await viewer.get(`${BLOCKS}/add`)).status, 403);
    assert.equal((await editor.get(`${BLOCKS}/add`)).status, 404);
    const checked = await administrator.post(BLOCKS, "check", { pattern: "x@example.org" });
    const address = checked.headers.get("location") ?? "";
    assert.equal((await viewer.post(address, "change")).status, 403);
    assert.equal((await administrator.get(address.replace("/1/", "/2/"))).status, 400);
    assert.deepEqual(await patterns(), []);
  });
});

test("a token is created with a curl line, shown once, listed and revoked", async () => {
  const path = `${SETTINGS}/tokens`;
  const created = await editor.post(path, "create-token", {
    ...{ tokenName: HOSTILE, tokenRole: "viewer", tokenDays: "30" },
  });
  const [, secret = ""] = /(mrt_[\w-]{43})/.exec(created.body) ?? [];
  assert.ok(created.body.includes(`Bearer ${secret}&quot; ${server.origin}/api/v2/me`));
  const listed = await editor.get(path);
  assert.match(listed.body, ESCAPED);
  assert.ok(!listed.body.includes(secret));
  assert.doesNotMatch(listed.body, /Tokens of other users/);
  assert.match((await owner.get(path)).body, /Tokens of other users/);
  const wrong = await editor.post(path, "create-token", { tokenName: "", tokenRole: "viewer" });
  assert.match(wrong.body, /id="field-tokenName-error"/);
  const [, id = ""] = /name="token" value="(\d+)"/.exec(listed.body) ?? [];
  assert.equal((await viewer.post(path, "revoke-token", { token: id })).status, 422);
  assert.equal((await editor.post(path, "revoke-token", { token: id })).status, 303);
  assert.match((await editor.get(path)).body, /You have no token/);
});

describe("the audit log", () => {
  const LOG = `${SETTINGS}/audit-log`;

  test("says who changed what, before and after, with links, and escapes every value", async () => {
    await owner.post(SETTINGS, "rename", { name: HOSTILE });
    const { body } = await owner.get(LOG);
    assert.match(body, /Account renamed/);
    assert.match(body, new RegExp(`First <span[^>]*>→</span> <strong>${ESCAPED.source}</strong>`));
    assert.match(body, /href="\/console\/1\/settings\/users\/2">user2@example\.org</);
    assert.doesNotMatch(body, /<img src=x/);
    assert.equal((await editor.get(LOG)).status, 403);
  });

  test("links to pages that exist, also of a field", async () => {
    const audit = { at: server.now, origin: { kind: "operator", name: "root" }, from: null } as const;
    const field = { name: "Linked", type: "STRING", isPrivate: false } as const;
    await server.store.fields.create({
      ...{ account: 1, id: null, field, at: server.now },
      audit: { ...audit, action: "field.create" },
    });
    const { body } = await owner.get(`${LOG}?action=field.create`);
    const [, link = ""] = /<small><a href="([^"]+)">Linked</.exec(body) ?? [];
    assert.equal((await owner.get(link)).status, 200, link);
  });

  test("names what values mention, and is filtered by who did it", async () => {
    const { store } = server;
    const { id: list } = await store.lists.create({ account: 1, name: HOSTILE, at: server.now });
    const [, other] = [await server.signedIn("editor"), await server.signedIn("owner")];
    await other.post("/console/1/lists/new", "create", { name: "By another" });
    const by = { at: server.now, origin: { kind: "key", key: 77 }, from: null } as const;
    await store.campaigns.record({
      ...{ account: 1, name: "Spring", lists: [list], createdAt: 2, sentAt: null },
      audit: { ...by, action: "campaign.record" },
    });
    const recorded = (await owner.get(`${LOG}?action=campaign.record`)).body;
    assert.match(recorded, /<a href="\/console\/1\/campaigns\/\d+">Spring<\/a>/);
    assert.match(recorded, new RegExp(`href="/console/1/lists/${list}">${ESCAPED.source}</a>`));
    const done = async (who: string) => {
      const { body } = await owner.get(`${LOG}?by=${who}`);
      return [...body.matchAll(/<span class="lines"><span>([^<]*)<\/span><small>/g)].map(([, what]) => what);
    };
    assert.deepEqual(await done(`user-${other.user.id}`), ["List created"]);
    assert.deepEqual(await done("key-77"), ["Campaign recorded"]);
    assert.ok((await done("operator")).includes("Field created"));
    assert.match((await owner.get(`${LOG}?by=user-99999`)).body, /No entry matches/);
    assert.equal((await owner.get(`${LOG}?by=link-1`)).status, 404);
    assert.equal((await owner.get(`${LOG}?by=user-1%00`)).status, 404);
  });

  test("is filtered by action and day, and paged with its filter", async () => {
    const only = await owner.get(`${LOG}?action=account.rename`);
    assert.match(only.body, /Account renamed/);
    assert.doesNotMatch(only.body, /<span>Account changed<\/span>/);
    const today = new Date(server.now).toISOString().slice(0, 10);
    assert.match((await owner.get(`${LOG}?from=${today}&to=${today}`)).body, /<span>Account renamed</);
    assert.match((await owner.get(`${LOG}?to=2001-01-01`)).body, /No entry matches/);
    for (let n = 0; n < 60; n += 1) await owner.post(SETTINGS, "rename", { name: `Name ${n}` });
    const first = await owner.get(`${LOG}?action=account.rename`);
    const [, next = ""] = /href="([^"]+)" rel="next"/.exec(first.body) ?? [];
    assert.match(next, /action=account\.rename/);
    assert.match((await owner.get(next.replaceAll("&amp;", "&"))).body, /rel="prev"/);
    assert.equal((await owner.get(`${LOG}?after=nonsense`)).status, 400);
  });

  test("has a sentence for every action that leaves an entry", () => {
    const recorded = actions.filter(({ records }) => records === "audit log").map(({ name }) => name);
    assert.deepEqual(
      recorded.filter((name) => actionNames[name] === undefined),
      [],
    );
  });

  test("a day begins and ends by the clocks of the user's time zone", () => {
    const iso = (text: string, zone: string) => {
      const { first, last } = timesOfDay(text, zone) ?? assert.fail(text);
      return [first, last].map((time) => new Date(time).toISOString());
    };
    assert.deepEqual(iso("2026-11-01", "UTC"), ["2026-11-01T00:00:00.000Z", "2026-11-01T23:59:59.999Z"]);
    // The clocks are put back by an hour on this day.
    assert.deepEqual(iso("2026-10-25", "Europe/Berlin"), [
      "2026-10-24T22:00:00.000Z",
      "2026-10-25T22:59:59.999Z",
    ]);
    for (const wrong of ["", "yesterday", "2026-13-01"]) assert.equal(timesOfDay(wrong, "UTC"), null);
  });
});
