/** A token counts as it is when the body of its request is complete. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { after, before, test } from "node:test";
import { hashToken, newToken } from "#domain/access/session.ts";
import { addressOf } from "../../store/actor.ts";
import { type ApiServer, startApi } from "./api-server.ts";

let api: ApiServer;
before(async () => {
  api = await startApi();
  await api.store.accounts.create({ name: "Acme", at: 1 });
});
after(() => api.close());

async function newEditor(email: string) {
  const role = { account: 1, role: "editor" } as const;
  const address = addressOf(email);
  const user = await api.store.users.create({ address, name: "", isAdministrator: false, role, at: 1 });
  assert.ok(typeof user === "object");
  const secret = newToken();
  const given = { user: user.id, name: "", role: "editor", expiresAt: null, isLogIn: false, at: 1 } as const;
  const token = await api.store.users.createToken({ ...given, hash: hashToken(secret) });
  assert.ok(token);
  return { id: user.id, token: token.id, secret };
}

const BODY = JSON.stringify({ name: "News" });
/** Sends all but the end of the body, and waits until the token has been checked. */
async function begin(secret: string): Promise<ClientRequest> {
  const checked = once(api.tokens, "checked");
  const sent = request(new URL("accounts/1/lists", api.address), {
    method: "POST",
    headers: {
      Authorization: `Bearer ${secret}`,
      "Content-Type": "application/json",
      "Content-Length": BODY.length,
    },
  });
  sent.write(BODY.slice(0, 5));
  await checked;
  return sent;
}
async function finish(sent: ClientRequest): Promise<number> {
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once("response", resolve);
    sent.once("error", reject);
  });
  sent.end(BODY.slice(5));
  const { statusCode = 0 } = (await response).resume();
  return statusCode;
}

test("a request is not executed if its token is revoked while the body arrives", async () => {
  const { id, token, secret } = await newEditor("revoked@example.org");
  const sent = await begin(secret);
  await api.store.users.revokeToken({ user: id, id: token, at: 2 });
  assert.equal(await finish(sent), 401);
});

test("a request has the role that the user has when the body is complete", async () => {
  const { id, secret } = await newEditor("demoted@example.org");
  const sent = await begin(secret);
  const settings = { role: { account: 1, role: "viewer" } } as const;
  await api.store.users.set({ id, within: null, settings, keepsAdministrator: true });
  assert.equal(await finish(sent), 403);
});

test("a request whose body arrives slowly is executed if its token is still valid", async () => {
  const { secret } = await newEditor("valid@example.org");
  assert.equal(await finish(await begin(secret)), 201);
});

test("the token of a request that arrives at once is checked once", async () => {
  const { secret } = await newEditor("once@example.org");
  let checks = 0;
  const count = () => {
    checks += 1;
  };
  api.tokens.on("checked", count);
  const response = await fetch(new URL("me", api.address), {
    headers: { Authorization: `Bearer ${secret}` },
  });
  api.tokens.off("checked", count);
  assert.deepEqual([response.status, checks], [200, 1]);
});
