/** The page about oneself: profile, password, second factor, sessions, tokens. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { newSecret } from "#domain/access/session.ts";
import { testPasswords } from "../api/v2/api-server.ts";
import type { Browser } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const PASSWORD = "correct horse battery";
const ME = "/console/me";
let server: ConsoleServer;
before(async () => {
  server = await startConsole();
  await server.store.accounts.create({ name: "Default", at: 1 });
});
after(() => server.close());

type SignedIn = Awaited<ReturnType<ConsoleServer["signedIn"]>>;
async function withPassword(): Promise<SignedIn> {
  const browser = await server.signedIn("owner");
  const hash = await testPasswords.hash(PASSWORD);
  const session = (await server.store.sessions.ofUser({ user: browser.user.id, at: server.now }))[0];
  await server.store.users.setPassword({
    ...{ id: browser.user.id, within: null, hash, at: server.now, keeps: null },
    keepsSession: session?.id ?? null,
  });
  return browser;
}
async function elsewhere({ user }: SignedIn): Promise<Browser> {
  const browser = server.browser();
  await browser.post("/console/sign-in", "submit", { email: user.email, password: PASSWORD });
  return browser;
}
const isSignedIn = async (browser: Browser): Promise<boolean> => (await browser.get(ME)).status === 200;

test("name and time zone are saved, and a hostile name is shown as text", async () => {
  const browser = await server.signedIn("viewer");
  const name = `<img src=x onerror=alert(1)>"'`;
  const sent = await browser.post(ME, "profile", { name, timeZone: "Europe/Berlin" });
  const { body } = await browser.follow(sent);
  assert.match(body, /Your changes are saved/);
  assert.doesNotMatch(body, /<img src=x/);
  assert.match(body, /value="&lt;img src=x onerror=alert\(1\)&gt;&quot;&#39;"/);
  assert.match(body, /<option value="Europe\/Berlin" selected>/);
  const wrong = await browser.post(ME, "profile", { name, timeZone: "Mars/Base" });
  assert.equal(wrong.status, 422);
  assert.match(wrong.body, /Is not the name of a time zone/);
});

test("a new password ends the other sessions and keeps this one", async () => {
  const browser = await withPassword();
  const other = await elsewhere(browser);
  assert.ok(await isSignedIn(other));
  const fields = { oldPassword: "wrong", newPassword: "another long sentence" };
  const refused = await browser.post(ME, "password", fields);
  assert.equal(refused.status, 422);
  assert.match(refused.body, /Is not the current password/);
  assert.ok(await isSignedIn(other));
  const weak = await browser.post(ME, "password", { oldPassword: PASSWORD, newPassword: "short" });
  assert.match(weak.body, /id="field-newPassword-error">Must have 12/);
  assert.equal((await browser.post(ME, "password", { ...fields, oldPassword: PASSWORD })).status, 303);
  assert.ok(await isSignedIn(browser));
  assert.equal(await isSignedIn(other), false);
});

test("a user without a password, who came with a link, sets the first one", async () => {
  const browser = await server.signedIn("viewer");
  assert.doesNotMatch((await browser.get(ME)).body, /name="(old|enrol)Password"/);
  assert.equal((await browser.post(ME, "password", { newPassword: "a long sentence at last" })).status, 303);
  assert.match((await browser.get(ME)).body, /name="oldPassword"/);
});

test("sessions are listed, and one of another browser can be ended, but none of another user", async () => {
  const browser = await withPassword();
  const [other, stranger] = [await elsewhere(browser), await server.signedIn("viewer")];
  const listed = await server.store.sessions.ofUser({ user: browser.user.id, at: server.now });
  assert.equal(listed.length, 2);
  const { body } = await browser.get(ME);
  assert.match(body, /Firefox <span class="badge good">This one<\/span>/);
  const session = String(listed[1]?.id);
  assert.equal((await stranger.post(ME, "end-session", { session })).status, 422);
  assert.ok(await isSignedIn(other));
  assert.equal((await browser.post(ME, "end-session", { session })).status, 303);
  assert.equal(await isSignedIn(other), false);
  for (const wrong of ["", "x", "-1", "1e99", newSecret()])
    assert.equal((await browser.post(ME, "end-session", { session: wrong })).status, 422, wrong);
});

test("ending the session of this browser signs out", async () => {
  const browser = await server.signedIn("viewer");
  const [own] = await server.store.sessions.ofUser({ user: browser.user.id, at: server.now });
  const sent = await browser.post(ME, "end-session", { session: String(own?.id) });
  assert.equal(sent.headers.get("location"), "/console/sign-in?signed-out");
  assert.equal(browser.cookies.has("mailroll-session"), false);
});

test("a second factor is set up with the password and a code, and gives recovery codes once", async () => {
  const browser = await withPassword();
  assert.equal((await browser.post(ME, "enrol", { enrolPassword: "wrong" })).status, 422);
  const { body } = await browser.post(ME, "enrol", { enrolPassword: PASSWORD });
  const [, secret = ""] = /aria-label="Secret" data-copy><code>([A-Z2-7]+)</.exec(body) ?? [];
  assert.match(body, /otpauth:\/\/totp\//);
  assert.match(body, /<svg class="qr-code" [^>]*aria-label="QR code for your authenticator app"/);
  assert.match((await browser.get(ME)).body, /not confirmed yet/);
  assert.equal((await browser.post(ME, "confirm", { code: "000" })).status, 422);
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: server.now });
  const confirmed = await browser.post(ME, "confirm", { code });
  assert.equal(confirmed.status, 200);
  assert.match(confirmed.body, /Your recovery codes/);
  assert.match((await browser.get(ME)).body, /On since/);
  assert.equal((await browser.post(ME, "remove", { removePassword: PASSWORD })).status, 303);
  assert.doesNotMatch((await browser.get(ME)).body, /On since/);
});

test("a token is shown once, works at most as its user, and can be revoked", async () => {
  const browser = await server.signedIn("editor");
  const fields = { tokenName: "Report", tokenRole: "viewer", tokenDays: "30" };
  const created = await browser.post(ME, "create-token", fields);
  assert.match(created.body, /mrt_[\w-]{43}/);
  const page = await browser.get(ME);
  assert.doesNotMatch(page.body, /mrt_/);
  assert.match(page.body, /Report/);
  const above = await browser.post(ME, "create-token", { ...fields, tokenRole: "owner" });
  assert.equal(above.status, 422);
  assert.match(above.body, /id="field-tokenRole-error"/);
  const [token] = await server.store.users.tokens({ user: browser.user.id });
  assert.equal((await browser.post(ME, "revoke-token", { token: String(token?.id) })).status, 303);
  assert.match((await browser.get(ME)).body, /You have no token/);
});
