/** API keys over the API. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hashKey } from "#domain/access/key.ts";
import { hostileText } from "../../fuzz/hostile-text.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { problemOf } from "./problem-of.ts";

let api: ApiServer;
before(async () => {
  api = await startApi();
  for (const name of ["Acme", "Other"]) await api.store.accounts.create({ name, at: 1 });
});
after(() => api.close());

const KEYS = "/accounts/1/keys";
interface Key {
  readonly id: string;
  readonly hint: string;
  readonly name: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly secret?: string | null;
}
const create = async (body: object): Promise<Key> => {
  const response = await api.send("POST", KEYS, { body });
  assert.equal(response.status, 201);
  return (await response.json()) as Key;
};
const read = async (path: string): Promise<unknown> => await (await api.send("GET", path)).json();

test("a key is created, shown without itself, listed and revoked", async () => {
  const { secret, ...made } = await create({ name: "Web shop", expiresAt: "2999-12-31T23:59:59.000Z" });
  assert.match(secret ?? "", /^[0-9A-F]{32}$/);
  assert.deepEqual(made, {
    ...made,
    hint: secret?.slice(0, 4),
    length: 32,
    name: "Web shop",
    scope: "full",
    expiresAt: "2999-12-31T23:59:59.000Z",
    revokedAt: null,
    lastUsedAt: null,
  });
  assert.ok(await api.store.keys.byHash({ hash: hashKey(secret ?? "") }), "it works");
  const one = `${KEYS}/${made.id}`;
  assert.deepEqual(await read(one), made);
  const page = (await read(KEYS)) as { readonly items: readonly Key[] };
  assert.deepEqual(page.items.at(-1), made);
  const revoked = (await (await api.send("POST", `${one}/revoke`)).json()) as Key;
  assert.ok(revoked.revokedAt !== null);
  assert.deepEqual(revoked, { ...made, revokedAt: revoked.revokedAt });
  const again = await api.send("POST", `${one}/revoke`);
  assert.deepEqual(await again.json(), revoked, "the first date stays");
});

test("an existing key is registered once, and not repeated", async () => {
  const body = { secret: " from-an-old-system ", scope: "read" };
  const { secret, hint, name } = await create(body);
  assert.deepEqual([secret, hint, name], [null, "FROM", null]);
  const again = await problemOf(await api.send("POST", KEYS, { body }));
  assert.deepEqual([again.status, again.errors?.[0]?.pointer], [409, "#/secret"]);
  const wrong = await api.send("POST", KEYS, { body: { secret: "tooshort\u00e9" } });
  const text = await wrong.text();
  assert.equal((JSON.parse(text) as { errors: { pointer: string }[] }).errors[0]?.pointer, "#/secret");
  assert.doesNotMatch(text, /tooshort/, "it may be a real key with a typo");
});

test("a key expires in the future", async () => {
  const cases: readonly (readonly [body: object, pointer: string, detail: RegExp])[] = [
    [{ expiresAt: "2020-01-01T00:00:00Z" }, "#/expiresAt", /must be in the future/],
    [{ expiresAt: "2998-12-31T23:59:60Z" }, "#/expiresAt", /is not a time/],
    [{ expiresAt: "2999-02-30T00:00:00Z" }, "#/expiresAt", /is not a time/],
    [{ expiresAt: "2999-01-01T00:00:00" }, "#/expiresAt", /is not a time/],
    [{ expiresAt: 4102444800000 }, "#/expiresAt", /must be string/],
    [{ scope: "write" }, "#/scope", /one of full, read/],
    [{ name: "a".repeat(101) }, "#/name", /1 to 100 characters/],
    [{ key: "x" }, "#/key", /is not known/],
  ];
  for (const [body, pointer, detail] of cases) {
    const problem = await problemOf(await api.send("POST", KEYS, { body }));
    assert.equal(problem.status, 400);
    assert.equal(problem.errors?.[0]?.pointer, pointer, JSON.stringify(body));
    assert.match(problem.errors[0].detail, detail);
  }
  assert.equal((await create({ expiresAt: null })).revokedAt, null);
});

test("a name is returned as it was given, whatever it contains", async () => {
  for (const text of hostileText.filter((one) => !/\p{Cc}/u.test(one))) {
    const name = text.trim().slice(0, 100);
    const { id } = await create({ name });
    assert.equal(((await read(`${KEYS}/${id}`)) as Key).name, name === "" ? null : name);
  }
});

test("another account's key, and one that does not exist, is 404", async () => {
  const { id } = await create({});
  for (const path of [`/accounts/2/keys/${id}`, `${KEYS}/999999`]) {
    assert.equal((await problemOf(await api.send("GET", path))).status, 404);
    assert.equal((await problemOf(await api.send("POST", `${path}/revoke`))).status, 404);
  }
  assert.equal(((await read(`${KEYS}/${id}`)) as Key).revokedAt, null);
});

test("the name of a key and when it expires are changed, each by itself", async () => {
  const made = await create({ name: "Shop", expiresAt: "2999-12-31T00:00:00.000Z" });
  const one = `${KEYS}/${made.id}`;
  const patch = async (body: object, headers: Readonly<Record<string, string>> = {}) =>
    await api.send("PATCH", one, { body, headers });
  const named = await patch({ name: "Till" });
  const { secret: _, ...shown } = { ...made, name: "Till" };
  assert.deepEqual(await named.json(), shown);
  const tag = named.headers.get("etag") ?? "";
  const expiresAt = "2998-01-01T00:00:00.000Z";
  const expiring = await patch({ expiresAt }, { "If-Match": tag });
  assert.deepEqual(await expiring.json(), { ...shown, expiresAt });
  assert.equal((await patch({ name: "Late" }, { "If-Match": tag })).status, 412);
  assert.deepEqual(await read(one), { ...shown, expiresAt });
  assert.deepEqual(await (await patch({})).json(), { ...shown, expiresAt });
  assert.deepEqual(await (await patch({ name: null, expiresAt: null })).json(), {
    ...shown,
    name: null,
    expiresAt: null,
  });
  for (const [body, pointer] of [
    [{ expiresAt: "2020-01-01T00:00:00Z" }, "#/expiresAt"],
    [{ name: "a".repeat(101) }, "#/name"],
    [{ scope: "read" }, "#/scope"],
  ] as const) {
    const problem = await problemOf(await patch(body));
    assert.deepEqual([problem.status, problem.errors?.[0]?.pointer], [400, pointer]);
  }
  const path = `/accounts/2/keys/${made.id}`;
  assert.equal((await problemOf(await api.send("PATCH", path, { body: { name: "X" } }))).status, 404);
});

test("an editor sees keys, and neither creates, changes nor revokes them", async () => {
  const { id } = await create({});
  const token = "editor";
  assert.equal((await api.send("GET", KEYS, { token })).status, 200);
  const changed = await api.send("PATCH", `${KEYS}/${id}`, { token, body: { name: "X" } });
  assert.equal((await problemOf(changed)).status, 403);
  for (const path of [KEYS, `${KEYS}/${id}/revoke`])
    assert.equal((await problemOf(await api.send("POST", path, { token, body: {} }))).status, 403);
});
