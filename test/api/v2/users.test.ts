/** Users, log-ins and tokens over the API. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { PASSWORD, pointerOf, startUserService, type UserService } from "./user-service.ts";

let administrator: string;
let owner: string;
let newUser: UserService["newUser"];
let send: UserService["send"];
let loggedIn: UserService["loggedIn"];
let close: UserService["close"];
before(async () => {
  ({ administrator, owner, newUser, send, loggedIn, close } = await startUserService());
});
after(() => close());

test("a user is created by an owner, logs in with a password and works until logging out", async () => {
  const email = "ada@example.org";
  const created = await send(owner, "POST", "/accounts/1/users", { email, name: "Ada", role: "editor" });
  assert.equal(created.status, 201);
  const { id } = created.json;
  const one = `/accounts/1/users/${String(id)}`;
  assert.deepEqual((await send(owner, "GET", one)).json, created.json);
  assert.deepEqual(created.json.roles, [{ accountId: "1", role: "editor" }]);
  const credentials = { email, password: PASSWORD };
  assert.equal((await send(null, "POST", "/log-in", credentials)).status, 401);
  const set = await send(owner, "PUT", `${one}/password`, { password: PASSWORD });
  assert.deepEqual([set.status, typeof set.json.passwordSetAt], [200, "string"]);
  const logIn = await send(null, "POST", "/log-in", credentials);
  assert.deepEqual([logIn.status, logIn.json.isLogIn, logIn.json.role], [201, true, "editor"]);
  const token = String(logIn.json.secret);
  const me = await send(token, "GET", "/me");
  assert.deepEqual([me.status, me.json.email, me.json.tokenId], [200, email, logIn.json.id]);
  assert.equal((await send(token, "POST", "/accounts/1/lists", { name: "News" })).status, 201);
  assert.equal((await send(token, "GET", "/accounts/1/users")).status, 403);
  const made = await send(token, "POST", "/me/tokens", { name: "Report", role: "viewer" });
  assert.deepEqual([made.status, made.json.role], [201, "viewer"]);
  assert.equal((await send(String(made.json.secret), "POST", "/me/tokens", { name: "x" })).status, 403);
  const tokens = (await send(token, "GET", "/me/tokens")).json;
  assert.deepEqual([tokens.next, tokens.previous], [null, null]);
  const { items } = tokens as { items: readonly { name: string }[] };
  assert.deepEqual(
    items.map((item) => item.name),
    ["log-in", "Report"],
  );
  assert.doesNotMatch(JSON.stringify(items), /mrt_/);
  assert.equal((await send(token, "POST", `/me/tokens/${String(me.json.tokenId)}/revoke`)).status, 200);
  assert.equal((await send(token, "GET", "/me")).status, 401);
});

test("the own password is changed with the old one, and no request with a password can be repeated by a key", async () => {
  const { id } = await newUser("bob@example.org", "viewer");
  await send(administrator, "PUT", `/users/${id}/password`, { password: PASSWORD });
  const token = await loggedIn("bob@example.org");
  const body = { oldPassword: "wrong", password: "another good one" };
  const wrong = await send(token, "PUT", "/me/password", body);
  assert.deepEqual([wrong.status, pointerOf(wrong)], [400, "#/oldPassword"]);
  assert.doesNotMatch(JSON.stringify(wrong.json), /another good one/);
  const right = { ...body, oldPassword: PASSWORD };
  const key = { "Idempotency-Key": "k1" };
  for (const [path, given] of [
    ["/me/totp", { password: PASSWORD }],
    ["/log-in", { email: "bob@example.org", password: PASSWORD }],
  ] as const) {
    const refused = await send(token, "POST", path, given, key);
    assert.equal(refused.status, 400, path);
    assert.match(
      String(refused.json.detail),
      /Idempotency-Key: must not be sent with a request that contains a password/,
    );
  }
  assert.equal((await send(token, "PUT", "/me/password", right)).status, 204);
});

test("a log-in with a second factor says that a code is missing, and takes one", async () => {
  const email = "eve@example.org";
  const { id } = await newUser(email, "viewer");
  await send(administrator, "PUT", `/users/${id}/password`, { password: PASSWORD });
  const token = await loggedIn(email);
  const enrolled = await send(token, "POST", "/me/totp", { password: PASSWORD });
  assert.equal(enrolled.status, 201);
  const secret = Secret.fromBase32(String(enrolled.json.secret));
  const code = new TOTP({ secret }).generate();
  const wrong = await send(token, "POST", "/me/totp/confirm", { code: "1" });
  assert.deepEqual([wrong.status, pointerOf(wrong)], [400, "#/code"]);
  const confirmed = await send(token, "POST", "/me/totp/confirm", { code });
  const [recovery = ""] = confirmed.json.recoveryCodes as readonly string[];
  const credentials = { email, password: PASSWORD };
  const missing = await send(null, "POST", "/log-in", credentials);
  assert.deepEqual([missing.status, missing.json.title], [401, "A code is needed"]);
  assert.equal((await send(null, "POST", "/log-in", { ...credentials, code })).status, 401, "used");
  assert.equal((await send(null, "POST", "/log-in", { ...credentials, code: recovery })).status, 201);
  assert.equal((await send(owner, "POST", `/accounts/1/users/${id}/totp/remove`)).status, 204);
  assert.equal((await send(null, "POST", "/log-in", credentials)).status, 201);
});

test("wrong input is refused with its place, and a user of another account is not found", async () => {
  const path = "/accounts/1/users";
  const cases: readonly (readonly [object, string])[] = [
    [{ email: "x", role: "viewer" }, "#/email"],
    [{ email: "x@example.org", role: "administrator" }, "#/role"],
    [{ email: "x@example.org", role: "viewer", isAdministrator: true }, "#/isAdministrator"],
    [{ email: "x@example.org", role: "viewer", name: "a\u0001" }, "#/name"],
  ];
  for (const [body, pointer] of cases)
    assert.equal(pointerOf(await send(owner, "POST", path, body)), pointer, JSON.stringify(body));
  const taken = await send(owner, "POST", path, { email: "ROOT@example.org", role: "viewer" });
  assert.deepEqual([taken.status, pointerOf(taken)], [409, "#/email"]);
  const { id } = await newUser("stranger@example.org", "viewer", 2);
  for (const each of [`${path}/${id}`, `${path}/999999`, `${path}/${id}/tokens`])
    assert.equal((await send(owner, "GET", each)).status, 404, each);
  const role = { role: "viewer" };
  assert.equal((await send(owner, "PUT", `${path}/${id}/role`, role)).status, 404);
  const found = await send(owner, "POST", `${path}:find`, { email: "stranger@example.org" });
  assert.equal(found.status, 404);
  assert.equal((await send(administrator, "PUT", `${path}/${id}/role`, role)).status, 200);
  assert.equal((await send(owner, "POST", `${path}:find`, { email: "stranger@example.org" })).status, 200);
  assert.equal((await send(owner, "PUT", `${path}/${id}/role`, { role: null })).status, 200);
});

test("users of the installation are for administrators, of whom one stays", async () => {
  assert.equal((await send(owner, "GET", "/users")).status, 403);
  const first = await send(administrator, "GET", "/users?limit=2");
  assert.equal((first.json.items as readonly object[]).length, 2);
  const after = `after=${String(first.json.next)}`;
  assert.equal((await send(administrator, "GET", `/users?limit=2&${after}`)).status, 200);
  const { id } = (await send(administrator, "GET", "/me")).json;
  const isAdministrator = false;
  const last = await send(administrator, "PUT", `/users/${String(id)}/administrator`, { isAdministrator });
  assert.deepEqual([last.status, /the last administrator/.test(String(last.json.detail))], [409, true]);
  const made = await send(administrator, "POST", "/users", { email: "new@example.org" });
  assert.deepEqual([made.status, made.json.roles, made.json.name], [201, [], null]);
  const one = `/users/${String(made.json.id)}`;
  assert.equal((await send(administrator, "PATCH", one, { name: "New" })).json.name, "New");
  assert.equal((await send(administrator, "PATCH", one, { name: null })).json.name, null);
  assert.equal(
    (await send(administrator, "PUT", `${one}/administrator`, { isAdministrator: true })).status,
    200,
  );
  const token = await send(administrator, "POST", `${one}/tokens`, { name: "App" });
  assert.equal((await send(String(token.json.secret), "GET", "/users")).status, 200);
  const disabled = await send(administrator, "POST", `${one}/disable`);
  assert.equal(typeof disabled.json.disabledAt, "string");
  assert.equal((await send(String(token.json.secret), "GET", "/users")).status, 401);
  assert.equal((await send(administrator, "POST", `${one}/enable`)).json.disabledAt, null);
  assert.equal((await send(String(token.json.secret), "GET", "/users")).status, 200);
});

test("the token of a program changes nobody's password or second factor, creates no token, and ends no other", async () => {
  const program = await newUser("program@example.org", null, 1, false);
  const other = await newUser("other@example.org", "viewer");
  const body = { password: PASSWORD };
  for (const one of [program.id, other.id]) {
    for (const path of [`/users/${one}`, `/accounts/1/users/${one}`]) {
      assert.equal((await send(program.token, "PUT", `${path}/password`, body)).status, 403);
      assert.equal((await send(program.token, "POST", `${path}/totp`)).status, 403);
      assert.equal((await send(program.token, "POST", `${path}/totp/remove`)).status, 403);
      assert.equal((await send(program.token, "POST", `${path}/tokens`, { name: "x" })).status, 403);
    }
  }
  await send(administrator, "PUT", `/users/${program.id}/password`, body);
  const passwords = { oldPassword: PASSWORD, password: `${PASSWORD} 2` };
  assert.equal((await send(program.token, "PUT", "/me/password", passwords)).status, 403);
  for (const [path, given] of [
    ["/me/totp", body],
    ["/me/totp/remove", body],
    ["/me/totp/confirm", { code: "123456" }],
    ["/me/tokens", { name: "x" }],
  ] as const)
    assert.equal((await send(program.token, "POST", path, given)).status, 403, path);
  const { id } = (await send(null, "POST", "/log-in", { email: "program@example.org", ...body })).json;
  assert.equal((await send(program.token, "POST", `/me/tokens/${String(id)}/revoke`)).status, 403);
  const { tokenId } = (await send(program.token, "GET", "/me")).json;
  assert.equal((await send(program.token, "POST", `/me/tokens/${String(tokenId)}/revoke`)).status, 200);
  assert.equal((await send(program.token, "GET", "/me")).status, 401);
});

test("nobody changes the own password without the old one, whatever the role", async () => {
  const { id, token } = await newUser("self@example.org", null);
  for (const path of [`/users/${id}`, `/accounts/1/users/${id}`]) {
    const { status, json } = await send(token, "PUT", `${path}/password`, { password: PASSWORD });
    assert.equal(status, 403);
    assert.match(String(json.detail), /their own password/);
    assert.equal((await send(token, "POST", `${path}/totp/remove`)).status, 403);
  }
});
