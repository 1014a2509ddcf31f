/** Senders in the console. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Browser, fieldIn } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const SENDERS = "/console/1/settings/senders";
const HOSTILE = `<img src=x onerror="alert(1)"> & 'co'`;

let server: ConsoleServer;
let owner: Browser;
let editor: Browser;
let viewer: Browser;
before(async () => {
  server = await startConsole();
  for (const name of ["Acme", "Other"]) await server.store.accounts.create({ name, at: 1 });
  owner = await server.signedIn("owner");
  editor = await server.signedIn("editor");
  viewer = await server.signedIn("viewer");
});
after(async () => {
  assert.deepEqual(server.defects, []);
  await server.close();
});
const values = {
  ...{
    fromName: "Shop",
    fromAddress: "news@example.org",
    replyTo: "",
    postalAddress: "1 Main Street\r\nLondon",
  },
  ...{ relays: "", relayPassword: "", bounceDomain: "", signing: "relay", dkimDomain: "", dkimSelector: "" },
  ...{ perSecond: "", perDomainMinute: "", perDay: "" },
};
async function create(given: Partial<typeof values> = {}): Promise<number> {
  const created = await owner.post(`${SENDERS}/new`, "create", { ...values, ...given });
  assert.equal(created.status, 303, created.body.match(/field-error[^<]*>[^<]*/g)?.join() ?? created.body);
  return Number(/\d+$/.exec(created.headers.get("location") ?? "")?.[0]);
}
const stored = (id: number) => server.store.senders.toSendWith({ account: 1, id });
const textAreaIn = (body: string, name: string): string =>
  new RegExp(`<textarea[^>]*name="${name}"[^>]*>\\n([^<]*)`).exec(body)?.[1] ?? "";

test("without senders, an owner is asked to create one, and others are told who can", async () => {
  assert.match((await owner.get(SENDERS)).body, /No senders yet.*Create a sender/s);
  const { body } = await viewer.get(SENDERS);
  assert.match(body, /A user with the role owner can create senders/);
  assert.doesNotMatch(body, /senders\/new/);
  assert.equal((await editor.get(`${SENDERS}/new`)).status, 403);
});

const foldsIn = (body: string) =>
  [...body.matchAll(/<details class="fold"( open)?><summary>([^<]*)/g)].flatMap(([, open, title]) =>
    open === undefined ? [] : [title],
  );

test("the form of a sender folds what has no value, and says what the relay of the installation is", async () => {
  const form = (await owner.get(`${SENDERS}/new`)).body;
  assert.match(form, /The relay of the installation: messages are written to files, and not sent\./);
  assert.deepEqual(foldsIn(form), []);
  const refused = await owner.post(`${SENDERS}/new`, "create", {
    ...values,
    signing: "mailroll",
    perDay: "x",
  });
  assert.deepEqual(foldsIn(refused.body), ["Limits"]);
  const id = await create({ relays: "smtp://relay.example.org", perSecond: "3" });
  assert.deepEqual(foldsIn((await owner.get(`${SENDERS}/${id}/change`)).body), [
    "Relays",
    "Signature (DKIM)",
    "Limits",
  ]);
  await server.store.senders.delete({ account: 1, id });
});

test("a sender whose messages are written to files says so", async () => {
  const [own, files] = [await create({ relays: "smtp://relay.example.org" }), await create()];
  const written = /badge warning">Written to files</;
  assert.match((await viewer.get(`${SENDERS}/${files}`)).body, written);
  assert.doesNotMatch((await viewer.get(`${SENDERS}/${own}`)).body, written);
  const rows = (await viewer.get(SENDERS)).body.split("<tr>");
  assert.equal(rows.filter((row) => written.test(row)).length, 1);
  const overview = async () => (await owner.get("/console/1")).body;
  assert.match(await overview(), /Campaigns are written to files, and not sent.*Set MAILROLL_SMTP/s);
  await server.store.senders.delete({ account: 1, id: files });
  assert.doesNotMatch(await overview(), /written to files/);
  await server.store.senders.delete({ account: 1, id: own });
});

