/** API keys over the API. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hashKey } from "../../../src/domain/key.ts";
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
  readonly label: string;
  readonly revokedAt: string | null;
  readonly key?: string | null;
}
const create = async (body: object): Promise<Key> => {
  const response = await api.send("POST", KEYS, { body });
  assert.equal(response.status, 201);
  return (await response.json()) as Key;
};
const read = async (path: string): Promise<unknown> => await (await api.send("GET", path)).json();

test("a key is created, shown without itself, listed and revoked", async () => {
  const { key, ...made } = await create({ label: "Web shop", expiresAt: "2999-12-31T23:59:59.000Z" });
  assert.match(key ?? "", /^[0-9A-F]{32}$/);
  assert.deepEqual(made, {
    ...made,
    hint: key?.slice(0, 4),
    length: 32,
    label: "Web shop",
    scope: "full",
    expiresAt: "2999-12-31T23:59:59.000Z",
    revokedAt: null,
    lastUsedAt: null,
  });
  assert.ok(await api.store.keys.byHash({ hash: hashKey(key ?? "") }), "it works");
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
  const body = { key: " from-an-old-system ", scope: "read" };
  const { key, hint } = await create(body);
  assert.deepEqual([key, hint], [null, "FROM"]);
  const again = await problemOf(await api.send("POST", KEYS, { body }));
  assert.equal(again.status, 409);
  const wrong = await api.send("POST", KEYS, { body: { key: "tooshort\u00e9" } });
  const text = await wrong.text();
  assert.equal((JSON.parse(text) as { errors: { pointer: string }[] }).errors[0]?.pointer, "#/key");
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
    [{ label: "a".repeat(101) }, "#/label", /1 to 100 characters/],
    [{ secret: "x" }, "#/secret", /is not known/],
  ];
  for (const [body, pointer, detail] of cases) {
    const problem = await problemOf(await api.send("POST", KEYS, { body }));
    assert.equal(problem.status, 400);
    assert.equal(problem.errors?.[0]?.pointer, pointer, JSON.stringify(body));
    assert.match(problem.errors[0].detail, detail);
  }
  assert.equal((await create({ expiresAt: null })).revokedAt, null);
});

test("a label is returned as it was given, whatever it contains", async () => {
  for (const text of hostileText.filter((one) => !/\p{Cc}/u.test(one))) {
    const label = text.trim().slice(0, 100);
    const { id } = await create({ label });
    assert.equal(((await read(`${KEYS}/${id}`)) as Key).label, label);
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

test("an editor sees keys, and neither creates nor revokes them", async () => {
  const { id } = await create({});
  const token = "editor";
  assert.equal((await api.send("GET", KEYS, { token })).status, 200);
  for (const path of [KEYS, `${KEYS}/${id}/revoke`])
    assert.equal((await problemOf(await api.send("POST", path, { token, body: {} }))).status, 403);
});
