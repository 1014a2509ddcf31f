/** The routes of campaign events. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addressOf } from "../../store/actor.ts";
import { type ApiServer, startApi, users } from "./api-server.ts";
import { problemOf } from "./problem-of.ts";
import { type PageOf, readReply } from "./read-reply.ts";

let api: ApiServer;
before(async () => {
  api = await startApi();
  await api.store.accounts.create({ name: "Acme", at: 1 });
  await api.store.lists.create({ account: 1, name: "News", at: 1 });
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

/** The path of the events of a new campaign. */
async function newCampaign(): Promise<string> {
  const campaign = { account: 1, name: "Spring", lists: [1], createdAt: 1, sentAt: null };
  const made = await api.store.campaigns.record(campaign);
  assert.ok("id" in made);
  return `/accounts/1/campaigns/${made.id}/events`;
}
interface EventSubscriber {
  readonly subscriberId: string;
  readonly email: string;
  readonly at: string;
}
interface BatchReply {
  readonly failedCount: number;
  readonly results: readonly {
    readonly index: number;
    readonly outcome: string;
    readonly id: string | null;
    readonly problem: {
      readonly status: number;
      readonly detail: string;
      readonly errors?: readonly { readonly pointer: string }[];
    } | null;
  }[];
}
const listed = async (events: string, query: string) =>
  readReply<PageOf<EventSubscriber>>(await api.send("GET", `${events}?${query}`));

test("an event is recorded once, and suppresses the subscriber", async () => {
  const events = await newCampaign();
  const body = { event: "unsubscribed", email: "Ada <Ada@example.org>", at: "2026-11-01T10:00:00Z" };
  const done = await readReply<{ id: string; email: string }>(await api.send("POST", events, { body }));
  assert.equal(done.email, "Ada@example.org");
  assert.deepEqual(await readReply(await api.send("POST", events, { body })), done);
  const { items } = await listed(events, "event=unsubscribed");
  assert.deepEqual(items, [
    {
      subscriberId: done.id,
      email: "Ada@example.org",
      firstName: null,
      lastName: null,
      joinedAt: "2026-11-01T10:00:00.000Z",
      at: "2026-11-01T10:00:00.000Z",
    },
  ]);
  assert.deepEqual((await listed(events, "event=complained")).items, []);
  const record = await api.store.subscribers.byAddress({ account: 1, address: addressOf("ada@example.org") });
  assert.equal(record?.history[0]?.kind, "unsubscribed");
  assert.deepEqual(record.history[0].origin, { kind: "user", user: users.indexOf("owner") + 1 });
});

test("an unsubscribe of somebody who had unsubscribed before is not counted for the campaign", async () => {
  const isCounted = async (events: string, event: string): Promise<boolean> => {
    const body = { event, email: "before@example.org" };
    return (await readReply<{ isCounted: boolean }>(await api.send("POST", events, { body }))).isCounted;
  };
  const [first, second] = [await newCampaign(), await newCampaign()];
  assert.equal(await isCounted(first, "unsubscribed"), true);
  assert.equal(await isCounted(second, "unsubscribed"), false);
  assert.deepEqual((await listed(second, "event=unsubscribed")).items, []);
  assert.equal(await isCounted(first, "unsubscribed"), true);
  assert.equal(await isCounted(second, "complained"), true);
});

test("the subscribers of an event are listed by page, the oldest event first", async () => {
  const events = await newCampaign();
  const body = {
    items: Array.from({ length: 5 }, (_, index) => ({
      event: "bounced",
      email: `p${index}@example.org`,
      at: `2026-11-0${5 - Math.floor(index / 2)}T00:00:00Z`,
    })),
  };
  await readReply(await api.send("POST", `${events}:batch`, { body }));
  const first = await listed(events, "event=bounced&limit=3");
  const second = await listed(events, `event=bounced&limit=3&after=${first.next}`);
  const addresses = (page: PageOf<EventSubscriber>) => page.items.map(({ email }) => email[1]).join("");
  assert.deepEqual([addresses(first), addresses(second)], ["423", "01"]);
  assert.equal(second.next, null);
  assert.deepEqual(
    (await listed(events, `event=bounced&limit=3&before=${second.previous}`)).items,
    first.items,
  );
});

