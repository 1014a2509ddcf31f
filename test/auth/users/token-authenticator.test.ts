/** Requests with the token of a user. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FREE_FAILURES, SLOW_FAILURES } from "#auth/brute-force-guard.ts";
import { TokenAuthenticator } from "#auth/users/token-authenticator.ts";
import { Fault } from "#contract/faults.ts";
import { storedForm } from "#domain/access/key.ts";
import { newToken } from "#domain/access/session.ts";
import { newAccount } from "../../store/actor.ts";
import { NOW, usersInstallation } from "./installation.ts";

const home = await usersInstallation();
const { store, time, clocks, account, newUser, newGuard } = home;
const other = await newAccount(store);

const authenticating = () => {
  const guard = newGuard();
  const tokens = new TokenAuthenticator({ store, clocks, guard, onLoadFailed: assert.ifError });
  return {
    guard,
    tokens,
    ask: (header: string | undefined, client = "c") => tokens.authenticate(header, client),
  };
};
const isThrottled = (error: unknown) => error instanceof Fault && error.code === "Throttled";
const roles = async (bearer: string) => {
  const actor = await authenticating().ask(bearer);
  return actor === null ? null : [account, other, null].map((each) => actor.roleIn(each));
};

test("a token makes its user the actor, with the user's roles and the client's address", async () => {
  const user = await newUser(account, "owner");
  const { id, bearer } = await home.newToken(user, "owner");
  const actor = await authenticating().ask(bearer, "192.0.2.7");
  assert.deepEqual(actor?.origin, { kind: "user", user: user.id });
  assert.deepEqual([actor.from, actor.proof], ["192.0.2.7", { kind: "token", id, isLogIn: false }]);
  assert.deepEqual(await roles(bearer), ["owner", null, null]);
});

test("a role is at most that of the token and at most that of the user, whatever it was at creation", async () => {
  const user = await newUser(account, "owner");
  const { bearer } = await home.newToken(user, "editor");
  assert.deepEqual(await roles(bearer), ["editor", null, null]);
  await home.set(user, { role: { account, role: "viewer" } });
  assert.deepEqual(await roles(bearer), ["viewer", null, null]);
  await home.set(user, { isAdministrator: true });
  assert.deepEqual(await roles(bearer), ["editor", "editor", null], "a token for less than the installation");
  const { bearer: whole } = await home.newToken(user, "administrator");
  assert.deepEqual(await roles(whole), ["administrator", "administrator", "administrator"]);
  await home.set(user, { isAdministrator: false, role: { account, role: null } });
  assert.deepEqual(await roles(whole), [null, null, null]);
});

test("a token stops at once when it is revoked, expires, or its user is disabled", async () => {
  const user = await newUser(account);
  const { ask } = authenticating();
  const revoked = await home.newToken(user, "viewer");
  assert.ok(await ask(revoked.bearer));
  await store.users.revokeToken({ user: user.id, id: revoked.id, at: NOW });
  assert.equal(await ask(revoked.bearer), null);
  const expiring = await home.newToken(user, "viewer", { expiresAt: clocks.wall() + 1 });
  assert.ok(await ask(expiring.bearer));
  time.now += 1;
  assert.equal(await ask(expiring.bearer), null);
  const { bearer } = await home.newToken(user, "viewer");
  assert.ok(await ask(bearer));
  await home.set(user, { disabledAt: NOW });
  assert.equal(await ask(bearer), null);
  await home.set(user, { disabledAt: null });
  assert.ok(await ask(bearer));
});

test("an API key is not a token, and a token is not an API key", async () => {
  const key = "0123456789ABCDEF0123456789ABCDEF";
  await store.keys.create({
    account,
    label: "",
    scope: "full",
    expiresAt: null,
    at: NOW,
    ...storedForm(key),
  });
  assert.equal(await authenticating().ask(`Bearer ${key}`), null);
  const { secret } = await home.newToken(await newUser(account), "viewer");
  assert.equal(await store.keys.byHash({ hash: storedForm(secret.toUpperCase()).hash }), null);
  assert.equal(await store.keys.byHash({ hash: storedForm(secret).hash }), null);
});

test("a missing token is no failure; unknown and malformed ones are, and refuse the client after a while", async () => {
  const { guard, ask } = authenticating();
  for (const none of [undefined, "", "Basic x", "Bearer"]) assert.equal(await ask(none), null);
  assert.equal(guard.failures, 0);
  const wrong = [`Bearer ${newToken()}`, "Bearer mrt_short", `Bearer ${newToken()}x`, "Bearer mrt_\u0000"];
  for (const each of wrong) assert.equal(await ask(each), null);
  assert.equal(guard.failures, wrong.length);
  for (let n = wrong.length; n < FREE_FAILURES + SLOW_FAILURES; n += 1)
    assert.equal(await ask(`Bearer ${newToken()}`), null);
  await assert.rejects(
    ask(`Bearer ${newToken()}`),
    (error) => isThrottled(error) && /invalid tokens came from your address/.test((error as Fault).message),
  );
  assert.equal(await ask(`Bearer ${newToken()}`, "another"), null);
});

test("a refused client keeps working with a token that worked for it, and with no other", async () => {
  const user = await newUser(account);
  const [used, unused] = [await home.newToken(user, "viewer"), await home.newToken(user, "viewer")];
  const guard = newGuard();
  let lookUps = 0;
  const byToken: typeof store.users.byToken = (args) => {
    lookUps += 1;
    return store.users.byToken(args);
  };
  const users = { ...store.users, byToken };
  const tokens = new TokenAuthenticator({ store: { users }, clocks, guard, onLoadFailed: assert.ifError });
  const ask = (bearer: string) => tokens.authenticate(bearer, "c");
  assert.ok(await ask(used.bearer));
  for (let n = 0; n < FREE_FAILURES + SLOW_FAILURES; n += 1) await guard.failed("c", "token");
  assert.ok(await ask(used.bearer));
  await assert.rejects(ask(unused.bearer), isThrottled);
  assert.equal(lookUps, 2);
  // Revoked, it is looked up once more, and then not again.
  await store.users.revokeToken({ user: user.id, id: used.id, at: NOW });
  for (let n = 0; n < 3; n += 1) await assert.rejects(ask(used.bearer), isThrottled);
  assert.equal(lookUps, 3);
});

test("after a restart, the tokens that were used recently count as used by every client", async () => {
  const user = await newUser(account);
  const { bearer, id } = await home.newToken(user, "viewer", { at: NOW - 48 * 3_600_000 });
  const before = authenticating();
  assert.ok(await before.ask(bearer));
  await before.tokens.usage.flush();
  const token = (await store.users.tokens({ user: user.id })).find((one) => one.id === id);
  assert.equal(token?.lastUsedAt, clocks.wall());
  const after = authenticating();
  for (let n = 0; n < FREE_FAILURES + SLOW_FAILURES; n += 1) await after.guard.failed("c", "token");
  await assert.rejects(after.ask(bearer), isThrottled);
  await after.tokens.loadRecent();
  assert.ok(await after.ask(bearer));
});

test("a store that fails is reported when recent tokens are loaded, and nothing rejects", async () => {
  const errors: unknown[] = [];
  const users = { ...store.users, recentTokens: () => Promise.reject(new Error("down")) };
  const tokens = new TokenAuthenticator({
    store: { users },
    clocks,
    guard: newGuard(),
    onLoadFailed: (error) => errors.push(error),
  });
  await tokens.loadRecent();
  assert.equal(errors.length, 1);
});
