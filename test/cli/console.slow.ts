/** `mailroll console …`, and the link that the first start prints. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { Browser } from "../console/browser.ts";
import { Installation } from "./program.ts";

const home = new Installation();
after(() => home.remove());

test("the first start prints a link that creates the first administrator; later ones are for users", async () => {
  const server = await home.serve();
  const origin = server.endpoint.replace("/default.asmx", "");
  const [, path = ""] =
    /^ {2}http:\/\/localhost:\d+(\/console\/link\?token=[\w-]{43})$/m.exec(server.output.out) ?? [];
  const browser = new Browser(origin);
  assert.match((await browser.get(path)).body, /Create the first administrator/);
  const another = await home.json<{ url: string; userId: number | null }>("console", "link");
  assert.equal(another.userId, null);
  // The service has another port than the one that is the default.
  assert.ok(another.url.startsWith(`${origin}/console/link?`), another.url);
  const fields = { email: "ada@example.org", name: "Ada", password: "correct horse battery" };
  assert.equal((await browser.post(path, "create", fields)).status, 303);
  const me = await browser.get("/console/me");
  assert.equal(me.status, 200);
  assert.match(me.body, /ada@example\.org/);

  const refused = await home.runHere(["console", "link"]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /there is an administrator already; .*address/);
  const unknown = await home.runHere(["console", "link", "eve@example.org"]);
  assert.match(unknown.err, /there is no user eve@example\.org/);
  const { url, userId } = await home.json<{ url: string; userId: number }>(
    ...["console", "link", "ADA@example.org", "--base-url", "https://mail.example.org/m/"],
  );
  assert.equal(userId, 1);
  assert.match(url, /^https:\/\/mail\.example\.org\/m\/console\/link\?token=[\w-]{43}$/);
  const other = new Browser(origin);
  assert.equal((await other.post(url.slice(url.indexOf("/console")), "sign-in")).status, 303);
  assert.equal((await other.get("/console/me")).status, 200);

  const { secret } = await home.json<{ secret: string }>("user", "totp", "enrol", "ada@example.org");
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await home.json("user", "totp", "confirm", "ada@example.org", code);
  const asking = await home.runHere(["console", "link", "ada@example.org"]);
  assert.match(asking.out, /asks for a code, .* bin\/mailroll user totp remove ada@example\.org/);

  await server.stop();
  const again = await home.serve();
  assert.match(again.output.out, /^ {2}Console: {2}http:\/\/localhost:\d+\/console\n$/m);
  assert.doesNotMatch(again.output.out, /token/);
  await again.stop();
});
