/** The overview of an account: numbers, charts, what needs somebody, and the first steps. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testSend } from "#admin/campaigns/preview.ts";
import type { Trouble } from "#console/kit/options.ts";
import { storedForm } from "#domain/access/key.ts";
import { dayOf } from "#domain/calendar.ts";
import { changeSubscribersJob } from "#domain/job/kinds.ts";
import { emptyContent } from "#domain/sending/mailing.ts";
import { senderValues } from "../sending-campaign.ts";
import { actor } from "../store/actor.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const HOSTILE = `<img src=x onerror="alert(1)">`;
const DAY_MS = 86_400_000;
let server: ConsoleServer;
let found: readonly Trouble[] = [];
before(async () => {
  server = await startConsole({ troubles: async () => found });
  const { store, now } = server;
  for (const name of ["Default", "Empty", HOSTILE]) await store.accounts.create({ name, at: 1 });
  const of = actor(store, 1, (email) => ({
    ...{ operation: "Subscriber.Add", args: JSON.stringify({ email }), isCut: false },
  }));
  const [news, hostile] = [await of.list("News"), await of.list(HOSTILE)];
  for (const [at, who] of ["ada", "grace", "alan"].entries())
    await of.add(news, `${who}@example.org`, now - at * DAY_MS);
  await of.add(news, "old@example.org", now - 200 * DAY_MS);
  await of.add(hostile, "ada@example.org", now);
  await of.unsubscribe("alan@example.org", now);
  await of.add(9999, "ada@example.org", now);
  const campaign = await store.campaigns.record({
    ...{ account: 1, name: `Launch ${HOSTILE}`, lists: [news], createdAt: now, sentAt: now },
  });
  assert.ok("id" in campaign);
  await of.event(campaign.id, "bounced", "grace@example.org", now);
  const key = await store.keys.create({
    ...storedForm("SHOP-KEY-OF-THIS-TEST"),
    ...{ account: 1, label: `Shop ${HOSTILE}`, scope: "full", expiresAt: null, at: now },
  });
  assert.ok(key);
  const counts = { key: key.id, day: dayOf(now), program: "PHP", calls: 1234, refusals: 7, faults: 2 };
  const quirk = { key: key.id, quirk: "http-1.0", program: "PHP", seenAt: now } as const;
  await store.statistics.addCalls({ calls: [counts], quirks: [quirk] });
});
after(async () => {
  await server.close();
  assert.deepEqual(server.defects, []);
});

/** The value of the tile with the label. */
const tile = (body: string, label: string): string | undefined =>
  new RegExp(`>${label}(?:</a>)?</dt><dd><span class="stat-value">([^<]*)<`).exec(body)?.[1];

test("the tiles say how many are active, joined and left, and how many refused calls wait", async () => {
  const { body, status } = await (await server.signedIn("viewer")).get("/console/1");
  assert.equal(status, 200);
  const labels = ["Active subscribers", "Joined", "Left", "Lists", "Refused calls"];
  assert.deepEqual(
    labels.map((label) => tile(body, label)),
    ["2", "3", "2", "2", "1"],
  );
  assert.match(body, /href="\/console\/1\/refused-calls">Refused calls/);
  assert.match(body, /to review/);
});

test("the range is 30 days unless another is chosen, and a year is shown by week", async () => {
  const viewer = await server.signedIn("viewer");
  const month = await viewer.get("/console/1");
  assert.match(month.body, /href="\/console\/1" aria-current="page">30 days/);
  assert.match(month.body, /Joined and left per day/);
  const year = await viewer.get("/console/1?days=365");
  assert.match(year.body, /href="\/console\/1\?days=365" aria-current="page">12 months/);
  assert.match(year.body, /Joined and left per week/);
  assert.equal(tile(year.body, "Joined"), "4");
  assert.equal(year.body.match(/<th scope="row">\d+ \w+<\/th>/g)?.length, 2 * 53);
  for (const other of ["7", "9999", "x", ""])
    assert.match((await viewer.get(`/console/1?days=${other}`)).body, /aria-current="page">30 days/);
});

test("lists, campaigns and integrations with trouble lead to their pages, with their names escaped", async () => {
  const { body } = await (await server.signedIn("viewer")).get("/console/1");
  assert.doesNotMatch(body, /<img src=x/);
  const escaped = "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;";
  for (const link of [
    `href="/console/1/lists/1">News<`,
    `href="/console/1/lists/2">${escaped}<`,
    `href="/console/1/campaigns/1">Launch ${escaped}<`,
    `href="/console/1/integrations/1">Shop ${escaped}<`,
  ])
    assert.ok(body.includes(link), link);
  assert.match(body, /data-label="Bounced">1</);
  assert.match(body, /data-label="Refused">7</);
  assert.match(body, /data-label="Faults">2</);
  assert.match(body, /HTTP\/1\.0/);
});

test("a job that is left is shown with its progress, and none afterwards", async () => {
  const viewer = await server.signedIn("viewer");
  assert.doesNotMatch((await viewer.get("/console/1")).body, /Running now/);
  const { store, now } = server;
  const origin = { kind: "operator", name: "root" } as const;
  const search = { address: null, name: null, state: null, list: null, filter: [] };
  const lease = await store.jobs.start({
    account: 1,
    kind: "change-subscribers",
    name: changeSubscribersJob(1, "remove", "1"),
    args: { search, change: { kind: "remove", list: 1 }, at: now, origin },
    total: 4,
    at: now,
    lease: { owner: "test", until: now + 60_000 },
    audit: { at: now, origin, from: "", action: "test" },
    audited: {},
  });
  assert.ok(lease);
  const { body } = await viewer.get("/console/1");
  assert.match(body, /Running now/);
  assert.match(body, new RegExp(`href="/console/1/jobs/${lease.id}">Remove subscribers from a list<`));
  const audit = { at: now, origin, from: "", action: "test" };
  const done = { progress: {}, done: 4, result: null, ending: "finished", error: null } as const;
  await store.jobs.proceed({ ...lease, ...done, now, until: now + 60_000 });
  await store.jobs.cancel({ account: 1, id: lease.id, now, audit });
  assert.doesNotMatch((await viewer.get("/console/1")).body, /Running now/);
});

