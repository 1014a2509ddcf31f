/** Numbers per day over the API. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { dayOf } from "#domain/calendar.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { actor } from "../../store/actor.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { problemOf } from "./problem-of.ts";
import { type PageOf, readReply } from "./read-reply.ts";

const SEEN = Date.UTC(2026, 10, 14, 9, 30);
const DAY = dayOf(SEEN);
const HOSTILE = `"><script>alert(1)</script>'; DROP TABLE list; --`;
const RANGE = "from=2026-11-13&to=2026-11-14";
const php = { key: 1, program: "PHP-SOAP 7.4" };

let api: ApiServer;
before(async () => {
  api = await startApi(undefined, (at) => SqliteStore.open(at, { days: 90, rows: 1000, bytes: 2 ** 28 }));
  const { store } = api;
  for (const name of ["Acme", "Other"]) await store.accounts.create({ name, at: 1 });
  for (const name of ["News", HOSTILE]) await store.lists.create({ account: 1, name, at: 1 });
  await store.lists.create({ account: 2, name: "Foreign", at: 1 });
  for (const [index, account] of [1, 1, 2].entries())
    await store.keys.create({
      account,
      label: `Key ${index}`,
      scope: "full",
      expiresAt: null,
      hash: Buffer.alloc(32, index),
      hint: "0123",
      length: 32,
      at: 1,
    });
  const acme = actor(store, 1);
  for (const name of ["ada", "bob", "eve"]) await acme.add(1, `${name}@example.org`, SEEN);
  await acme.remove(1, "eve@example.org", SEEN);
  await acme.unsubscribe("bob@example.org", SEEN);
  await store.statistics.addCalls({
    calls: [
      { ...php, day: DAY, calls: 1200, refusals: 3, faults: 1 },
      { ...php, day: DAY - 1, calls: 10, refusals: 0, faults: 0 },
      { key: 2, program: HOSTILE, day: DAY, calls: 2, refusals: 0, faults: 2 },
      { key: 3, program: "curl 8.1", day: DAY, calls: 5, refusals: 0, faults: 0 },
    ],
    quirks: [
      { ...php, quirk: "wsdl-every-call", seenAt: SEEN },
      { ...php, quirk: "http-1.0", seenAt: SEEN },
      { ...php, quirk: "charset-mismatch", seenAt: SEEN },
    ],
  });
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

const get = (path: string, account = 1) =>
  api.send("GET", `/accounts/${account}/statistics/${path}`, { token: `viewer@${account}` });
const read = async <Reply>(path: string): Promise<Reply> => await readReply<Reply>(await get(path));

test("a viewer reads per day who joined and left, and how many were active, in an account or a list", async () => {
  assert.deepEqual(await read(`subscribers?${RANGE}`), {
    items: [
      { date: "2026-11-13", joined: 0, left: 0, active: 0 },
      { date: "2026-11-14", joined: 3, left: 1, active: 2 },
    ],
    next: null,
    previous: null,
  });
  assert.deepEqual(await read("subscribers?listId=1&from=2026-11-14&to=2026-11-14"), {
    items: [{ date: "2026-11-14", joined: 3, left: 2, active: 1 }],
    next: null,
    previous: null,
  });
});

test("without a first day, the range is the 30 days up to the last one", async () => {
  const { items } = await read<{ readonly items: readonly object[] }>("subscribers?to=2026-11-14");
  assert.equal(items.length, 30);
  assert.deepEqual(items[0], { date: "2026-10-16", joined: 0, left: 0, active: 0 });
});

test("lists are compared page by page, in both directions", async () => {
  interface List {
    readonly id: string;
  }
  const first = await read<PageOf<List>>(`lists?${RANGE}&limit=1`);
  assert.deepEqual(first.items, [{ id: "1", name: "News", joined: 3, left: 2, members: 1 }]);
  assert.equal(first.previous, null);
  const second = await read<PageOf<List>>(`lists?${RANGE}&limit=1&after=${first.next}`);
  assert.deepEqual(second.items, [{ id: "2", name: HOSTILE, joined: 0, left: 0, members: 0 }]);
  assert.equal(second.next, null);
  const back = await read<PageOf<List>>(`lists?${RANGE}&limit=1&before=${second.previous}`);
  assert.deepEqual(back.items, first.items);
});

test("calls are counted by key, day and program, page by page", async () => {
  interface Call {
    readonly date: string;
  }
  const first = await read<PageOf<Call>>(`calls?${RANGE}&limit=2`);
  assert.deepEqual(first.items, [
    { keyId: "1", date: "2026-11-13", program: "PHP-SOAP 7.4", calls: 10, refusals: 0, faults: 0 },
    { keyId: "1", date: "2026-11-14", program: "PHP-SOAP 7.4", calls: 1200, refusals: 3, faults: 1 },
  ]);
  const second = await read<PageOf<Call>>(`calls?${RANGE}&limit=2&after=${first.next}`);
  assert.deepEqual(second.items, [
    { keyId: "2", date: "2026-11-14", program: HOSTILE, calls: 2, refusals: 0, faults: 2 },
  ]);
  assert.deepEqual((await read<PageOf<Call>>(`calls?${RANGE}&keyId=2`)).items, second.items);
});

test("programs come with their calls of all days, the most first, and what was observed of them", async () => {
  const most = { keyId: "1", program: "PHP-SOAP 7.4", calls: 1210, refusals: 3, faults: 1 };
  assert.deepEqual(await read(`top-programs?${RANGE}&limit=1`), {
    programs: [{ ...most, lastDate: "2026-11-14" }],
    hasMore: true,
    quirks: ["charsetMismatch", "http10", "wsdlEveryCall"].map((quirk) => ({
      keyId: "1",
      quirk,
      program: "PHP-SOAP 7.4",
      lastSeenAt: new Date(SEEN).toISOString(),
    })),
  });
  assert.deepEqual(await read("top-programs?keyId=2&to=2020-01-01"), {
    programs: [],
    hasMore: false,
    quirks: [],
  });
});

test("each key comes with its calls of every day, its programs and what was observed of them", async () => {
  const quiet = { calls: 0, refusals: 0, faults: 0 };
  const first = await read<PageOf<object>>(`keys?from=2026-11-12&to=2026-11-14&limit=1`);
  assert.deepEqual(first.items, [
    {
      keyId: "1",
      name: "Key 0",
      total: { calls: 1210, refusals: 3, faults: 1 },
      days: [
        { date: "2026-11-12", ...quiet },
        { date: "2026-11-13", ...quiet, calls: 10 },
        { date: "2026-11-14", calls: 1200, refusals: 3, faults: 1 },
      ],
      programs: [{ program: "PHP-SOAP 7.4", calls: 1210, refusals: 3, faults: 1, lastDate: "2026-11-14" }],
      programCount: 1,
      quirks: ["charsetMismatch", "http10", "wsdlEveryCall"].map((quirk) => ({
        quirk,
        program: "PHP-SOAP 7.4",
        lastSeenAt: new Date(SEEN).toISOString(),
      })),
    },
  ]);
  const second = await read<PageOf<object>>(`keys?from=2026-11-12&to=2026-11-14&limit=1&after=${first.next}`);
  assert.partialDeepStrictEqual(second.items, [{ keyId: "2", total: { ...quiet, calls: 2, faults: 2 } }]);
  assert.equal(second.next, null);
  const one = await read<PageOf<object>>(`keys?keyId=2&to=2020-01-01`);
  assert.partialDeepStrictEqual(one.items, [{ keyId: "2", total: quiet, programs: [], quirks: [] }]);
});

const wrong: readonly (readonly [path: string, parameter: string, detail: RegExp])[] = [
  ["lists?from=yesterday", "from", /^is not a date such as 2026-11-01$/],
  ["calls?to=2026-02-30", "to", /^is not a date such as 2026-11-01$/],
  ["top-programs?from=0000-01-01&to=0000-01-02", "to", /^is not a date/],
  ["subscribers?from=2026-02-02&to=2026-02-01", "from", /^must not be after the last day, 2026-02-01$/],
  ["subscribers?from=2020-01-01&to=2026-02-01", "from", /^is too early: at most 400 days/],
  ["keys?from=2026-01-01&to=2026-11-14", "from", /^is too early: at most 100 days/],
  ["keys?limit=501", "limit", /^must be <= 500$/],
  ["lists?limit=501", "limit", /^must be <= 500$/],
  ["top-programs?limit=0", "limit", /^must be >= 1$/],
  ["calls?after=MQ", "after", /^is not a cursor/],
  ["calls?keyId=x", "keyId", /pattern/],
  ["top-programs?after=MQ", "after", /^is not known$/],
];
for (const [path, parameter, detail] of wrong)
  test(`${path} is refused, with the parameter that is wrong`, async () => {
    const response = await get(path);
    assert.equal(response.status, 400);
    const [error] = (await problemOf(response)).errors ?? [];
    assert.equal(error?.parameter, parameter);
    assert.match(error.detail, detail);
  });

test("the programs of very many keys over many days are not added up", async () => {
  const { id: account } = await api.store.accounts.create({ name: "Many keys", at: 1 });
  const key = {
    account,
    label: "",
    scope: "full",
    expiresAt: null,
    hint: "0123",
    length: 32,
    at: 1,
  } as const;
  // With 400 days, 25 keys are the most.
  for (let nth = 0; nth < 26; nth += 1)
    await api.store.keys.create({ ...key, hash: Buffer.from(`key ${nth}`.padEnd(32)) });
  const refused = await get("top-programs?from=2025-10-11&to=2026-11-14", account);
  assert.equal(refused.status, 400);
  const [error] = (await problemOf(refused)).errors ?? [];
  assert.equal(error?.parameter, "from");
  assert.match(error.detail, /^is too early: the calls of more than 25 keys/);
  for (const query of ["from=2025-10-12&to=2026-10-30", "from=2025-10-11&to=2026-11-14&keyId=4"])
    assert.equal((await get(`top-programs?${query}`, account)).status, 200, query);
});

test("a cursor of one listing is none of another", async () => {
  const { next } = await read<PageOf<object>>(`lists?${RANGE}&limit=1`);
  assert.equal((await get(`calls?${RANGE}&after=${next}`)).status, 400);
});

test("a list or key of another account, or of none, is not found", async () => {
  for (const path of [
    "subscribers?listId=3",
    "subscribers?listId=9223372036854775807",
    "calls?keyId=3",
    "top-programs?keyId=99",
    "keys?keyId=3",
  ]) {
    const response = await get(path);
    assert.equal(response.status, 404, path);
    await problemOf(response);
  }
});

test("somebody without a role in the account reads none of its numbers", async () => {
  for (const path of ["subscribers", "lists", "calls", "top-programs", "keys"]) {
    const response = await api.send("GET", `/accounts/1/statistics/${path}`, { token: "owner@2" });
    assert.equal(response.status, 403, path);
  }
});

test("subscribers are counted by state, each account for itself", async () => {
  const counted = async (account: number) =>
    (await readReply(await api.send("GET", `/accounts/${account}/statistics/states`))) as object;
  const none = { active: 0, blocked: 0, bounced: 0, complained: 0, unsubscribed: 0 };
  assert.deepEqual(await counted(1), { counts: { ...none, active: 2, unsubscribed: 1 } });
  assert.deepEqual(await counted(2), { counts: none });
});
