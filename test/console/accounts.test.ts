/** The way to an account: from `/console`, from the choice of accounts, and from pages that do not exist. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hashSecret, newSecret, SESSION_MS } from "#domain/access/session.ts";
import type { AccountRole } from "#domain/access/user.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const HOSTILE = "<b>Öffentlichkeitsarbeit & Söhne</b>";
let server: ConsoleServer;
before(async () => {
  server = await startConsole();
});
after(async () => {
  await server.close();
  assert.deepEqual(server.defects, []);
});

async function setRole(id: number, account: number, role: AccountRole | null): Promise<void> {
  const settings = { role: { account, role } };
  await server.store.users.set({ id, within: null, settings, keepsAdministrator: true });
}

test("without any account, an administrator is asked to create one, and is led into it", async () => {
  const administrator = await server.signedIn(null);
  const { headers } = await administrator.get("/console");
  assert.equal(headers.get("location"), "/console/accounts");
  assert.match((await administrator.get("/console/accounts")).body, /There is no account yet/);
  const refused = await administrator.post("/console/accounts", "create", { name: " " });
  assert.equal(refused.status, 422);
  assert.match(refused.body, /field-name-error/);
  const created = await administrator.post("/console/accounts", "create", { name: HOSTILE });
  assert.equal(created.headers.get("location"), "/console/1");
  const { body } = await administrator.follow(created);
  assert.match(body, /The account “&lt;b&gt;Öffentlichkeitsarbeit &amp; Söhne&lt;\/b&gt;” was created\./);
  assert.doesNotMatch(body, /<b>Öff/);
});

test("one account is opened at once, and several are offered", async () => {
  const viewer = await server.signedIn("viewer");
  assert.equal((await viewer.get("/console")).headers.get("location"), "/console/1");
  assert.doesNotMatch((await viewer.get("/console/1")).body, /All accounts/);
  await server.store.accounts.create({ name: "Second", at: 1 });
  await setRole(viewer.user.id, 2, "viewer");
  // A role in a further account ends the session.
  const secret = newSecret();
  const session = { user: viewer.user.id, hash: hashSecret(secret), client: "::1", program: "Firefox" };
  await server.store.sessions.create({ ...session, at: server.now, expiresAt: server.now + SESSION_MS });
  viewer.cookies.set("mailroll-session", secret);
  assert.equal((await viewer.get("/console")).headers.get("location"), "/console/accounts");
  const { body } = await viewer.get("/console/accounts");
  assert.match(body, /href="\/console\/2">Second</);
  assert.match(body, /2 accounts/);
  assert.doesNotMatch(body, /<b>|Create an account/);
  assert.match((await viewer.get("/console/1")).body, /href="\/console\/accounts">All accounts/);
});

test("only an administrator creates an account", async () => {
  const owner = await server.signedIn("owner");
  const { status } = await owner.post("/console/accounts", "create", { name: "Mine" });
  assert.equal(status, 403);
  assert.doesNotMatch((await (await server.signedIn(null)).get("/console/accounts")).body, /Mine/);
});

test("somebody without a role is told whom to ask", async () => {
  const browser = await server.signedIn("viewer");
  await setRole(browser.user.id, 1, null);
  const { body } = await browser.follow(await browser.get("/console"));
  assert.match(body, /You have no role in any account yet/);
  assert.match(body, /Ask an administrator/);
});

test("an account beyond those of the switcher is named in the frame, too", async () => {
  for (let at = 0; at < 110; at += 1) await server.store.accounts.create({ name: `Number ${at}`, at: 1 });
  const administrator = await server.signedIn(null);
  const { body } = await administrator.get("/console/112");
  assert.match(body, /<span class="visually-hidden">Account: <\/span>Number 109</);
  assert.match(body, /action="\/console\/112\/search"/);
  const { body: first } = await administrator.get("/console/accounts");
  const next = /href="(\/console\/accounts\?after=[^"]+)" rel="next"/.exec(first)?.[1];
  assert.ok(next);
  assert.match((await administrator.get(next)).body, /Number 60</);
});

test("a page that does not exist is shown in the account, and nothing is marked as current", async () => {
  const viewer = await server.signedIn("viewer");
  const { status, body } = await viewer.get("/console/1/nothing");
  assert.equal(status, 404);
  assert.match(body, /There is no page at this address/);
  assert.match(body, /href="\/console\/1">/);
  assert.doesNotMatch(body, /aria-current="page"><svg/);
  const foreign = await viewer.get("/console/3/nothing");
  assert.equal(foreign.status, 404);
  assert.doesNotMatch(foreign.body, /Number 0/);
});