test("an owner creates a sender, and copies its DNS records", async () => {
  const given = { signing: "mailroll", dkimSelector: "s1", fromName: HOSTILE, perDay: "500" };
  const created = await owner.post(`${SENDERS}/new`, "create", { ...values, ...given });
  const { body } = await owner.follow(created);
  assert.match(body, /The sender was created/);
  assert.match(body, /data-copy><code>s1\._domainkey\.example\.org</);
  assert.match(body, /data-copy><code>v=DKIM1; k=rsa; p=[\w+/=]{392}</);
  assert.match(body, /1 Main Street<br>London/);
  assert.match(body, /500 per day/);
  assert.doesNotMatch(body, /<img src=x|PRIVATE KEY/);
  const id = Number(/\d+$/.exec(created.headers.get("location") ?? "")?.[0]);
  assert.match((await viewer.get(SENDERS)).body, /&lt;img src=x.*news@example\.org/s);
  const seen = (await viewer.get(`${SENDERS}/${id}`)).body;
  assert.doesNotMatch(seen, /Check now|\/change"/);
  assert.equal((await viewer.get(`/console/2/settings/senders/${id}`)).status, 404);
});

test("a wrong value is explained beside its field, and no password is sent back", async () => {
  const wrong = await owner.post(`${SENDERS}/new`, "create", {
    ...values,
    ...{ postalAddress: " ", relays: "smtp://shop:PASSW0RD@mail.example.org=2", relayPassword: "PASSW0RD" },
  });
  assert.equal(wrong.status, 422);
  assert.match(wrong.body, /id="field-postalAddress-error">Must not be empty/);
  assert.doesNotMatch(wrong.body, /PASSW0RD/);
  assert.equal(textAreaIn(wrong.body, "relays"), "smtp://shop@mail.example.org=2");
  assert.equal(fieldIn(wrong, "fromAddress"), "news@example.org");
  const limit = await owner.post(`${SENDERS}/new`, "create", { ...values, perDay: "many" });
  assert.match(limit.body, /id="field-perDay-error">Must be a whole number/);
  const inner = await owner.post(`${SENDERS}/new`, "create", { ...values, relays: "smtp://127.0.0.1" });
  assert.match(inner.body, /id="field-relays-error">The relay 127\.0\.0\.1 is inside the network/);
});

test("a change keeps the password, unless a new one is typed", async () => {
  const id = await create({ relays: "smtp://shop@mail.example.org:587=3", relayPassword: "p4ss one%" });
  const url = (password: string) => `smtp://shop:${password}@mail.example.org:587`;
  assert.deepEqual((await stored(id))?.relays, [{ url: url("p4ss%20one%25"), weight: 3 }]);
  const path = `${SENDERS}/${id}/change`;
  const form = await owner.get(path);
  assert.doesNotMatch(form.body, /p4ss/);
  const shown = { relays: textAreaIn(form.body, "relays"), version: fieldIn(form, "version") ?? "" };
  assert.equal(shown.relays, "smtp://shop@mail.example.org:587=3");
  const renamed = await owner.post(path, "change", { ...values, ...shown, fromName: "Store" });
  assert.equal(renamed.status, 303);
  const kept = await stored(id);
  assert.deepEqual([kept?.fromName, kept?.relays], ["Store", [{ url: url("p4ss%20one%25"), weight: 3 }]]);
  const outdated = await owner.post(path, "change", { ...values, ...shown, fromName: "Other" });
  assert.equal(outdated.status, 409);
  const version = fieldIn(await owner.get(path), "version") ?? "";
  await owner.post(path, "change", { ...values, ...shown, version, relayPassword: "second" });
  assert.deepEqual((await stored(id))?.relays, [{ url: url("second"), weight: 3 }]);
});

test("a form that is refused asks for the password again, because it is neither stored nor sent back", async () => {
  const id = await create({ relays: "smtp://shop@mail.example.org:587", relayPassword: "first" });
  const path = `${SENDERS}/${id}/change`;
  const form = await owner.get(path);
  const version = fieldIn(form, "version") ?? "";
  const relays = textAreaIn(form.body, "relays");
  const again = /id="field-relayPassword-error">Enter the password again; it was not saved\.</;
  const inSummary = /<a href="#field-relayPassword">Password of the relay: enter the password again/;
  const post = (given: object) => owner.post(path, "change", { ...values, relays, version, ...given });
  for (const wrong of [{ perDay: "many" }, { postalAddress: " " }, { version: "0" }])
    for (const password of [
      { relayPassword: "PASSW0RD" },
      { relays: "smtp://shop:PASSW0RD@mail.example.org:587" },
    ]) {
      const { status, body } = await post({ ...wrong, ...password });
      assert.ok(status === 422 || status === 409, String(status));
      assert.match(body, again);
      assert.match(body, inSummary);
      assert.doesNotMatch(body, /PASSW0RD/);
    }
  assert.doesNotMatch((await post({ perDay: "many" })).body, again, "no password was typed");
  assert.doesNotMatch((await owner.get(path)).body, again);
  const typed = { ...values, postalAddress: " ", relays, relayPassword: "PASSW0RD" };
  assert.match((await owner.post(`${SENDERS}/new`, "create", typed)).body, again);
  assert.deepEqual((await stored(id))?.relays[0]?.url, "smtp://shop:first@mail.example.org:587");
});

test("a check is a form, which shows what was found; looking at the page asks nobody", async () => {
  const id = await create({ bounceDomain: "bounces.example.org" });
  const path = `${SENDERS}/${id}`;
  assert.doesNotMatch((await editor.get(path)).body, /No answer/);
  const { status, body } = await editor.post(path, "check");
  assert.equal(status, 200);
  assert.match(body, /Not everything is in place yet/);
  assert.match(body, /MX <span class="badge warning">No answer/);
  assert.match(
    body,
    /Relay <span class="badge info">Note<\/span><\/h3>\s*<p>Messages are written to a folder/,
  );
  assert.equal((await viewer.post(path, "check")).status, 403);
});

test("a key is replaced, and a sender is deleted, after a question", async () => {
  const id = await create({ signing: "mailroll" });
  const before = (await stored(id))?.dkimKey;
  assert.match((await owner.get(`${SENDERS}/${id}/new-key`)).body, /Replace the DKIM key\?/);
  const replaced = await owner.follow(await owner.post(`${SENDERS}/${id}/new-key`, "replace"));
  assert.match(replaced.body, /mailroll2\._domainkey\.example\.org/);
  assert.notEqual((await stored(id))?.dkimKey, before);
  assert.match((await owner.get(`${SENDERS}/${id}/delete`)).body, /Its DKIM key and the passwords/);
  assert.equal((await editor.post(`${SENDERS}/${id}/delete`, "delete")).status, 403);
  const deleted = await owner.follow(await owner.post(`${SENDERS}/${id}/delete`, "delete"));
  assert.match(deleted.body, /was deleted/);
  assert.equal(await stored(id), null);
});

test("a new sender begins with what it sends with; the form then asks only for what that needs", async () => {
  const chooser = await owner.get(`${SENDERS}/provider`);
  assert.match(chooser.body, /What do you send with\?.*senders\/new\?provider=ses".*Postmark.*own"/s);
  assert.equal((await viewer.get(`${SENDERS}/provider`)).status, 403);
  const form = await owner.get(`${SENDERS}/new?provider=ses`);
  const namesIn = (body: string): readonly string[] =>
    [...body.matchAll(/<(?:input|textarea)[^>]* name="(\w+)"/g)].map(([, name = ""]) => name);
  const names = namesIn(form.body);
  for (const name of ["region", "user", "password", "fromAddress"]) assert.ok(names.includes(name), name);
  for (const name of ["relays", "relayPassword", "bounceDomain", "signing", "dkimDomain", "stream", "host"])
    assert.ok(!names.includes(name), name);
  assert.match(form.body, /Request production access/);
  const sendgrid = namesIn((await owner.get(`${SENDERS}/new?provider=sendgrid`)).body);
  assert.ok(!sendgrid.includes("user") && !sendgrid.includes("region"));
  const { relays: _, relayPassword: __, bounceDomain: ___, signing: ____, ...own } = values;
  const given = { ...own, region: "eu-west-1", user: "AKIA", password: "s3cret" };
  const wrong = await owner.post(`${SENDERS}/new?provider=ses`, "create", { ...given, region: "Ireland" });
  assert.equal(wrong.status, 422);
  assert.match(wrong.body, /id="field-region-error">Must be the name of a region/);
  assert.match(wrong.body, /id="field-password-error">Enter the password again/);
  assert.doesNotMatch(wrong.body, /s3cret/);
  const created = await owner.post(`${SENDERS}/new?provider=ses`, "create", given);
  assert.equal(created.status, 303, created.body);
  const id = Number(/\d+$/.exec(created.headers.get("location") ?? "")?.[0]);
  const { relays, signing } = (await stored(id)) ?? {};
  assert.deepEqual(relays, [{ url: "smtp://AKIA:s3cret@email-smtp.eu-west-1.amazonaws.com:587", weight: 1 }]);
  assert.equal(signing, "relay");
});
