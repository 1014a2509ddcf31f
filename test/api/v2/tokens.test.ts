/** Tokens of users and API keys of integrations: neither is good for what the other is for. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hashToken, newToken } from "#domain/access/session.ts";
import type { Role } from "#domain/access/user.ts";
import { sendRequest } from "../../send-request.ts";
import { call, KEY, type Service, startService } from "../../service.ts";
import { addressOf } from "../../store/actor.ts";

const ACCOUNT = 1;
let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.close());

let number = 0;
async function newUser(role: "viewer" | "editor" | "owner", most: Role = "administrator") {
  number += 1;
  const { users } = service.store;
  const user = await users.create({
    address: addressOf(`user${number}@example.org`),
    name: "",
    isAdministrator: false,
    role: { account: ACCOUNT, role },
    at: Date.now(),
  });
  assert.ok(typeof user === "object");
  const secret = newToken();
  const given = { user: user.id, name: "t", role: most, isLogIn: false, expiresAt: null, at: Date.now() };
  const token = await users.createToken({ ...given, hash: hashToken(secret) });
  assert.ok(token);
  return { user, token, secret };
}
const get = (path: string, secret: string) =>
  sendRequest(`${service.origin}${path}`, { headers: { Authorization: `Bearer ${secret}` } });
const createList = (secret: string) =>
  sendRequest(`${service.origin}/api/v2/accounts/${ACCOUNT}/lists`, {
    method: "POST",
    headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "News" }),
  });
const LISTS = `/api/v2/accounts/${ACCOUNT}/lists`;

test("a token reaches the API with the role of its user, and of itself", async () => {
  const [viewer, limited, editor] = [
    await newUser("viewer"),
    await newUser("owner", "viewer"),
    await newUser("editor"),
  ];
  for (const { secret } of [viewer, limited, editor]) assert.equal((await get(LISTS, secret)).status, 200);
  for (const { secret } of [viewer, limited]) assert.equal((await createList(secret)).status, 403);
  assert.equal((await createList(editor.secret)).status, 201);
  assert.equal((await get("/api/v2/accounts/2/lists", editor.secret)).status, 403);
  const { rows } = await service.store.audit.all.page(
    { account: ACCOUNT, action: "list.create", since: null },
    { after: null, limit: 1 },
  );
  assert.deepEqual(rows[0]?.actor, { kind: "user", name: String(editor.user.id) });
  assert.match(rows[0].from ?? "", /127\.0\.0\.1|::/);
});

test("a token that is revoked, or whose user is disabled, does not reach the API with the next request", async () => {
  const { users } = service.store;
  const [revoked, disabled] = [await newUser("viewer"), await newUser("viewer")];
  await users.revokeToken({ user: revoked.user.id, id: revoked.token.id, at: Date.now() });
  const settings = { disabledAt: Date.now() };
  await users.set({ id: disabled.user.id, within: null, settings, keepsAdministrator: false });
  for (const { secret } of [revoked, disabled]) assert.equal((await get(LISTS, secret)).status, 401);
});

test("an API key does not reach the API, and a token reaches neither SOAP nor the field collection", async () => {
  assert.equal((await get(LISTS, KEY)).status, 401);
  assert.equal((await get("/api/v1/fields", KEY)).status, 200);
  const { secret } = await newUser("owner");
  assert.equal((await get("/api/v1/fields", secret)).status, 401);
  for (const given of [secret, secret.toUpperCase()]) {
    const { result } = await call(service, "Client.TestApiConnection", `<APIKey>${given}</APIKey>`);
    assert.equal(result, "false");
  }
});

test("when a token was last used is written to the database", async () => {
  const first = await startService();
  const { users } = first.store;
  const made = await users.create({
    address: addressOf("ada@example.org"),
    ...{ name: "", isAdministrator: true, role: null, at: 1 },
  });
  assert.ok(typeof made === "object");
  const secret = newToken();
  const token = { user: made.id, name: "t", role: "viewer", isLogIn: false, expiresAt: null, at: 1 } as const;
  await users.createToken({ ...token, hash: hashToken(secret) });
  await sendRequest(`${first.origin}${LISTS}`, { headers: { Authorization: `Bearer ${secret}` } });
  await first.stop();
  const again = await startService({ database: `sqlite:${first.folder}/m.db` });
  const [used] = await again.store.users.tokens({ user: made.id });
  await again.close();
  await first.close();
  assert.ok((used?.lastUsedAt ?? 0) > 1);
});
