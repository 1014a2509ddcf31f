/** Sessions and sign-in links of other users, over the API: for owners and administrators. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hashSecret, newSecret, SESSION_MS } from "#domain/access/session.ts";
import { startUserService, type UserService } from "./user-service.ts";

let service: UserService;
before(async () => {
  service = await startUserService();
});
after(() => service.close());

let made = 0;
/** In the account 1, with a session. */
async function newUser(role: "viewer" | null = "viewer") {
  made += 1;
  const { id, token } = await service.newUser(`person${made}@example.org`, role);
  const at = Date.now();
  const session = await service.store.sessions.create({
    ...{ user: id, hash: hashSecret(newSecret()), client: "192.0.2.7", program: "Firefox" },
    ...{ at, expiresAt: at + SESSION_MS },
  });
  return { id, token, session: session.id };
}

test("an owner lists and ends the sessions of a user of the account", async () => {
  const { send, owner } = service;
  const { id, session } = await newUser();
  const path = `/accounts/1/users/${id}/sessions`;
  const { items } = (await send(owner, "GET", path)).json as { items: readonly Record<string, unknown>[] };
  assert.deepEqual(
    items.map(({ id: one, program, clientAddress }) => [one, program, clientAddress]),
    [[String(session), "Firefox", "192.0.2.7"]],
  );
  assert.equal((await send(owner, "POST", `${path}/${session}/end`)).status, 204);
  assert.equal((await send(owner, "POST", `${path}/${session}/end`)).status, 404);
  assert.deepEqual((await send(owner, "GET", path)).json.items, []);
});

test("an owner neither sees sessions nor makes links of administrators and of users with a role elsewhere", async () => {
  const { send, owner, administrator, store } = service;
  const boss = await newUser(null);
  const elsewhere = await newUser();
  await send(administrator, "PUT", `/accounts/2/users/${elsewhere.id}/role`, { role: "viewer" });
  await send(administrator, "PUT", `/accounts/1/users/${boss.id}/role`, { role: "viewer" });
  for (const { id, session } of [boss, elsewhere])
    for (const [method, path] of [
      ["GET", "sessions"],
      ["POST", `sessions/${session}/end`],
      ["POST", "sign-in-link"],
      ["POST", "invitation"],
      ["POST", "invitation/withdraw"],
    ] as const)
      assert.equal((await send(owner, method, `/accounts/1/users/${id}/${path}`)).status, 403, path);
  assert.equal((await store.sessions.ofUser({ user: boss.id, at: Date.now() })).length, 1);
});

test("an owner invites a user, and withdraws that; a program with a token does not", async () => {
  const { send, owner } = service;
  const { id, token } = await newUser();
  const path = `/accounts/1/users/${id}`;
  const created = await send(owner, "POST", `${path}/invitation`);
  assert.equal(created.status, 201);
  assert.match(String(created.json.path), /^\/console\/link\?token=[\w-]{43}$/);
  assert.equal((await send(owner, "GET", path)).json.invitationExpiresAt, created.json.expiresAt);
  assert.equal((await send(owner, "POST", `${path}/invitation/withdraw`)).status, 204);
  assert.equal((await send(owner, "GET", path)).json.invitationExpiresAt, null);
  assert.equal((await send(owner, "POST", `${path}/invitation/withdraw`)).status, 409);
  assert.equal((await send(token, "POST", `${path}/invitation`)).status, 403);
  await send(owner, "PUT", `${path}/password`, { password: "correct horse battery" });
  assert.equal((await send(owner, "POST", `${path}/invitation`)).status, 409);
});

test("an owner makes a sign-in link for a user of the account, and not for one of another", async () => {
  const { send, owner } = service;
  const { id, token } = await newUser();
  const created = await send(owner, "POST", `/accounts/1/users/${id}/sign-in-link`);
  assert.equal(created.status, 201);
  assert.match(String(created.json.path), /^\/console\/link\?token=[\w-]{43}$/);
  const stranger = await service.newUser("stranger@example.org", "viewer", 2);
  assert.equal((await send(owner, "POST", `/accounts/1/users/${stranger.id}/sign-in-link`)).status, 404);
  assert.equal((await send(owner, "POST", `/users/${id}/sign-in-link`)).status, 403);
  assert.equal((await send(token, "POST", `/accounts/1/users/${id}/sign-in-link`)).status, 403);
});
