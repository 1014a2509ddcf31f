/** The routes of campaigns. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MAX_EVENTS } from "#domain/campaign.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { writeEvents } from "../../many-events.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { problemOf } from "./problem-of.ts";
import { type PageOf, readReply } from "./read-reply.ts";

let api: ApiServer;
let file = "";
const CAMPAIGNS = "/accounts/1/campaigns";
before(async () => {
  api = await startApi(undefined, (at) => {
    file = at;
    return SqliteStore.open(at, { days: 90, rows: 1000, bytes: 2 ** 28 });
  });
  await api.store.accounts.create({ name: "Acme", at: 1 });
  await api.store.accounts.create({ name: "Other", at: 1 });
  await api.store.lists.create({ account: 1, name: "News", at: 1 });
  await api.store.lists.create({ account: 2, name: "Theirs", at: 1 });
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

interface Campaign {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly sentAt: string | null;
}
const record = async (more: object = {}): Promise<Campaign> =>
  readReply<Campaign>(
    await api.send("POST", CAMPAIGNS, { body: { name: "Spring", listIds: ["1"], ...more } }),
    201,
  );

test("a campaign is recorded, shown with its results, corrected and deleted", async () => {
  const sentAt = "2026-03-03T08:15:00+01:00";
  const campaign = await record({ sentAt });
  const inUtc = "2026-03-03T07:15:00.000Z";
  assert.deepEqual(campaign, { id: campaign.id, name: "Spring", createdAt: inUtc, sentAt: inUtc });
  const one = `${CAMPAIGNS}/${campaign.id}`;
  for (const [event, email] of [
    ["bounced", "ada@example.org"],
    ["bounced", "grace@example.org"],
    ["complained", "ada@example.org"],
  ])
    await readReply(await api.send("POST", `${one}/events`, { body: { event, email } }));
  const counts = { bounced: 2, unsubscribed: 0, complained: 1 };
  const lists = [{ id: "1", name: "News", createdAt: "1970-01-01T00:00:00.001Z", memberCount: 0 }];
  const counted = { counts, hasMoreEvents: false };
  const shown = { ...campaign, lists, ...counted, isWrittenToFiles: false, sending: null };
  assert.deepEqual(await readReply(await api.send("GET", one)), shown);

  const renamed = await readReply<Campaign>(await api.send("PATCH", one, { body: { name: "Spring 2026" } }));
  assert.deepEqual(renamed, { ...campaign, name: "Spring 2026" });
  const unsent = await readReply<Campaign>(await api.send("PATCH", one, { body: { sentAt: null } }));
  assert.deepEqual(unsent, { ...renamed, sentAt: null });
  const body = { createdAt: "2026-03-01T00:00:00Z", sentAt: "2026-03-02T00:00:00Z" };
  const dated = await readReply<Campaign>(await api.send("PATCH", one, { body }));
  assert.deepEqual(dated, {
    ...renamed,
    createdAt: "2026-03-01T00:00:00.000Z",
    sentAt: "2026-03-02T00:00:00.000Z",
  });
  assert.deepEqual(await readReply(await api.send("PATCH", one, { body: {} })), dated);

  assert.deepEqual(await readReply(await api.send("GET", `${one}/deletion`)), { ...dated, ...counted });
  assert.deepEqual(await readReply(await api.send("DELETE", one)), { campaign: dated, job: null });
  for (const [method, path] of [
    ["GET", one],
    ["GET", `${one}/deletion`],
    ["GET", `${one}/events?event=complained`],
    ["DELETE", one],
  ] as const)
    assert.equal((await problemOf(await api.send(method, path))).status, 404, `${method} ${path}`);
});

test("campaigns are listed with the newest first, in pages of both directions", async () => {
  for (const day of [1, 2, 3]) await record({ name: `Day ${day}`, createdAt: `2020-01-0${day}T00:00:00Z` });
  const page = async (query: string) =>
    readReply<PageOf<Campaign>>(await api.send("GET", `${CAMPAIGNS}?limit=2${query}`));
  const first = await page("");
  const second = await page(`&after=${first.next}`);
  assert.deepEqual(
    [...first.items, ...second.items].map(({ name }) => name),
    ["Day 3", "Day 2", "Day 1"],
  );
  assert.equal(second.next, null);
  assert.deepEqual((await page(`&before=${second.previous}`)).items, first.items);
});

test("results are counted per day, from the day on which the campaign was sent", async () => {
  const campaign = await record({ sentAt: "2026-03-03T08:15:00Z" });
  const one = `${CAMPAIGNS}/${campaign.id}`;
  const items = [
    { event: "unsubscribed", email: "b@example.org", at: "2026-03-03T23:59:59Z" },
    { event: "unsubscribed", email: "c@example.org", at: "2026-03-04T00:00:00Z" },
    { event: "unsubscribed", email: "d@example.org", at: "2026-03-04T12:00:00Z" },
    { event: "complained", email: "c@example.org", at: "2026-03-04T13:00:00Z" },
    { event: "bounced", email: "e@example.org", at: "2026-05-05T13:00:00Z" },
  ];
  await readReply(await api.send("POST", `${one}/events:batch`, { body: { items } }));
  const none = { bounced: 0, unsubscribed: 0, complained: 0, isComplete: true };
  const days = async (query = "") =>
    await readReply<PageOf<{ readonly date: string }>>(
      await api.send("GET", `${one}/events-per-day${query}`),
    );
  const all = await days();
  assert.equal(all.items.length, 30);
  assert.deepEqual([all.next, all.previous, all.items.at(-1)?.date], [null, null, "2026-04-01"]);
  assert.deepEqual(all.items.slice(0, 3), [
    { date: "2026-03-03", ...none, unsubscribed: 1 },
    { date: "2026-03-04", ...none, unsubscribed: 2, complained: 1 },
    { date: "2026-03-05", ...none },
  ]);
  assert.deepEqual((await days("?from=2026-05-05&to=2026-05-05")).items, [
    { date: "2026-05-05", ...none, bounced: 1 },
  ]);
  assert.equal((await days("?to=2026-03-04")).items.length, 2);
  assert.deepEqual((await days("?to=2026-03-01")).items, [{ date: "2026-03-01", ...none }]);
  assert.equal((await days("?to=2028-03-01&limit=500")).items.length, 400);
  const wrong: readonly (readonly [query: string, parameter: string])[] = [
    ["?from=2026-03-05&to=2026-03-04", "from"],
    ["?from=2026-02-30", "from"],
    ["?from=2024-01-01&to=2026-01-01", "from"],
    ["?from=2999-01-01", "from"],
  ];
  for (const [query, parameter] of wrong) {
    const problem = await problemOf(await api.send("GET", `${one}/events-per-day${query}`));
    assert.deepEqual([problem.status, problem.errors?.[0]?.parameter], [400, parameter], query);
  }
});

test("a campaign with more events than are counted says so, also per day and before its deletion", async () => {
  const { id } = await record({ sentAt: "2026-03-03T23:59:00Z" });
  const one = `${CAMPAIGNS}/${id}`;
  const event = { campaign: Number(id), event: "bounced" } as const;
  // The last one is of the second day.
  writeEvents(file, { ...event, count: MAX_EVENTS, at: Date.parse("2026-03-04") - MAX_EVENTS });
  const exact = { counts: { bounced: MAX_EVENTS, unsubscribed: 0, complained: 0 }, hasMoreEvents: false };
  const countedAt = async (path: string) => {
    const { counts, hasMoreEvents } = await readReply<typeof exact>(await api.send("GET", path));
    return { counts, hasMoreEvents };
  };
  const days = async () =>
    (await readReply<PageOf<object>>(await api.send("GET", `${one}/events-per-day?to=2026-03-05`))).items;
  const none = { bounced: 0, unsubscribed: 0, complained: 0 };
  const first = { date: "2026-03-03", ...none, bounced: MAX_EVENTS - 1, isComplete: true };
  const last = { date: "2026-03-05", ...none };
  assert.deepEqual(await countedAt(one), exact);
  assert.deepEqual(await days(), [
    first,
    { date: "2026-03-04", ...none, bounced: 1, isComplete: true },
    { ...last, isComplete: true },
  ]);
  for (const email of ["late@example.org", "later@example.org"]) {
    const body = { event: "bounced", email, at: "2026-03-04T10:00:00Z" };
    await readReply(await api.send("POST", `${one}/events`, { body }));
  }
  for (const path of [one, `${one}/deletion`])
    assert.deepEqual(await countedAt(path), { ...exact, hasMoreEvents: true }, path);
  assert.deepEqual(await days(), [
    first,
    { date: "2026-03-04", ...none, bounced: 1, isComplete: false },
    { ...last, isComplete: false },
  ]);
});

test("a page of campaigns is read with the results of each", async () => {
  const campaign = await record({ name: "Counted" });
  const event = { event: "unsubscribed", email: "f@example.org" };
  await readReply(await api.send("POST", `${CAMPAIGNS}/${campaign.id}/events`, { body: event }));
  const totals = await readReply<PageOf<object>>(
    await api.send("GET", "/accounts/1/statistics/campaigns?limit=1"),
  );
  assert.deepEqual(totals.items, [{ ...campaign, bounced: 0, unsubscribed: 1, complained: 0 }]);
  assert.equal((await api.send("GET", "/accounts/1/statistics/campaigns?limit=500")).status, 200);
});

test("every wrong value of a campaign is refused with a pointer to it", async () => {
  const cases: readonly (readonly [body: object, pointer: string, detail: RegExp])[] = [
    [{ name: "" }, "#/name", /1 to 100 characters/],
    [{ name: "a\u0007b" }, "#/name", /no control characters/],
    [{ listIds: [] }, "#/listIds", /fewer than 1/],
    [{ listIds: [1] }, "#/listIds/0", /must be string/],
    [{ listIds: ["x"] }, "#/listIds/0", /must match pattern/],
    [{ sentAt: "yesterday" }, "#/sentAt", /is not a time/],
    [{ sentAt: "2026-02-30T00:00:00Z" }, "#/sentAt", /is not a time/],
    [{ sentAt: "2016-12-31T23:59:60Z" }, "#/sentAt", /is not a time/],
    [{ sentAt: "2026-03-03T07:15:00" }, "#/sentAt", /is not a time/],
    [{ sentAt: 1_772_522_100_000 }, "#/sentAt", /must be string/],
    [{ sentAt: "9999-12-31T23:59:59-14:00" }, "#/sentAt", /is not a time/],
    [{ sentAt: "2999-01-01T00:00:00Z" }, "#/sentAt", /must not be in the future/],
    [{ createdAt: "2999-01-01T00:00:00Z" }, "#/createdAt", /must not be in the future/],
    [
      { createdAt: "2026-03-03T00:00:00Z", sentAt: "2026-03-02T00:00:00Z" },
      "#/sentAt",
      /must not be before the time of creation/,
    ],
    [{ sent: "2026-03-02T00:00:00Z" }, "#/sent", /is not known/],
  ];
  for (const [body, pointer, detail] of cases) {
    const sent = { name: "Spring", listIds: ["1"], ...body };
    const problem = await problemOf(await api.send("POST", CAMPAIGNS, { body: sent }));
    assert.equal(problem.status, 400, JSON.stringify(body));
    assert.equal(problem.errors?.[0]?.pointer, pointer, JSON.stringify(body));
    assert.match(problem.errors[0].detail, detail);
  }
});

test("a list that does not exist, or is of another account, is not found", async () => {
  for (const list of ["2", "99", "0", "-1", "9999999999999999999"]) {
    const response = await api.send("POST", CAMPAIGNS, { body: { name: "Spring", listIds: ["1", list] } });
    const { detail, errors } = await problemOf(response);
    assert.match(detail, /^There is no list /, list);
    assert.deepEqual(errors, [{ pointer: "#/listIds", detail: "does not exist" }]);
    assert.equal(response.status, 404);
  }
});

test("a campaign of another account is not found", async () => {
  const { id } = await record();
  const other = `/accounts/2/campaigns/${id}`;
  for (const [method, path, body] of [
    ["GET", other],
    ["PATCH", other, { name: "Mine" }],
    ["GET", `${other}/deletion`],
    ["DELETE", other],
    ["GET", `${other}/events?event=complained`],
    ["GET", `${other}/events-per-day`],
    ["POST", `${other}/events`, { event: "complained", email: "ada@example.org" }],
    ["POST", `${other}/events:batch`, { items: [{ event: "complained", email: "ada@example.org" }] }],
  ] as const) {
    const response = await api.send(method, path, body === undefined ? {} : { body });
    assert.equal((await problemOf(response)).status, 404, `${method} ${path}`);
  }
  assert.equal((await api.send("GET", `${CAMPAIGNS}/${id}`)).status, 200);
});

test("an editor may correct a campaign but not delete it, and a viewer only reads", async () => {
  const one = `${CAMPAIGNS}/${(await record()).id}`;
  const body = { name: "Summer" };
  assert.equal((await api.send("PATCH", one, { token: "editor", body })).status, 200);
  assert.equal((await api.send("PATCH", one, { token: "viewer", body })).status, 403);
  assert.equal((await api.send("GET", one, { token: "viewer" })).status, 200);
  assert.equal((await api.send("DELETE", one, { token: "editor" })).status, 403);
  assert.equal((await api.send("GET", `${one}/deletion`, { token: "editor" })).status, 403);
});

test("a change that expects an older version of the campaign is refused", async () => {
  const one = `${CAMPAIGNS}/${(await record()).id}`;
  const tag = (await api.send("GET", one)).headers.get("etag") ?? "";
  const change = (name: string) => api.send("PATCH", one, { body: { name }, headers: { "If-Match": tag } });
  const changed = await change("First");
  assert.equal(changed.status, 200);
  const version = (await api.send("GET", one)).headers.get("etag")?.split(".")[0];
  assert.equal(changed.headers.get("etag")?.split(".")[0], version);
  assert.equal((await problemOf(await change("Second"))).status, 412);
  const stale = { headers: { "If-Match": tag } };
  assert.equal((await problemOf(await api.send("DELETE", one, stale))).status, 412);
  assert.equal((await readReply<Campaign>(await api.send("GET", one))).name, "First");
});

test("a campaign is recorded once by requests with one Idempotency-Key", async () => {
  const headers = { "Idempotency-Key": "spring-campaign-1" };
  const body = { name: "Once", listIds: ["1"] };
  const first = await readReply(await api.send("POST", CAMPAIGNS, { body, headers }), 201);
  assert.deepEqual(await readReply(await api.send("POST", CAMPAIGNS, { body, headers }), 201), first);
  const { items } = await readReply<PageOf<Campaign>>(await api.send("GET", CAMPAIGNS));
  assert.equal(items.filter(({ name }) => name === "Once").length, 1);
});

test("a name of hostile text comes back as it was sent", async () => {
  for (const name of ["</script><script>alert(1)</script>", "'; DROP TABLE campaign; --", "Ñandú 😀 \u202e"])
    assert.equal((await record({ name })).name, name);
});
