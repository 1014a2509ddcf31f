/** Users, log-ins and tokens over the API. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import type { AccountRole } from "../../../src/domain/role.ts";
import { hashToken, newToken } from "../../../src/domain/user-token.ts";
import { sendRequest } from "../../send-request.ts";
import { type Service, startService } from "../../service.ts";
import { addressOf } from "../../store/actor.ts";

const PASSWORD = "correct horse battery";
let service: Service;
let [administrator, owner] = ["", ""];
before(async () => {
  service = await startService();
  await service.store.accounts.create({ name: "Other", at: 1 });
  administrator = (await newUser("root@example.org", null)).token;
  owner = (await newUser("owner@example.org", "owner")).token;
});
after(() => service.close());

async function newUser(email: string, role: AccountRole | null, account = 1) {
  const { users } = service.store;
  const user = await users.create({
    address: addressOf(email),
    name: "",
    isAdministrator: role === null,
    role: role === null ? null : { account, role },
    at: Date.now(),
  });
  assert.ok(typeof user === "object");
  const token = newToken();
  const given = { user: user.id, name: "t", role: "administrator", expiresAt: null, at: Date.now() } as const;
  await users.createToken({ ...given, isLogIn: false, hash: hashToken(token) });
  return { id: user.id, token };
}

interface Answer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}
async function send(
  token: string | null,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { status, body: text } = await sendRequest(`${service.origin}/api/v2${path}`, {
    method,
    headers: {
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status, json: text === "" ? {} : (JSON.parse(text) as Answer["json"]) };
}
const pointerOf = ({ json }: Answer): unknown =>
  (json.errors as readonly { readonly pointer: string }[] | undefined)?.[0]?.pointer;

test("a user is created by an owner, logs in with a password and works until logging out", async () => {
  const email = "ada@example.org";
  const created = await send(owner, "POST", "/accounts/1/users", { email, name: "Ada", role: "editor" });
  assert.equal(created.status, 201);
  const { id } = created.json;
  const one = `/accounts/1/users/${String(id)}`;
  assert.deepEqual((await send(owner, "GET", one)).json, created.json);
  assert.deepEqual(created.json.roles, [{ account: "1", role: "editor" }]);
  const credentials = { email, password: PASSWORD };
  assert.equal((await send(null, "POST", "/log-in", credentials)).status, 401);
  const set = await send(owner, "POST", `${one}/password`, { password: PASSWORD });
  assert.deepEqual([set.status, typeof set.json.passwordSetAt], [200, "string"]);
  const logIn = await send(null, "POST", "/log-in", credentials);
  assert.deepEqual([logIn.status, logIn.json.isLogIn, logIn.json.role], [201, true, "editor"]);
  const token = String(logIn.json.token);
  const me = await send(token, "GET", "/me");
  assert.deepEqual([me.status, me.json.email, me.json.token], [200, email, logIn.json.id]);
  assert.equal((await send(token, "POST", "/accounts/1/lists", { name: "News" })).status, 201);
  assert.equal((await send(token, "GET", "/accounts/1/users")).status, 403);
  const made = await send(token, "POST", "/me/tokens", { name: "Report", role: "viewer" });
  assert.deepEqual([made.status, made.json.role], [201, "viewer"]);
  assert.equal((await send(String(made.json.token), "POST", "/me/tokens", { name: "x" })).status, 403);
  const { items } = (await send(token, "GET", "/me/tokens")).json as { items: readonly { name: string }[] };
  assert.deepEqual(
    items.map((item) => item.name),
    ["log-in", "Report"],
  );
  assert.doesNotMatch(JSON.stringify(items), /mrt_/);
  assert.equal((await send(token, "POST", `/me/tokens/${String(me.json.token)}/revoke`)).status, 200);
  assert.equal((await send(token, "GET", "/me")).status, 401);
});

test("the own password is changed with the old one, and no request with a password can be repeated by a key", async () => {
  const { id, token } = await newUser("bob@example.org", "viewer");
  await send(administrator, "POST", `/users/${id}/password`, { password: PASSWORD });
  const body = { oldPassword: "wrong", password: "another good one" };
  const wrong = await send(token, "POST", "/me/password", body);
  assert.deepEqual([wrong.status, pointerOf(wrong)], [400, "#/oldPassword"]);
  assert.doesNotMatch(JSON.stringify(wrong.json), /another good one/);
  const right = { ...body, oldPassword: PASSWORD };
  const key = { "Idempotency-Key": "k1" };
  for (const [path, given] of [
    ["/me/password", right],
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
  assert.equal((await send(token, "POST", "/me/password", right)).status, 204);
});

test("a log-in with a second factor says that a code is missing, and takes one", async () => {
  const email = "eve@example.org";
  const { id, token } = await newUser(email, "viewer");
  await send(administrator, "POST", `/users/${id}/password`, { password: PASSWORD });
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
  assert.equal((await send(owner, "POST", path, { email: "ROOT@example.org", role: "viewer" })).status, 409);
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
  assert.deepEqual([made.status, made.json.roles], [201, []]);
  const one = `/users/${String(made.json.id)}`;
  assert.equal((await send(administrator, "PATCH", one, { name: "New" })).json.name, "New");
  assert.equal(
    (await send(administrator, "PUT", `${one}/administrator`, { isAdministrator: true })).status,
    200,
  );
  const token = await send(administrator, "POST", `${one}/tokens`, { name: "App" });
  assert.equal((await send(String(token.json.token), "GET", "/users")).status, 200);
  const disabled = await send(administrator, "POST", `${one}/disable`);
  assert.equal(typeof disabled.json.disabledAt, "string");
  assert.equal((await send(String(token.json.token), "GET", "/users")).status, 401);
  assert.equal((await send(administrator, "POST", `${one}/enable`)).json.disabledAt, null);
  assert.equal((await send(String(token.json.token), "GET", "/users")).status, 200);
});
