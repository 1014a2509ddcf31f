/** How somebody signs in to the console and out again, and what does not sign anybody in. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { hashRecoveryCode } from "#auth/users/recovery-codes.ts";
import { createInvitation, createSignInLink } from "#auth/users/sign-in-links.ts";
import { newTotpSecret } from "#auth/users/totp.ts";
import { INVITATION_MS, LINK_MS, PASSWORD_RESET_MS, SIGN_IN_MS } from "#domain/access/session.ts";
import { parseAddress } from "#domain/address.ts";
import { testPasswords } from "../api/v2/api-server.ts";
import { type Received, sendRequest } from "../send-request.ts";
import type { Browser } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const PASSWORD = "correct horse battery";
const COOKIE = "mailroll-session";
const DAY_MS = 86_400_000;
let server: ConsoleServer;
before(async () => {
  server = await startConsole();
  await server.store.accounts.create({ name: "Default", at: 1 });
});
after(() => server.close());

const addressOf = (email: string) => parseAddress(email) ?? assert.fail(email);
let made = 0;
async function newUser(): Promise<{ readonly id: number; readonly email: string }> {
  made += 1;
  const email = `person${made}@example.org`;
  const user = await server.store.users.create({
    ...{ address: addressOf(email), name: "", isAdministrator: true, role: null, at: 1 },
  });
  assert.ok(typeof user === "object");
  const hash = await testPasswords.hash(PASSWORD);
  await server.store.users.setPassword({ id: user.id, within: null, hash, at: 1, keeps: null });
  return { id: user.id, email };
}
const signIn = (browser: Browser, email: string, more: Record<string, string> = {}, path = "") =>
  browser.post(`/console/sign-in${path}`, "submit", { email, password: PASSWORD, ...more });
async function isSignedIn(browser: Browser): Promise<boolean> {
  const { status } = await browser.get("/console/me");
  assert.ok(status === 200 || status === 303, `status ${status}`);
  return status === 200;
}
const linkFor = async (user: number | null): Promise<string> =>
  `/console/link?token=${(await createSignInLink(server.store, user, server.now)).secret}`;
const location = ({ headers }: Received): string | null => headers.get("location");

test("the first link creates the first administrator, once, and signs them in", async () => {
  const browser = server.browser();
  assert.match((await browser.get("/console/sign-in")).body, /Nobody can sign in yet/);
  const [link, second] = [await linkFor(null), await linkFor(null)];
  for (const _ of [1, 2]) assert.match((await browser.get(link)).body, /Create the first administrator/);
  const fields = { email: "ada@example.org", name: "Ada", password: PASSWORD };
  const weak = await browser.post(link, "create", { ...fields, password: "short" });
  assert.equal(weak.status, 422);
  assert.match(weak.body, /Must have 12 to/);
  assert.match(weak.body, /value="Ada"/);
  const created = await browser.post(link, "create", fields);
  assert.equal(created.status, 303);
  assert.ok(await isSignedIn(browser));
  for (const one of [link, second]) {
    assert.equal((await browser.get(one)).status, 404);
    const again = await server.browser().post(one, "create", { ...fields, email: "eve@example.org" });
    assert.equal(again.status, 404);
  }
  assert.equal((await browser.get(await linkFor(null))).status, 404, "made when there was one already");
  const users = await server.store.users.byAddress({ address: addressOf("ada@example.org") });
  assert.equal(users?.isAdministrator, true);
  assert.equal(await server.store.users.byAddress({ address: addressOf("eve@example.org") }), null);
});

test("a link signs its user in once; opening it uses nothing up", async () => {
  const { id, email } = await newUser();
  const link = await linkFor(id);
  const [scanner, browser] = [server.browser(), server.browser()];
  for (const _ of [1, 2, 3]) assert.match((await scanner.get(link)).body, new RegExp(email));
  assert.equal((await browser.post(link, "sign-in")).status, 303);
  assert.ok(await isSignedIn(browser));
  const again = await scanner.post(link, "sign-in");
  assert.equal(again.status, 404);
  assert.match(again.body, /does not work any more/);
  assert.equal(scanner.cookies.has(COOKIE), false);
});

test("a link does not work after a quarter of an hour, for a disabled user, or if it was guessed", async () => {
  const { id } = await newUser();
  const browser = server.browser();
  const old = await linkFor(id);
  server.now += LINK_MS;
  assert.equal((await browser.post(old, "sign-in")).status, 404);
  const link = await linkFor(id);
  await server.store.users.set({
    ...{ id, within: null, keepsAdministrator: false, settings: { disabledAt: server.now } },
  });
  assert.equal((await browser.post(link, "sign-in")).status, 404);
  for (const token of ["", "x", "A".repeat(43), "A".repeat(5000)])
    assert.equal((await browser.post(`/console/link?token=${token}`, "sign-in")).status, 404);
});

test("a password signs in, with a cookie that scripts and other sites do not get", async () => {
  const { email } = await newUser();
  const browser = server.browser();
  const sent = await signIn(browser, `  ${email.toUpperCase()} `);
  assert.equal(sent.status, 303);
  const [cookie = ""] = sent.headers.getSetCookie();
  assert.match(cookie, /^mailroll-session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
  assert.ok(await isSignedIn(browser));
});

test("on https the cookie is sent over https only, and bound to the host", async () => {
  const secure = await startConsole({ base: "https://mail.example.org" });
  try {
    const { secret } = await createSignInLink(secure.store, null, secure.now);
    const sent = await secure.browser().post(`/console/link?token=${secret}`, "create", {
      ...{ email: "ada@example.org", name: "", password: PASSWORD },
    });
    const [cookie = ""] = sent.headers.getSetCookie();
    assert.match(cookie, /^__Host-mailroll-session=[\w-]{43};.* Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  } finally {
    await secure.close();
  }
});

test("wrong passwords and unknown users get the same reply, and are rate-limited", async () => {
  const other = await startConsole();
  try {
    const replies = [];
    for (const email of ["nobody@example.org", "x", ""]) {
      const { status, body } = await signIn(other.browser(), email);
      replies.push([status, body.includes("address or the password is wrong")]);
    }
    assert.deepEqual(replies, [
      [422, true],
      [422, true],
      [422, true],
    ]);
    let last = 0;
    for (let n = 0; n < 200 && last !== 429; n += 1)
      last = (await signIn(other.browser(), "nobody@example.org")).status;
    assert.equal(last, 429);
  } finally {
    await other.close();
  }
});

const CODE_PATH = "/console/sign-in/code";
const SIGN_IN = "mailroll-sign-in";

test("the code is asked for after the password, works once, and leads to the page that was asked for", async () => {
  const { email, secret } = await withFactor();
  const browser = server.browser();
  assert.doesNotMatch((await browser.get("/console/sign-in")).body, /name="code"/);
  const next = "?next=%2Fconsole%2F1%2Flists";
  const asked = await signIn(browser, email, {}, next);
  assert.equal(location(asked), `${CODE_PATH}${next}`);
  assert.match(
    asked.headers.getSetCookie()[0] ?? "",
    /^mailroll-sign-in=[\w-]+; Max-Age=300; Path=\/; HttpOnly/,
  );
  assert.equal(await isSignedIn(browser), false);
  assert.match((await browser.get(`${CODE_PATH}${next}`)).body, /name="code"/);
  const stolen = browser.cookies.get(SIGN_IN) ?? "";
  const code = codeOf(secret);
  const sent = await browser.post(`${CODE_PATH}${next}`, "submit", { code });
  assert.deepEqual([sent.status, location(sent)], [303, "/console/1/lists"]);
  assert.ok(await isSignedIn(browser));
  assert.match(sent.headers.getSetCookie().join("\n"), /^mailroll-sign-in=; Max-Age=0;/m);
  const thief = server.browser();
  thief.cookies.set(SIGN_IN, stolen);
  assert.equal((await thief.post(CODE_PATH, "submit", { code })).status, 422);
  const elsewhere = "?next=https%3A%2F%2Fevil.example";
  const lured = server.browser();
  await signIn(lured, email, {}, elsewhere);
  const recovered = await lured.post(`${CODE_PATH}${elsewhere}`, "submit", { code: RECOVERY_CODE });
  assert.deepEqual([recovered.status, location(recovered)], [303, "/console"]);
});

test("a right and a wrong password of a user with a second factor are answered alike", async () => {
  const { email, secret } = await withFactor();
  const answers = [];
  for (const password of [PASSWORD, "wrong"]) {
    const browser = server.browser();
    const asked = await signIn(browser, email, { password });
    const shown = await browser.get(CODE_PATH);
    const codes = [];
    for (const code of ["000000", "", "ABCD-EFGH-JKLM-NPQ2"]) {
      const { status, body } = await browser.post(CODE_PATH, "submit", { code });
      codes.push([status, body]);
    }
    const cookie = browser.cookies.get(SIGN_IN)?.length;
    answers.push([asked.status, location(asked), cookie, shown.status, shown.body, codes]);
  }
  assert.deepEqual(answers[0], answers[1]);
  const browser = server.browser();
  await signIn(browser, email, { password: "wrong" });
  const code = codeOf(secret);
  for (const one of [code, RECOVERY_CODE])
    assert.equal((await browser.post(CODE_PATH, "submit", { code: one })).status, 422);
  await signIn(browser, email);
  assert.equal((await browser.post(CODE_PATH, "submit", { code })).status, 303, "it was not used up");
});

test("a code is not taken after five minutes, with a forged cookie, of a disabled user, or after the password has changed", async () => {
  const { id, email, secret } = await withFactor();
  const browser = server.browser();
  const start = server.now;
  try {
    await signIn(browser, email);
    server.now += SIGN_IN_MS;
    const late = await browser.post(CODE_PATH, "submit", { code: codeOf(secret) });
    assert.equal(location(late), "/console/sign-in?too-late");
    assert.match((await browser.get("/console/sign-in?too-late")).body, /took too long/);
    await signIn(browser, email);
    const kept = browser.cookies.get(SIGN_IN) ?? "";
    for (const forged of [`${kept.slice(0, 20)}${kept[20] === "A" ? "B" : "A"}${kept.slice(21)}`, "x", ""]) {
      browser.cookies.set(SIGN_IN, forged);
      assert.equal((await browser.post(CODE_PATH, "submit", { code: codeOf(secret) })).status, 303, forged);
      assert.equal(await isSignedIn(browser), false);
    }
    browser.cookies.set(SIGN_IN, kept);
    const disable = (disabledAt: number | null) =>
      server.store.users.set({ id, within: null, keepsAdministrator: false, settings: { disabledAt } });
    await disable(server.now);
    assert.equal((await browser.post(CODE_PATH, "submit", { code: codeOf(secret) })).status, 422);
    await disable(null);
    const hash = await testPasswords.hash("another sentence");
    await server.store.users.setPassword({ id, within: null, hash, at: server.now, keeps: null });
    assert.equal((await browser.post(CODE_PATH, "submit", { code: codeOf(secret) })).status, 422);
  } finally {
    server.now = start;
  }
});

const invitationFor = async (user: number): Promise<string> =>
  `/console/link?token=${(await createInvitation(server.store, user, server.now)).secret}`;
async function newInvited() {
  made += 1;
  const email = `invited${made}@example.org`;
  const user = await server.store.users.create({
    ...{ address: addressOf(email), name: "", isAdministrator: true, role: null, at: 1 },
  });
  assert.ok(typeof user === "object");
  return { id: user.id, email, link: await invitationFor(user.id) };
}

test("an invitation lets its user set a password, once, within seven days; opening it uses nothing up", async () => {
  const { id, email, link } = await newInvited();
  const start = server.now;
  server.now += INVITATION_MS - 1;
  try {
    const [scanner, browser] = [server.browser(), server.browser()];
    for (const _ of [1, 2, 3]) assert.match((await scanner.get(link)).body, new RegExp(email));
    assert.equal((await scanner.post(link, "sign-in")).status, 404, "it does not sign in without a password");
    const weak = await browser.post(link, "accept", { password: "short" });
    assert.equal(weak.status, 422);
    assert.match(weak.body, /Must have 12 to/);
    assert.equal((await browser.post(link, "accept", { password: PASSWORD })).status, 303);
    assert.ok(await isSignedIn(browser));
    const again = await server.browser().post(link, "accept", { password: "another sentence of mine" });
    assert.equal(again.status, 404);
    assert.equal((await server.browser().get(link)).status, 404);
    assert.equal((await signIn(server.browser(), email)).status, 303);
    assert.equal((await server.store.users.byId({ id }))?.invitationExpiresAt, null);
  } finally {
    server.now = start;
  }
});

test("an invitation does not work when it has expired, was withdrawn or replaced, or its user is disabled", async () => {
  const refused = async (link: string): Promise<void> => {
    assert.equal((await server.browser().get(link)).status, 404);
    assert.equal((await server.browser().post(link, "accept", { password: PASSWORD })).status, 404);
  };
  const start = server.now;
  try {
    const expired = await newInvited();
    server.now += INVITATION_MS;
    await refused(expired.link);
    const withdrawn = await newInvited();
    assert.equal(await server.store.sessions.withdrawInvitation({ user: withdrawn.id }), true);
    assert.equal(await server.store.sessions.withdrawInvitation({ user: withdrawn.id }), false);
    await refused(withdrawn.link);
    const { id, link } = await newInvited();
    const newer = await invitationFor(id);
    await refused(link);
    assert.equal((await server.browser().get(newer)).status, 200);
    const settings = { disabledAt: server.now };
    await server.store.users.set({ id, within: null, keepsAdministrator: false, settings });
    await refused(newer);
  } finally {
    server.now = start;
  }
});

test("of two who send an invitation at once, one sets the password", async () => {
  const { link } = await newInvited();
  const passwords = [`${PASSWORD} one`, `${PASSWORD} two`];
  const sent = await Promise.all(
    passwords.map((password) => server.browser().post(link, "accept", { password })),
  );
  assert.deepEqual(
    sent.map(({ status }) => status).toSorted((one, other) => one - other),
    [303, 404],
  );
});

test("an invited user with a second factor signs in with its code, after the password is set", async () => {
  const { id, link } = await newInvited();
  const secret = newTotpSecret();
  await server.store.users.enrolTotp({ id, within: null, secret });
  await server.store.users.confirmTotp({ id, within: null, secret, step: 0, recoveryHashes: [], at: 1 });
  const browser = server.browser();
  const sent = await browser.post(link, "accept", { password: PASSWORD });
  assert.equal(location(sent), "/console/sign-in?password-set");
  assert.equal(await isSignedIn(browser), false);
});

async function withFactor() {
  const { id, email } = await newUser();
  const secret = newTotpSecret();
  const of = { id, within: null };
  await server.store.users.enrolTotp({ ...of, secret });
  const recoveryHashes = [hashRecoveryCode(RECOVERY_CODE) ?? assert.fail()];
  await server.store.users.confirmTotp({ ...of, secret, step: 0, recoveryHashes, at: 1 });
  return { id, email, secret };
}
const RECOVERY_CODE = "ABCD-EFGH-JKLM-NPQR";
const codeOf = (secret: string): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: server.now });

test("a link of a user with a second factor asks for the code, and works until the code was right", async () => {
  const { id, secret } = await withFactor();
  const [link, browser] = [await linkFor(id), server.browser()];
  const shown = await browser.get(link);
  assert.match(shown.body, /name="code"/);
  assert.match(shown.body, /mailroll user totp remove/);
  const without = await browser.post(link, "sign-in");
  assert.equal(without.status, 422);
  assert.match(without.body, /id="field-code-error">Type the code/);
  const wrong = await browser.post(link, "sign-in", { code: "ABCD-EFGH-JKLM-NPQ2" });
  assert.equal(wrong.status, 422);
  assert.match(wrong.body, /id="field-code-error">This is not the current code/);
  assert.equal(browser.cookies.has(COOKIE), false);
  const code = codeOf(secret);
  assert.equal((await browser.post(link, "sign-in", { code })).status, 303);
  assert.ok(await isSignedIn(browser));
  assert.equal((await server.browser().post(link, "sign-in", { code })).status, 404);
  const next = await linkFor(id);
  assert.equal((await server.browser().post(next, "sign-in", { code })).status, 422, "a code works once");
  assert.equal((await server.browser().post(next, "sign-in", { code: RECOVERY_CODE })).status, 303);
});

test("codes that are guessed with a link are rate-limited per user, and links of others still work", async () => {
  const { id, secret } = await withFactor();
  const link = await linkFor(id);
  let last = 0;
  for (let n = 0; n < 30 && last !== 429; n += 1)
    last = (await server.browser().post(link, "sign-in", { code: "ABCD-EFGH-JKLM-NPQ2" })).status;
  assert.equal(last, 429);
  const right = await server.browser().post(link, "sign-in", { code: codeOf(secret) });
  assert.equal(right.status, 429, "also the right code");
  const other = await newUser();
  assert.equal((await server.browser().post(await linkFor(other.id), "sign-in")).status, 303);
});

test("after signing in with a link, a forgotten password can be replaced for a quarter of an hour", async () => {
  const { id, email } = await newUser();
  const [first, late, usual] = [server.browser(), server.browser(), server.browser()];
  const start = server.now;
  try {
    await first.post(await linkFor(id), "sign-in");
    await signIn(usual, email);
    const fields = { newPassword: "a new sentence to remember" };
    assert.match((await usual.get("/console/me")).body, /name="oldPassword"/);
    const refused = await usual.post("/console/me", "password", fields);
    assert.equal(refused.status, 422);
    const shown = await first.get("/console/me");
    assert.doesNotMatch(shown.body, /name="oldPassword"/);
    assert.match(shown.body, /you can set a new password without the current one/);
    assert.match(shown.body, /name="enrolPassword"/);
    assert.equal((await first.post("/console/me", "enrol", { enrolPassword: "" })).status, 422);
    server.now = start + PASSWORD_RESET_MS - 1;
    assert.equal((await first.post("/console/me", "password", fields)).status, 303);
    assert.ok(await isSignedIn(first));
    assert.equal(await isSignedIn(usual), false);
    await late.post(await linkFor(id), "sign-in");
    server.now += PASSWORD_RESET_MS;
    assert.match((await late.get("/console/me")).body, /name="oldPassword"/);
    const again = { newPassword: "yet another sentence" };
    const missing = await late.post("/console/me", "password", again);
    assert.equal(missing.status, 422);
    const old = await late.post("/console/me", "password", { ...again, oldPassword: fields.newPassword });
    assert.equal(old.status, 303);
  } finally {
    server.now = start;
  }
});

test("the first administrator, who has just typed a password, needs it to change it", async () => {
  const fresh = await startConsole();
  try {
    const { secret } = await createSignInLink(fresh.store, null, fresh.now);
    const browser = fresh.browser();
    const fields = { email: "ada@example.org", name: "", password: PASSWORD };
    await browser.post(`/console/link?token=${secret}`, "create", fields);
    assert.match((await browser.get("/console/me")).body, /name="oldPassword"/);
  } finally {
    await fresh.close();
  }
});

test("a session that somebody has planted is not used: the sign-in makes a new one", async () => {
  const { email } = await newUser();
  const browser = server.browser();
  browser.cookies.set(COOKIE, "A".repeat(43));
  await signIn(browser, email);
  const secret = browser.cookies.get(COOKIE);
  assert.notEqual(secret, "A".repeat(43));
  const attacker = server.browser();
  attacker.cookies.set(COOKIE, "A".repeat(43));
  assert.equal(await isSignedIn(attacker), false);
});

test("forged cookies sign nobody in", async () => {
  const browser = server.browser();
  for (const value of ["", "x", "B".repeat(43), "%00", "' OR 1=1", "C".repeat(4000)]) {
    browser.cookies.set(COOKIE, value);
    const { status, headers } = await browser.get("/console/me");
    assert.equal(status, 303, value);
    assert.equal(headers.get("location"), "/console/sign-in?next=%2Fconsole%2Fme");
  }
});

test("after the sign-in one returns to the page that was asked for, and never to another site", async () => {
  const { email } = await newUser();
  const asked = await server.browser().get("/console/1/lists?after=x%26y");
  const place = new URL(location(asked) ?? "", server.origin);
  const back = await signIn(server.browser(), email, {}, place.search);
  assert.equal(location(back), "/console/1/lists?after=x%26y");
  for (const next of [
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "/console/../../x",
    "/consolexyz",
    "javascript:alert(1)",
    "/default.asmx",
  ]) {
    const sent = await signIn(server.browser(), email, {}, `?next=${encodeURIComponent(next)}`);
    assert.equal(location(sent), "/console", next);
  }
});

test("requests of other sites are refused before anything is done", async () => {
  const { id, email } = await newUser();
  const browser = server.browser();
  await signIn(browser, email);
  const link = await linkFor(id);
  const { host } = new URL(server.origin);
  const attempts: readonly (readonly [Record<string, string>, number])[] = [
    [{ "Sec-Fetch-Site": "cross-site" }, 403],
    [{ "Sec-Fetch-Site": "same-site" }, 403],
    [{ "Sec-Fetch-Site": "none" }, 403],
    [{ "Sec-Fetch-Site": "cross-site", Origin: server.origin }, 403],
  ];
  for (const [headers, expected] of attempts) {
    const { status, body } = await browser.post("/console/me", "profile", { name: "X" }, headers);
    assert.equal(status, expected);
    assert.match(body, /did not come from the console/);
    assert.equal((await browser.post("/console/sign-out", "submit", {}, headers)).status, 403);
    assert.equal((await browser.post(link, "sign-in", {}, headers)).status, 403);
  }
  const old = async (origin: string | null): Promise<number> => {
    const cookie = `${COOKIE}=${browser.cookies.get(COOKIE)}`;
    const sent = await fetch(`${server.origin}/console/me`, {
      method: "POST",
      redirect: "manual",
      headers: {
        "Content-Type": "application/x-www-form-urlencoded",
        Cookie: cookie,
        ...(origin === null ? {} : { Origin: origin }),
        "Sec-Fetch-Mode": "navigate",
      },
      body: "do=profile&name=Y&timeZone=UTC",
    });
    return sent.status;
  };
  assert.equal(await old(null), 403);
  assert.equal(await old("null"), 403);
  assert.equal(await old("http://evil.example"), 403);
  assert.equal(await old(`http://${host}`), 303);
  assert.ok(await isSignedIn(browser));
});

test("where the address is https, a page of the same host over plain http is another site", async () => {
  const secure = await startConsole({ base: "https://mail.example.org" });
  try {
    const from = async (origin: string): Promise<number> => {
      const headers = {
        Host: "mail.example.org",
        Origin: origin,
        "Content-Type": "application/x-www-form-urlencoded",
      };
      const body = "email=a@example.org&password=x";
      const sent = await sendRequest(`${secure.origin}/console/sign-in`, { method: "POST", headers, body });
      return sent.status;
    };
    assert.equal(await from("https://mail.example.org"), 422);
    assert.equal(await from("http://mail.example.org"), 403);
  } finally {
    await secure.close();
  }
});

test("a session ends when it is not used for a day, and after thirty days at the latest", async () => {
  const { email } = await newUser();
  const [idle, busy] = [server.browser(), server.browser()];
  const start = server.now;
  try {
    await signIn(idle, email);
    await signIn(busy, email);
    server.now = start + DAY_MS - 1;
    assert.ok(await isSignedIn(busy));
    await server.flush();
    server.now = start + DAY_MS;
    assert.ok(await isSignedIn(busy));
    await server.flush();
    assert.equal(await isSignedIn(idle), false);
    while (server.now < start + 30 * DAY_MS - DAY_MS) {
      server.now += DAY_MS - 1;
      assert.ok(await isSignedIn(busy));
      await server.flush();
    }
    server.now = start + 30 * DAY_MS;
    assert.equal(await isSignedIn(busy), false);
  } finally {
    server.now = start;
  }
});

test("signing out ends the session in the database, not only the cookie", async () => {
  const { email } = await newUser();
  const browser = server.browser();
  await signIn(browser, email);
  const secret = browser.cookies.get(COOKIE) ?? "";
  const out = await browser.post("/console/sign-out", "submit");
  assert.equal(location(out), "/console/sign-in?signed-out");
  assert.match((await browser.follow(out)).body, /You are signed out/);
  browser.cookies.set(COOKIE, secret);
  assert.equal(await isSignedIn(browser), false);
});

test("disabling a user ends their sessions at once", async () => {
  const { id, email } = await newUser();
  const browser = server.browser();
  await signIn(browser, email);
  const of = { id, within: null, keepsAdministrator: false };
  await server.store.users.set({ ...of, settings: { disabledAt: server.now } });
  assert.equal(await isSignedIn(browser), false);
  await server.store.users.set({ ...of, settings: { disabledAt: null } });
  assert.equal(await isSignedIn(browser), false);
});

test("the time zone of the browser is taken over by whoever has chosen none", async () => {
  const zoneOf = async (id: number) => (await server.store.users.byId({ id }))?.timeZone;
  const { id, email } = await newUser();
  const browser = server.browser();
  assert.match((await browser.get("/console/sign-in")).body, /name="timeZone" data-time-zone/);
  for (const [timeZone, stored] of [
    ["", null],
    ["Mars/Olympus", null],
    ["+02:00", null],
    ["Europe/Berlin", "Europe/Berlin"],
    ["Asia/Tokyo", "Europe/Berlin"],
  ] as const) {
    assert.equal((await signIn(server.browser(), email, { timeZone })).status, 303);
    assert.equal(await zoneOf(id), stored, timeZone);
  }
  // Whoever has chosen UTC keeps it.
  await signIn(browser, email);
  await browser.post("/console/me", "profile", { name: "", timeZone: "UTC" });
  const linked = server.browser();
  await linked.post(await linkFor(id), "sign-in", { timeZone: "Asia/Tokyo" });
  assert.ok(await isSignedIn(linked));
  assert.equal(await zoneOf(id), "UTC");
});