test("a batch records the valid events and has a result for each", async () => {
  const events = await newCampaign();
  const body = {
    items: [
      { event: "complained", email: "grace@example.org" },
      { event: "complained", email: "nobody" },
      { event: "complained", email: "late@example.org", at: "2999-01-01T00:00:00Z" },
      { event: "unsubscribed", email: "linus@example.org" },
      { event: "complained", email: "grace@example.org" },
    ],
  };
  const reply = await readReply<BatchReply>(await api.send("POST", `${events}:batch`, { body }));
  assert.equal(reply.failedCount, 2);
  assert.deepEqual(
    reply.results.map(({ index, outcome, problem }) => [index, outcome, problem?.status ?? null]),
    [
      [0, "done", null],
      [1, "invalidEmail", 422],
      [2, "failed", 400],
      [3, "done", null],
      [4, "done", null],
    ],
  );
  assert.deepEqual(
    reply.results.slice(1, 3).map(({ problem }) => problem?.errors?.[0]?.pointer),
    ["#/items/1/email", "#/items/2/at"],
  );
  assert.match(reply.results[1]?.problem?.detail ?? "", /^It has no @/);
  assert.match(reply.results[2]?.problem?.detail ?? "", /^at: must not be in the future; it is now /);
  const [grace] = (await listed(events, "event=complained")).items;
  assert.deepEqual(
    reply.results.map(({ id }) => id === grace?.subscriberId),
    [true, false, false, false, true],
  );
  assert.equal((await listed(events, "event=complained")).items.length, 1);
});

test("a batch takes 1,000 events of long addresses, and no more", async () => {
  const events = await newCampaign();
  const email = (index: number) => `${String(index).padStart(64, "a")}@${"example.".repeat(20)}org`;
  const many = (count: number) => ({
    items: Array.from({ length: count }, (_, index) => ({
      event: "bounced",
      email: email(index),
      at: "2026-11-01T10:00:00Z",
    })),
  });
  const reply = await readReply<BatchReply>(await api.send("POST", `${events}:batch`, { body: many(1000) }));
  assert.deepEqual([reply.failedCount, reply.results.length], [0, 1000]);
  const problem = await problemOf(await api.send("POST", `${events}:batch`, { body: many(1001) }));
  assert.deepEqual([problem.status, problem.errors?.[0]?.pointer], [400, "#/items"]);
});

test("a wrong event is refused with a pointer to the value, and nothing of its batch is recorded", async () => {
  const events = await newCampaign();
  const valid = { event: "complained", email: "new@example.org" };
  const cases: readonly (readonly [body: object, pointer: string])[] = [
    [{ ...valid, event: "bounce" }, "/event"],
    [{ ...valid, email: 5 }, "/email"],
    [{ ...valid, at: "yesterday" }, "/at"],
    [{ ...valid, time: "2026-11-01T10:00:00Z" }, "/time"],
    [{ event: "complained" }, "/email"],
  ];
  for (const [body, pointer] of cases) {
    const one = await problemOf(await api.send("POST", events, { body }));
    assert.deepEqual([one.status, one.errors?.[0]?.pointer], [400, `#${pointer}`]);
    const batch = { items: [valid, body] };
    const many = await problemOf(await api.send("POST", `${events}:batch`, { body: batch }));
    assert.deepEqual([many.status, many.errors?.[0]?.pointer], [400, `#/items/1${pointer}`]);
  }
  assert.deepEqual((await listed(events, "event=complained")).items, []);
  const future = { ...valid, at: "2999-01-01T00:00:00Z" };
  assert.equal(
    (await problemOf(await api.send("POST", events, { body: future }))).errors?.[0]?.pointer,
    "#/at",
  );
  const address = await api.send("POST", events, { body: { ...valid, email: "nobody" } });
  assert.equal((await problemOf(address)).status, 422);
});

test("the kind of event must be given to list its subscribers, and a viewer may not record one", async () => {
  const events = await newCampaign();
  for (const query of ["", "?event=open"])
    assert.equal(
      (await problemOf(await api.send("GET", `${events}${query}`))).errors?.[0]?.parameter,
      "event",
    );
  const body = { event: "complained", email: "new@example.org" };
  assert.equal((await api.send("POST", events, { token: "viewer", body })).status, 403);
  const batch = { items: [body] };
  assert.equal((await api.send("POST", `${events}:batch`, { token: "viewer", body: batch })).status, 403);
  assert.equal((await api.send("GET", `${events}?event=complained`, { token: "viewer" })).status, 200);
});
