/** Failed log-ins, guessed codes, and changes of users who have changed meanwhile, over the API. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { PASSWORD, startUserService, type UserService } from "./user-service.ts";

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

test("a log-in that fails says so, and not that a token is needed", async () => {
  const { id } = await newUser("typo@example.org", "viewer");
  await send(administrator, "PUT", `/users/${id}/password`, { password: PASSWORD });
  for (const [email, password] of [
    ["typo@example.org", "wrong password"],
    ["nobody@example.org", PASSWORD],
  ]) {
    const { status, json } = await send(null, "POST", "/log-in", { email, password });
    assert.deepEqual([status, json.title], [401, "The log-in failed"]);
    assert.match(String(json.type), /#problem-log-in-failed$/);
    assert.match(String(json.detail), /^The e-mail address, the password or the code is wrong/);
  }
});

test("wrong codes of a confirmation are counted for the user, and after ten of them right ones are refused", async () => {
  const { id } = await newUser("codes@example.org", "viewer");
  await send(administrator, "PUT", `/users/${id}/password`, { password: PASSWORD });
  const token = await loggedIn("codes@example.org");
  const enrolled = await send(token, "POST", "/me/totp", { password: PASSWORD });
  const wrong = { code: "1" };
  for (let n = 0; n < 5; n += 1) {
    assert.equal((await send(token, "POST", "/me/totp/confirm", wrong)).status, 400);
    assert.equal((await send(administrator, "POST", `/users/${id}/totp/confirm`, wrong)).status, 400);
  }
  const code = new TOTP({ secret: Secret.fromBase32(String(enrolled.json.secret)) }).generate();
  for (const [by, path] of [
    [token, "/me/totp/confirm"],
    [administrator, `/users/${id}/totp/confirm`],
    [administrator, `/accounts/1/users/${id}/totp/confirm`],
  ] as const) {
    const refused = await send(by, "POST", path, { code });
    assert.equal(refused.status, 429, path);
    assert.match(String(refused.json.detail), /^Too many wrong codes/);
  }
});

test("a change of a user who has changed since is refused, whichever change it is", async () => {
  const { id } = await newUser("changed@example.org", "viewer");
  const one = `/accounts/1/users/${id}`;
  const tag = async (path: string) => (await send(administrator, "GET", path)).etag;
  const versionIn = (etag: string): string => etag.slice(0, etag.indexOf("."));
  const [seen, everywhere] = [await tag(one), await tag(`/users/${id}`)];
  await send(administrator, "PUT", `/accounts/2/users/${id}/role`, { role: "viewer" });
  assert.equal(
    versionIn(await tag(one)),
    versionIn(seen),
    "a role in another account is not shown by the version",
  );
  assert.notEqual(versionIn(await tag(`/users/${id}`)), versionIn(everywhere));
  const changed = await send(owner, "PUT", `${one}/role`, { role: "editor" }, { "If-Match": seen });
  assert.equal(changed.status, 200);
  const changes: readonly (readonly [string, string, object?])[] = [
    ["PATCH", one, { name: "X" }],
    ["PUT", `${one}/role`, { role: null }],
    ["POST", `${one}/disable`],
    ["POST", `${one}/enable`],
    ["PATCH", `/users/${id}`, { name: "X" }],
    ["PUT", `/users/${id}/administrator`, { isAdministrator: true }],
    ["POST", `/users/${id}/disable`],
  ];
  for (const [method, path, body] of changes) {
    const { status } = await send(administrator, method, path, body, { "If-Match": seen });
    assert.equal(status, 412, `${method} ${path}`);
  }
  const { json } = await send(administrator, "GET", `/users/${id}`);
  assert.deepEqual([json.name, json.isAdministrator, json.disabledAt], [null, false, null]);
});
