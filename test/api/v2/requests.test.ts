/** What every route of the API does with a request, shown with the routes of lists. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sendRequest } from "../../send-request.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { problemOf } from "./problem-of.ts";

let api: ApiServer;
before(async () => {
  api = await startApi();
  await api.store.accounts.create({ name: "Acme", at: 1 });
});
after(() => api.close());

const LISTS = "/accounts/1/lists";

test("a list is created, shown, renamed and deleted", async () => {
  const created = await api.send("POST", LISTS, { body: { name: "News" } });
  assert.equal(created.status, 201);
  const list = (await created.json()) as { readonly id: string; readonly createdAt: string };
  assert.equal(new Date(list.createdAt).toISOString(), list.createdAt);
  const one = `${LISTS}/${list.id}`;
  assert.deepEqual(await (await api.send("GET", one)).json(), { ...list, name: "News", memberCount: 0 });
  const renamed = await api.send("PATCH", one, { body: { name: "Monthly" } });
  assert.deepEqual(await renamed.json(), { ...list, name: "Monthly", memberCount: 0 });
  assert.equal((await api.send("DELETE", one)).status, 200);
  assert.equal((await problemOf(await api.send("GET", one))).status, 404);
});

test("every wrong body is refused with a pointer to the place", async () => {
  const cases: readonly (readonly [body: unknown, pointer: string, detail: RegExp])[] = [
    [{ name: 5 }, "#/name", /must be string/],
    [{ name: null }, "#/name", /must be string/],
    [{ name: ["News"] }, "#/name", /must be string/],
    [{}, "#/name", /is missing/],
    [{ name: "News", nmae: "x" }, "#/nmae", /is not known/],
    [{ name: "" }, "#/name", /must have 1 to/],
    [{ name: "News", id: 7 }, "#/id", /must be string/],
    [{ name: "News", id: "x" }, "#/id", /must match/],
    [{ name: "News", id: "2000000001" }, "#/id", /at most 2000000000/],
    [{ name: "News", id: "0" }, "#/id", /at least 1/],
    [{ name: "News", id: "-5" }, "#/id", /at least 1/],
    [[], "#", /must be object/],
    ["null", "#", /must be object/],
  ];
  for (const [body, pointer, detail] of cases) {
    const problem = await problemOf(await api.send("POST", LISTS, { token: "administrator", body }));
    assert.equal(problem.status, 400, JSON.stringify(body));
    assert.equal(problem.errors?.[0]?.pointer, pointer, JSON.stringify(body));
    assert.match(problem.errors[0].detail, detail);
  }
});

test("every wrong place is named, up to a hundred", async () => {
  const placesIn = async (path: string, body: unknown) =>
    (await problemOf(await api.send("POST", path, { body }))).errors?.map(({ pointer }) => pointer);
  assert.deepEqual(await placesIn("/accounts/1/fields", { nam: "a", type: 5 }), [
    "#/name",
    "#/nam",
    "#/type",
  ]);
  const items = Array.from({ length: 200 }, () => ({ action: "?" }));
  const batch = "/accounts/1/subscribers:batch";
  assert.equal((await placesIn(batch, { items }))?.length, 100);
  assert.equal((await placesIn(batch, { items: Array(50_000).fill(0) }))?.length, 1, "a list takes too long");
});

test("a member that is there twice in one object is refused, however it is written", async () => {
  for (const [body, isRefused] of [
    ['{"name":"a","name":"b"}', true],
    ['{"name":"a","n\\u0061me" : "b"}', true],
    ['{"name":"a","id":null,"x":{"y":{},"z":1,"y":[]}}', true],
    ['{"name":"x","id":"77"}', false],
  ] as const) {
    const response = await api.send("POST", LISTS, { token: "administrator", body });
    if (isRefused) assert.match((await problemOf(response)).detail, /twice in the same object, at character/);
    else assert.equal(response.status, 201);
  }
  const items = [
    { action: "unsubscribe", email: "a@example.org" },
    { action: "unsubscribe", id: "1" },
  ];
  assert.equal((await api.send("POST", "/accounts/1/subscribers:batch", { body: { items } })).status, 200);
});

test("an object with very many members is refused", async () => {
  const members = Array.from({ length: 1001 }, (_, n) => `"a${n}":0`);
  const { detail } = await problemOf(await api.send("POST", LISTS, { body: `{${members.join()}}` }));
  assert.match(detail, /more than 1000 members/);
});

test("an id that is too long is named as it was given", async () => {
  const id = "9999999999999999999";
  const field = await problemOf(await api.send("GET", `/accounts/1/fields/${id}`));
  assert.deepEqual([field.status, field.detail], [404, `There is no field ${id}.`]);
  const body = { name: "Spring", listIds: [id] };
  assert.match(
    (await problemOf(await api.send("POST", "/accounts/1/campaigns", { body }))).detail,
    /list 9{19}/,
  );
});

test("a reply of more than 1 KiB is compressed, unless it has a secret or the client does not take gzip", async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      api.send("POST", LISTS, { body: { name: `L${n}`.padEnd(90, "x") } }),
    ),
  );
  const encodingOf = async (path: string, accepted: string, method = "GET", body?: object) => {
    // `fetch` decompresses.
    const response = await fetch(new URL(path.slice(1), api.address), {
      method,
      headers: {
        Authorization: "Bearer administrator",
        "Accept-Encoding": accepted,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const shown = await response.text();
    assert.ok(response.ok, shown);
    return [response.headers.get("content-encoding"), response.headers.get("vary"), shown] as const;
  };
  const [, , plain] = await encodingOf(LISTS, "identity");
  for (const [accepted, encoding] of [
    ["gzip", "gzip"],
    ["br;q=1.0, GZIP;q=0.5", "gzip"],
    ["*", "gzip"],
    ["gzip;q=0, *", null],
    ["br", null],
  ] as const)
    assert.deepEqual(await encodingOf(LISTS, accepted), [encoding, "Accept-Encoding", plain], accepted);
  for (let limit = 1; limit <= 10; limit += 1) {
    const path = `${LISTS}?limit=${limit}`;
    const [, , text] = await encodingOf(path, "identity");
    const expected = Buffer.byteLength(text) > 1024 ? "gzip" : null;
    assert.equal((await encodingOf(path, "gzip"))[0], expected, `${text.length}`);
  }
  assert.equal((await encodingOf(`${LISTS}/77/export`, "gzip"))[0], "gzip", "a stream");
  const headers = { "Accept-Encoding": "gzip" };
  const long = await api.send("POST", "/accounts/1/campaigns:compose", {
    body: { name: "Long", text: "word ".repeat(500) },
    headers,
  });
  assert.match(`${long.status} ${long.headers.get("etag")}`, /^201 W\/"/, "other bytes of the same version");
  const name = "k".repeat(100);
  const [secret, vary] = await encodingOf("/accounts/1/keys", "gzip", "POST", { name });
  assert.deepEqual([secret, vary], [null, null]);
});

test("a route that takes no body refuses one with members", async () => {
  const list = (await (await api.send("POST", LISTS, { body: { name: "Kept" } })).json()) as { id: string };
  const sent = [
    ["DELETE", `${LISTS}/${list.id}`, { force: true }],
    ["DELETE", `${LISTS}/${list.id}`, [1]],
    ["DELETE", `${LISTS}/${list.id}`, "5"],
    ["POST", "/accounts/1/subscribers/7/erase", { reason: "asked by mail" }],
  ] as const;
  for (const [method, path, body] of sent) {
    const problem = await problemOf(await api.send(method, path, { body }));
    assert.equal(problem.status, 400, JSON.stringify(body));
    assert.equal(problem.errors?.[0]?.pointer, "#");
    assert.match(problem.detail, /^The body must be empty/);
  }
  const read = async (body: string): Promise<number> => {
    const headers = {
      Authorization: "Bearer owner",
      "Content-Type": "application/json",
      "Content-Length": String(body.length),
    };
    const url = new URL(`accounts/1/lists/${list.id}`, api.address).href;
    return (await sendRequest(url, { method: "GET", headers, body })).status;
  };
  assert.equal(await read(JSON.stringify({ name: "Kept" })), 400);
  assert.equal(await read("{}"), 200);
  assert.equal((await api.send("DELETE", `${LISTS}/${list.id}`, { body: {} })).status, 200);
});

test("a text that no database can store is refused", async () => {
  for (const name of ["a\\u0000b", "a\\ud800b", "a\\uDC00b"])
    assert.equal(
      (await problemOf(await api.send("POST", LISTS, { body: `{"name":"${name}"}` }))).status,
      400,
    );
  const pair = await api.send("POST", LISTS, { body: '{"name":"\\ud83d\\ude00"}' });
  assert.equal(((await pair.json()) as { name: string }).name, "😀");
});

test("a body that is not JSON, or has another type, is refused", async () => {
  assert.equal((await problemOf(await api.send("POST", LISTS, { body: "{" }))).status, 400);
  assert.equal((await problemOf(await api.send("POST", LISTS))).status, 400);
  const headers = { "Content-Type": "text/plain" };
  assert.equal((await problemOf(await api.send("POST", LISTS, { body: "{}", headers }))).status, 415);
});

test("parameters of the URL are converted, and wrong ones are named", async () => {
  assert.equal((await api.send("GET", `${LISTS}?limit=5`)).status, 200);
  for (const [query, parameter] of [
    ["limit=501", "limit"],
    ["limit=0", "limit"],
    ["limit=x", "limit"],
    ["limt=5", "limt"],
    ["after=zzz", "after"],
    ["before=zzz", "before"],
    ["after=zzz&before=zzz", "after"],
  ] as const) {
    const problem = await problemOf(await api.send("GET", `${LISTS}?${query}`));
    assert.equal(problem.status, 400, query);
    assert.equal(problem.errors?.[0]?.parameter, parameter, query);
  }
  for (const path of ["/accounts/1", "/me"]) {
    const problem = await problemOf(await api.send("GET", `${path}?limit=5`));
    assert.deepEqual([problem.status, problem.errors?.[0]?.parameter], [400, "limit"], path);
  }
  assert.equal(
    (await problemOf(await api.send("GET", "/accounts/x/lists"))).errors?.[0]?.parameter,
    "account",
  );
});

test("pages follow each other in both directions", async () => {
  for (let number = 1; number <= 5; number += 1)
    assert.equal((await api.send("POST", LISTS, { body: { name: `List ${number}` } })).status, 201);
  interface Page {
    readonly items: readonly { readonly id: string }[];
    readonly next: string | null;
    readonly previous: string | null;
  }
  const read = async (query: string): Promise<Page> =>
    (await (await api.send("GET", `${LISTS}?limit=2${query}`)).json()) as Page;
  const first = await read("");
  const second = await read(`&after=${first.next}`);
  assert.equal(first.previous, null);
  const back = await read(`&before=${second.previous}`);
  assert.deepEqual(back.items, first.items);
  assert.equal(back.previous, null);
  const ids = [...first.items, ...second.items].map(({ id }) => Number(id));
  assert.deepEqual(
    ids,
    [...ids].sort((a, b) => a - b),
  );
  assert.equal(new Set(ids).size, 4);
});

test("without a valid token nothing is done, and the body is not parsed", async () => {
  const response = await api.send("POST", LISTS, { token: null, body: "{" });
  assert.equal(response.headers.get("www-authenticate"), "Bearer");
  assert.equal((await problemOf(response)).status, 401);
});

test("the body of a log-in, which anybody may send, is short", async () => {
  const body = { email: "ada@example.org", password: "x".repeat(5000) };
  assert.equal((await problemOf(await api.send("POST", "/log-in", { token: null, body }))).status, 413);
});

test("a lesser role is refused", async () => {
  const lesser = await api.send("POST", LISTS, { token: "viewer", body: { name: "x" } });
  assert.match((await problemOf(lesser)).detail, /needs the role editor; yours is viewer/);
  assert.equal(lesser.status, 403);
});

test("an administrator gets 404 for an account that does not exist", async () => {
  const response = await api.send("GET", "/accounts/7/lists", { token: "administrator" });
  assert.match((await problemOf(response)).detail, /no account 7/);
});

test("a method that a path does not take is 405 with those that it takes, and an unknown path 404", async () => {
  const wrong = await api.send("PUT", LISTS);
  assert.equal(wrong.headers.get("allow"), "GET, HEAD, POST");
  assert.equal((await problemOf(wrong)).status, 405);
  assert.equal((await api.send("PUT", `${LISTS}/`)).headers.get("allow"), "GET, HEAD, POST");
  const slash = await problemOf(await api.send("GET", `${LISTS}/`));
  assert.deepEqual([slash.status, /leave out the last slash/.test(slash.detail)], [404, true]);
  for (const path of ["/nothing", "/accounts/1/lists/1/x", "/accounts/1/x"])
    assert.equal((await problemOf(await api.send("GET", path))).status, 404, path);
});

test("no reply may be stored by a cache, and none allows another origin", async () => {
  for (const response of [
    await api.send("GET", LISTS, { headers: { Origin: "https://example.org" } }),
    await api.send("GET", "/nothing"),
    await api.send("GET", LISTS, { token: null }),
  ]) {
    assert.equal(response.headers.get("cache-control"), "private, no-store");
    assert.equal(response.headers.get("access-control-allow-origin"), null);
    await response.text();
  }
});