test("an account in which nobody is shows the first steps, each to those who may take it", async () => {
  const steps = async (role: "viewer" | "editor" | "owner") => {
    const { body } = await (await server.signedIn(role, 2)).get("/console/2");
    assert.match(body, /First steps/);
    assert.doesNotMatch(body, /class="chart"/);
    return ["lists/new", "imports", "integrations/new"].filter(
      (path) =>
        body.includes(`class="button primary" href="/console/2/${path}"`) ||
        body.includes(`class="button plain" href="/console/2/${path}"`),
    );
  };
  assert.deepEqual(await steps("viewer"), []);
  assert.deepEqual(await steps("editor"), ["lists/new", "imports"]);
  assert.deepEqual(await steps("owner"), ["lists/new", "imports", "integrations/new"]);
  const list = await server.store.lists.create({ account: 2, name: "First", at: server.now });
  const owner = await server.signedIn("owner", 2);
  const { body } = await owner.get("/console/2");
  assert.match(body, /<li class="done">.*Create a list/);
  assert.match(body, /class="button primary" href="\/console\/2\/imports"/);
  await actor(server.store, 2).add(list.id, "first@example.org", server.now);
  assert.match((await owner.get("/console/2")).body, /class="chart"/);
});

test("an account without lists shows the first steps, although a program has unsubscribed somebody", async () => {
  const { id } = await server.store.accounts.create({ name: "Called", at: 1 });
  await actor(server.store, id).unsubscribe("gone@example.org", server.now);
  const { body } = await (await server.signedIn("owner", id)).get(`/console/${id}`);
  assert.match(body, /First steps/);
  assert.ok(body.includes(`class="button primary" href="/console/${id}/lists/new"`));
});

test("an account without lists whose calls were refused shows the first steps and its numbers", async () => {
  const { id } = await server.store.accounts.create({ name: "Refused", at: 1 });
  const call = { operation: "Subscriber.Add", args: "{}", isCut: false };
  await actor(server.store, id, () => call).add(9999, "ada@example.org", server.now);
  const { body } = await (await server.signedIn("owner", id)).get(`/console/${id}`);
  assert.match(body, /First steps/);
  assert.equal(tile(body, "Refused calls"), "1");
});

test("what keeps the service from serving calls is said, with what to do", async (t) => {
  const viewer = await server.signedIn("viewer");
  assert.match((await viewer.get("/console/1")).body, /Healthy/);
  t.after(() => {
    found = [];
  });
  found = [{ reason: "12 MiB free on the data disk", todo: "Free disk space." }];
  const { body } = await viewer.get("/console/1");
  assert.match(body, /12 MiB free on the data disk\. Free disk space\./);
  assert.doesNotMatch(body, /Healthy/);
});

test("the overview of another account is not found", async () => {
  const { status, body } = await (await server.signedIn("owner", 2)).get("/console/1");
  assert.equal(status, 404);
  assert.doesNotMatch(body, /News|Default/);
});

test("the first steps stay until an editor dismisses them, and each is done when it is there", async () => {
  const { store, now } = server;
  const { id: account } = await store.accounts.create({ name: "Steps", at: 1 });
  const editor = await server.signedIn("editor", account);
  const done = async (): Promise<readonly string[]> => {
    const { body } = await editor.get(`/console/${account}`);
    return [...body.matchAll(/<li class="done">.*?<h3>([^<]*)</g)].map(([, title = ""]) => title);
  };
  const { id: list } = await store.lists.create({ account, name: "News", at: now });
  await actor(store, account).add(list, "ada@example.org", now);
  assert.deepEqual(await done(), ["Create a list", "Import your subscribers"]);
  const { id: sender } = await store.senders.create({ ...senderValues, account, createdAt: now });
  const origin = { kind: "operator", name: "root" } as const;
  const made = await store.mailings.create({
    ...{ account, name: "First", at: now },
    content: { ...emptyContent, sender, subject: "News", text: "Hello", lists: [list] },
  });
  assert.ok("campaign" in made);
  await store.mailings.recordTest({
    ...{ account, campaign: made.campaign.id, sender, recipients: 1, at: now },
    audit: { at: now, origin, from: null, action: testSend.name },
  });
  await store.campaigns.record({ account, name: "Sent", lists: [list], createdAt: now, sentAt: now });
  const program = {
    version: "0",
    schemaVersion: 1,
    since: 1,
    address: null,
    isDemo: false,
    isFilling: false,
  };
  await store.health.startProgram(program);
  await store.health.backedUp({ at: now });
  assert.deepEqual((await done()).slice(2), [
    ...["Create a sender", "Send a test message", "Send your first campaign", "Take a backup"],
  ]);
  const viewer = await server.signedIn("viewer", account);
  assert.doesNotMatch((await viewer.get(`/console/${account}`)).body, /Dismiss/);
  assert.equal((await viewer.post(`/console/${account}`, "dismiss")).status, 403);
  assert.equal((await editor.post(`/console/${account}`, "dismiss")).status, 303);
  for (const browser of [editor, viewer])
    assert.doesNotMatch((await browser.get(`/console/${account}`)).body, /First steps/);
});
