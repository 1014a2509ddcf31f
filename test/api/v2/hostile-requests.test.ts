/** Requests that are made to break something get a clear problem, and nothing worse happens. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MAX_LEVELS, MAX_VALUES } from "#http/body/parse-json.ts";
import { startService } from "../../service.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { problemOf } from "./problem-of.ts";

let api: ApiServer;
before(async () => {
  api = await startApi();
  await api.store.accounts.create({ name: "Acme", at: 1 });
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

const LISTS = "/accounts/1/lists";
const BATCH = "/accounts/1/subscribers:batch";
const nested = (levels: number, inner = ""): string => `${"[".repeat(levels)}${inner}${"]".repeat(levels)}`;

test("a body with too many levels is refused before it is parsed, whatever is in it", async () => {
  for (const [path, levels, inner] of [
    [LISTS, 5000, '"\\u0000"'],
    [LISTS, 30_000, ""],
    [BATCH, 2_000_000, '"\\ud800"'],
  ] as const) {
    const body = `{"name": "\\\\\\"[[", "items": ${nested(levels, inner)}}`;
    const problem = await problemOf(await api.send("POST", path, { body }));
    assert.equal(problem.status, 400);
    assert.match(problem.detail, new RegExp(`deeper than ${MAX_LEVELS} levels, at character \\d+\\.`));
  }
});

test("brackets and commas in a text are not levels and values", async () => {
  const name = '"[{\\","[{\\'.repeat(10);
  const created = await api.send("POST", LISTS, { body: { name } });
  assert.equal(((await created.json()) as { readonly name: string }).name, name);
});

test("a body with too many values is refused before it is parsed", async () => {
  const body = { items: Array(MAX_VALUES + 1).fill(1) };
  const problem = await problemOf(await api.send("POST", BATCH, { body }));
  assert.equal(problem.status, 400);
  assert.match(problem.detail, /more than 100000 values\. Send it in several requests\./);
});

test("a token whose role is too little gets 403 before the body is read, whatever is in it", async () => {
  for (const path of [BATCH, LISTS, "/accounts", "/users"])
    for (const body of ["{", `{"name": ${nested(5000)}}`, '{"unknown": 1}']) {
      const problem = await problemOf(await api.send("POST", path, { token: "viewer", body }));
      assert.equal(problem.status, 403, `${path} ${problem.detail}`);
    }
});

test("a token of a lesser role, of an administrator, gets 404 for an account that does not exist", async () => {
  for (const [method, path, body] of [
    ["GET", "/accounts/7/lists", undefined],
    ["POST", "/accounts/7/lists", { name: "x" }],
    ["POST", "/accounts/7/subscribers:export", { email: "ada@example.org" }],
  ] as const) {
    const response = await api.send(method, path, { token: "owner", body });
    assert.match((await problemOf(response)).detail, /no account 7/, path);
  }
});

test("every method that a path does not take is 405", async () => {
  for (const method of ["OPTIONS", "DELETE", "PATCH"]) {
    const response = await api.send(method, LISTS);
    assert.equal(response.headers.get("allow"), "GET, HEAD, POST");
    assert.equal((await problemOf(response)).status, 405, method);
  }
  for (const path of [`${LISTS}/1/export`, "/log-in", BATCH])
    assert.equal((await api.send("HEAD", path)).status, 405, path);
});

test("a pointer to a member is escaped, and a value that may be null has one error", async () => {
  const unknown = await problemOf(await api.send("POST", LISTS, { body: { name: "x", "a/b~c": 1 } }));
  assert.equal(unknown.errors?.[0]?.pointer, "#/a~1b~0c");
  const body = { name: "t", expiresAt: "tomorrow" };
  const time = await problemOf(await api.send("POST", "/me/tokens", { body }));
  assert.deepEqual(time.errors, [
    { pointer: "#/expiresAt", detail: "is not a time such as 2026-11-01T09:30:00Z" },
  ]);
});

test("a token that is not valid is named as the reason", async () => {
  const { detail } = await problemOf(
    await api.send("GET", LISTS, { token: null, headers: { Authorization: "Bearer 0123456789ABCDEF" } }),
  );
  assert.match(detail, /unknown, expired or revoked.*An API key is not a token/);
});

test("a client that sends far more than a route takes still reads the reply", async () => {
  const body = JSON.stringify({ name: "x".repeat(3 * 1024 ** 2) });
  for (const path of [LISTS, "/log-in"])
    assert.equal((await problemOf(await api.send("POST", path, { body }))).status, 413, path);
});

test("below a path prefix both OpenAPI documents describe the same addresses", async (t) => {
  const service = await startService({ "base-url": "http://localhost:1/mail" });
  t.after(() => service.close());
  const read = async (path: string): Promise<{ readonly servers: unknown; readonly paths: object }> =>
    (await (await fetch(`${service.origin}${path}/openapi.json`)).json()) as never;
  const [plain, prefixed] = [await read("/api/v2"), await read("/mail/api/v2")];
  assert.deepEqual(plain.servers, [{ url: "/mail/api/v2" }]);
  assert.deepEqual(plain, prefixed);
  assert.ok("/accounts/{account}/lists" in plain.paths);
});
