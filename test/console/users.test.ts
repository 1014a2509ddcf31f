/** Users in the console: added with a link, given a role, signed out, disabled. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TOTP_SECRET } from "../api/v2/contract-world.ts";
import { addressOf } from "../store/actor.ts";
import { type Browser, fieldIn } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const HOSTILE = `<b onclick="x()">Eve</b>`;
const ESCAPED = /&lt;b onclick=&quot;x\(\)&quot;&gt;Eve&lt;\/b&gt;/;
const USERS = "/console/1/settings/users";

let server: ConsoleServer;
let administrator: Awaited<ReturnType<ConsoleServer["signedIn"]>>;
let owner: Awaited<ReturnType<ConsoleServer["signedIn"]>>;
let editor: Browser;
before(async () => {
  server = await startConsole();
  for (const name of ["Acme", "Other"]) await server.store.accounts.create({ name, at: 1 });
  administrator = await server.signedIn(null);
  owner = await server.signedIn("owner");
  editor = await server.signedIn("editor");
});
after(async () => {
  assert.deepEqual(server.defects, []);
  await server.close();
});

const userOf = async (email: string) =>
  (await server.store.users.byAddress({ address: addressOf(email) })) ?? assert.fail(email);
const linkIn = (body: string): string =>
  /http:\/\/localhost:\d+(\/console\/link\?token=[\w-]{43})/.exec(body)?.[1] ?? "";
const formsIn = (body: string): readonly (string | undefined)[] => [
  ...new Set([...body.matchAll(/name="do" value="([\w-]+)"/g)].map(([, name]) => name)),
];

test("an owner adds a user, and with the invitation that is shown once that person sets a password", async () => {
  const wrong = await owner.post(`${USERS}/new`, "create", {
    email: "no address",
    name: HOSTILE,
    role: "editor",
  });
  assert.equal(wrong.status, 422);
  assert.match(wrong.body, /id="field-email-error">Is not an e-mail address/);
  assert.match(wrong.body, ESCAPED);
  assert.match(wrong.body, /value="editor" checked/);
  const added = await owner.post(`${USERS}/new`, "create", {
    ...{ email: "eve@example.org", name: HOSTILE, role: "editor" },
  });
  assert.equal(added.status, 200);
  const eve = await userOf("eve@example.org");
  assert.deepEqual(eve.roles, [{ account: 1, role: "editor" }]);
  const listed = await owner.get(USERS);
  assert.match(listed.body, ESCAPED);
  assert.equal(linkIn(listed.body), "");
  const browser = server.browser();
  assert.match(listed.body, />Invited</);
  const password = "correct horse battery";
  assert.equal((await browser.post(linkIn(added.body), "accept", { password })).status, 303);
  assert.equal((await browser.get("/console/1/settings")).status, 200);
  const again = await owner.post(`${USERS}/new`, "create", { email: "eve@example.org", role: "viewer" });
  assert.match(again.body, /id="field-email-error">A user with this address already exists/);
});

test("an owner withdraws an invitation and makes another; a sign-in link is for those with a password", async () => {
  const added = await owner.post(`${USERS}/new`, "create", { email: "fay@example.org", role: "viewer" });
  const { id } = await userOf("fay@example.org");
  const path = `${USERS}/${id}`;
  assert.match((await owner.get(path)).body, /The invitation works until/);
  assert.equal((await owner.post(path, "withdraw")).status, 303);
  assert.equal((await server.browser().get(linkIn(added.body))).status, 404);
  assert.match((await owner.get(path)).body, /No invitation is open/);
  assert.equal((await owner.post(path, "withdraw")).status, 422);
  const again = linkIn((await owner.post(path, "invite")).body);
  const fields = { password: "correct horse battery" };
  assert.equal((await server.browser().post(again, "accept", fields)).status, 303);
  assert.match((await owner.post(path, "invite")).body, /has a password already/);
  assert.deepEqual(formsIn((await owner.get(path)).body), ["role", "link", "end-session", "disable"]);
  assert.equal((await editor.post(path, "invite")).status, 403);
});

test("an invitation stays with another role in its account, and ends with one elsewhere, which is said", async () => {
  const added = await owner.post(`${USERS}/new`, "create", { email: "gus@example.org", role: "viewer" });
  const { id } = await userOf("gus@example.org");
  const changed = await owner.post(`${USERS}/${id}`, "role", { role: "editor" });
  assert.doesNotMatch((await owner.follow(changed)).body, /The invitation has ended/);
  assert.equal((await server.browser().get(linkIn(added.body))).status, 200);

  const path = `/console/installation/users/${id}`;
  const said = /The invitation has ended, because whoever made it .*; invite the user again\./;
  const given = { account: "2", role: "viewer" };
  assert.match((await administrator.follow(await administrator.post(path, "role", given))).body, said);
  assert.equal((await server.browser().get(linkIn(added.body))).status, 404);
  assert.match(
    (await administrator.get(path)).body,
    /No invitation is open\..*gets a role in a further account/,
  );
  const again = linkIn((await administrator.post(path, "invite")).body);
  const first = await administrator.post(path, "administrator", { isAdministrator: "yes" });
  assert.match((await administrator.follow(first)).body, said);
  assert.equal((await server.browser().get(again)).status, 404);
});

test("an administrator adds somebody who has a role elsewhere, and changes nobody's role by that", async () => {
  const other = await server.signedIn("viewer", 2);
  const email = other.user.email;
  assert.equal((await owner.post(`${USERS}/new`, "create", { email, role: "viewer" })).status, 422);
  const added = await administrator.post(`${USERS}/new`, "create", { email, role: "editor" });
  assert.equal(added.headers.get("location"), `${USERS}/${other.user.id}`);
  assert.equal((await userOf(email)).roles.length, 2);
  const again = await administrator.post(`${USERS}/new`, "create", { email, role: "viewer" });
  assert.equal(again.status, 422);
  assert.deepEqual((await userOf(email)).roles[0], { account: 1, role: "editor" });
  const page = await owner.get(`${USERS}/${other.user.id}`);
  assert.match(page.body, /Only an administrator manages this user/);
  assert.deepEqual(formsIn(page.body), ["role"]);
  assert.equal((await owner.post(`${USERS}/${other.user.id}`, "link")).status, 403);
});

test("an owner changes a role, and two who do are told of each other", async () => {
  const { user } = await server.signedIn("viewer");
  const path = `${USERS}/${user.id}`;
  const version = fieldIn(await owner.get(path), "version") ?? assert.fail();
  assert.equal((await owner.post(path, "role", { role: "editor", version })).status, 303);
  assert.equal((await owner.post(path, "role", { role: "owner", version })).status, 409);
  assert.deepEqual((await userOf(user.email)).roles, [{ account: 1, role: "editor" }]);
  const removed = await owner.post(path, "role", { role: "" });
  assert.equal(removed.headers.get("location"), USERS);
  assert.equal((await owner.get(path)).status, 404);
});

test("an owner ends a session, revokes a token, resets the second factor, disables and enables a user", async () => {
  const person = await server.signedIn("viewer");
  const { id, email } = person.user;
  const path = `${USERS}/${id}`;
  await person.post("/console/me", "create-token", {
    tokenName: HOSTILE,
    tokenRole: "viewer",
    tokenDays: "30",
  });
  const totp = { id, within: null, secret: TOTP_SECRET };
  await server.store.users.enrolTotp(totp);
  await server.store.users.confirmTotp({ ...totp, step: 1, recoveryHashes: [], at: server.now });
  const { body } = await owner.get(path);
  assert.match(body, ESCAPED);
  const idIn = (name: string): string => new RegExp(`name="${name}" value="(\\d+)"`).exec(body)?.[1] ?? "";
  const expected = ["role", "invite", "reset-factor", "end-session", "revoke-token", "disable"];
  assert.deepEqual(formsIn(body), expected);
  assert.equal((await owner.post(path, "revoke-token", { token: idIn("token") })).status, 303);
  assert.match((await owner.get(path)).body, /The user has no token/);
  assert.equal((await owner.post(path, "reset-factor")).status, 303);
  assert.equal((await userOf(email)).totpSince, null);
  assert.equal((await owner.post(path, "end-session", { session: idIn("session") })).status, 303);
  assert.match((await person.get("/console/me")).headers.get("location") ?? "", /sign-in/);
  assert.equal((await owner.post(path, "disable")).status, 303);
  assert.deepEqual(formsIn((await owner.get(path)).body), ["role", "enable"]);
  assert.equal((await owner.post(path, "link")).status, 422);
  assert.equal((await owner.post(path, "enable")).status, 303);
  assert.equal((await userOf(email)).disabledAt, null);
});

test("the own page leads to the own account, and has no form", async () => {
  const { body } = await owner.get(`${USERS}/${owner.user.id}`);
  assert.match(body, /href="\/console\/me">Your account/);
  assert.deepEqual(formsIn(body), []);
});

test("an editor sees no users; a user of another account is not found", async () => {
  const stranger = await server.signedIn("viewer", 2);
  for (const path of [USERS, `${USERS}/new`, `${USERS}/${owner.user.id}`])
    assert.equal((await editor.get(path)).status, 403, path);
  assert.equal((await owner.get(`${USERS}/${stranger.user.id}`)).status, 404);
  assert.equal((await owner.get("/console/2/settings/users")).status, 404);
});

test("in the installation an administrator adds a user, gives roles, and makes an administrator", async () => {
  const added = await administrator.post("/console/installation/users/new", "create", {
    ...{ email: "root@example.org", name: HOSTILE },
  });
  const path = added.headers.get("location") ?? "";
  assert.match((await administrator.follow(added)).body, ESCAPED);
  assert.equal((await administrator.post(path, "role", { account: "2", role: "owner" })).status, 303);
  assert.deepEqual((await userOf("root@example.org")).roles, [{ account: 2, role: "owner" }]);
  assert.equal((await administrator.post(path, "role", { account: "99", role: "owner" })).status, 422);
  assert.equal((await administrator.post(path, "administrator", { isAdministrator: "yes" })).status, 303);
  assert.equal((await userOf("root@example.org")).isAdministrator, true);
  assert.match((await administrator.get(path)).body, /Take this away/);
  assert.match((await administrator.get("/console/installation/users")).body, ESCAPED);
});
