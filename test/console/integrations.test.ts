/** The pages about API keys: what they show, create, change and revoke. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { SNIPPET_EMAIL, snippets } from "#console/pages/integrations/snippets.ts";
import { storedForm } from "#domain/access/key.ts";
import { DAY_MS, dayOf } from "#domain/calendar.ts";
import { quirkKinds } from "#domain/statistics.ts";
import { fieldIn } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const HOSTILE = `<img src=x onerror="alert(1)">'"&amp;`;
const ESCAPED = "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&#39;&quot;&amp;amp;";
const NOW = Date.UTC(2026, 10, 16, 12);
const PAGE = "/console/1/integrations";

let server: ConsoleServer;
before(async () => {
  server = await startConsole();
  server.now = NOW;
  for (const name of ["Acme", "Other", "Empty"]) await server.store.accounts.create({ name, at: 1 });
});
after(async () => {
  await server.close();
  assert.deepEqual(server.defects, []);
});

let made = 0;
async function newKey(label: string, account = 1, given: { readonly expiresAt?: number } = {}) {
  made += 1;
  const key = await server.store.keys.create({
    ...storedForm(`AB${made}CDEF0123456789ABCDEF01234567`),
    ...{ account, label, scope: "full", expiresAt: null, at: NOW - 40 * DAY_MS, ...given },
  });
  assert.ok(key);
  return key;
}
const called = (key: number, program: string, calls: number, daysAgo = 0, refusals = 0, faults = 0) => ({
  ...{ key, day: dayOf(NOW) - daysAgo, program, calls, refusals, faults },
});

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
/** The code in the block with this label. */
function codeIn(body: string, label: string): string {
  const [, code = ""] = new RegExp(`aria-label="${label}"[^>]*><code>([^<]*)</code>`).exec(body) ?? [];
  return code.replace(/&([#\w]+);/g, (_, name: string) => entities[name] ?? assert.fail(name));
}

test("without a key, the page says what to do first, to those who may do it", async () => {
  const owner = await server.signedIn("owner", 3);
  const { status, body } = await owner.get("/console/3/integrations");
  assert.equal(status, 200);
  assert.match(body, /No program is connected yet/);
  assert.match(body, /href="\/console\/3\/integrations\/new"/);
  const viewer = await server.signedIn("viewer", 3);
  assert.doesNotMatch((await viewer.get("/console/3/integrations")).body, /integrations\/new/);
});

test("every key is listed with its programs, calls, refusals, faults and quirks, and names are escaped", async () => {
  const { store } = server;
  const key = await newKey(HOSTILE);
  await store.statistics.addCalls({
    calls: [
      called(key.id, HOSTILE, 1200, 0, 34, 5),
      called(key.id, "PHP-SOAP 8.2", 300, 29),
      called(key.id, "curl 8.5", 20, 3),
      called(key.id, "Too old", 9000, 30),
    ],
    quirks: [
      { key: key.id, quirk: "http-1.0", program: HOSTILE, seenAt: NOW - DAY_MS },
      { key: key.id, quirk: "wsdl-every-call", program: HOSTILE, seenAt: NOW - 40 * DAY_MS },
    ],
  });
  await newKey("Expired", 1, { expiresAt: NOW - 1 });
  await newKey("Soon", 1, { expiresAt: NOW + 3 * DAY_MS });
  const viewer = await server.signedIn("viewer");
  const { body } = await viewer.get(PAGE);
  assert.ok(body.includes(ESCAPED));
  assert.doesNotMatch(body, /<img src=x/);
  assert.match(body, /1,520/);
  assert.match(body, /1,520 in 30 days, of which 39 were refused or failed/);
  assert.match(body, /PHP-SOAP 8\.2 and 1 more/);
  assert.match(body, /HTTP\/1\.0/);
  assert.doesNotMatch(body, /No WSDL cache/, "it was seen too long ago");
  assert.match(body, /Expired<\/span>/);
  assert.match(body, /Expires in 3 days/);
  assert.match(body, /A token is for scripts.*href="\/console\/1\/settings\/tokens"/);
});

test("more keys than fit are on further pages", async () => {
  const account = (await server.store.accounts.create({ name: "Many", at: 1 })).id;
  for (let n = 1; n <= 21; n += 1) await newKey(`Key number ${n};`, account);
  const viewer = await server.signedIn("viewer", account);
  const first = await viewer.get(`/console/${account}/integrations`);
  assert.match(first.body, /Key number 20;/);
  assert.doesNotMatch(first.body, /Key number 21;/);
  const [, next = ""] = /href="([^"]*\?after=[^"]*)"/.exec(first.body) ?? [];
  const second = await viewer.get(next);
  assert.match(second.body, /Key number 21;/);
  assert.match(second.body, /\?before=/);
});

test("a key has a page with its numbers over 30 or 90 days, its programs and what to do about quirks", async () => {
  const key = await newKey("Shop");
  await server.store.statistics.addCalls({
    calls: [
      called(key.id, "PHP-SOAP 8.2", 300, 1, 3, 6),
      called(key.id, HOSTILE, 7, 2),
      called(key.id, "PHP-SOAP 8.2", 700, 80),
    ],
    quirks: quirkKinds.map((quirk) => ({ key: key.id, quirk, program: HOSTILE, seenAt: NOW - DAY_MS })),
  });
  const viewer = await server.signedIn("viewer");
  const { body } = await viewer.get(`${PAGE}/${key.id}`);
  assert.match(body, /<dt>Calls<\/dt><dd><span class="stat-value">307</);
  assert.match(body, /Calls per day, 18 Oct to 16 Nov: 307 calls\./);
  assert.match(body, /3 refused, 6 faults\./);
  assert.match(body, new RegExp(`href="/console/1/refused-calls\\?key=${key.id}"`));
  assert.doesNotMatch(body, /<img src=x/);
  for (const advice of [/charset=utf-8/, /HTTP\/1\.1/, /soap\.wsdl_cache_enabled/])
    assert.match(body, advice);
  assert.doesNotMatch(body, /\/change"|\/revoke"/, "a viewer cannot change it");
  const longer = await viewer.get(`${PAGE}/${key.id}?days=90`);
  assert.match(longer.body, /<span class="stat-value">1,007</);
  assert.match(longer.body, /\?days=90" aria-current="page"/);
  assert.equal((await viewer.get(`${PAGE}/${key.id}?days=4000`)).status, 200);
});

test("a key of another account, and one that does not exist, is not found on any page", async () => {
  const foreign = await newKey("Foreign", 2);
  const owner = await server.signedIn("owner");
  for (const id of [foreign.id, 999_999, "x"])
    for (const path of ["", "/change", "/revoke"])
      assert.equal((await owner.get(`${PAGE}/${id}${path}`)).status, 404, `${id}${path}`);
  for (const form of ["change", "revoke"])
    assert.ok((await owner.post(`${PAGE}/${foreign.id}/${form}`, form, { name: "Mine" })).status >= 400);
  const [kept] = (await server.store.keys.all.page({ account: 2 }, { after: null, limit: 1 })).rows;
  assert.deepEqual(kept, foreign);
});

test("only owners create, change and revoke keys", async () => {
  const key = await newKey("Kept");
  for (const role of ["viewer", "editor"] as const) {
    const browser = await server.signedIn(role);
    assert.doesNotMatch((await browser.get(PAGE)).body, /integrations\/new/);
    for (const path of ["new", `${key.id}/change`, `${key.id}/revoke`])
      assert.equal((await browser.get(`${PAGE}/${path}`)).status, 403, path);
    assert.equal((await browser.post(`${PAGE}/new`, "create", { name: "X", scope: "full" })).status, 403);
    assert.equal((await browser.post(`${PAGE}/${key.id}/revoke`, "revoke")).status, 403);
  }
  assert.deepEqual(await server.store.keys.byId({ account: 1, id: key.id }), key);
});

test("a new key is shown once, with programs that contain the address, the key and a list of the account", async () => {
  const account = (await server.store.accounts.create({ name: "New", at: 1 })).id;
  await server.store.lists.create({ account: 1, name: "Of another account", at: 1 });
  const list = await server.store.lists.create({ account, name: HOSTILE, at: 1 });
  const owner = await server.signedIn("owner", account);
  const path = `/console/${account}/integrations`;
  const created = await owner.post(`${path}/new`, "create", {
    ...{ name: HOSTILE, scope: "full", expires: "2027-01-31", existing: "" },
  });
  assert.equal(created.status, 200);
  assert.equal(created.headers.get("cache-control"), "no-store");
  assert.doesNotMatch(created.body, /<img src=x/);
  const secret = codeIn(created.body, "The API key");
  assert.match(secret, /^[0-9A-F]{32}$/);
  const expected = snippets({ base: server.origin, key: secret, list: list.id });
  for (const { language, code } of expected) {
    const shown = codeIn(created.body, `Program in ${language}`);
    assert.equal(shown, code, language);
    for (const part of [`${server.origin}/default.asmx`, secret, SNIPPET_EMAIL])
      assert.ok(shown.includes(part), `${language}: ${part}`);
    assert.match(shown, new RegExp(`(?:LIST_ID|ListId) = ${list.id}\\b|ListID>${list.id}<`), language);
  }
  const [key] = (await server.store.keys.all.page({ account }, { after: null, limit: 2 })).rows;
  assert.partialDeepStrictEqual(key, { label: HOSTILE, scope: "full", expiresAt: Date.UTC(2027, 1, 1) });
  assert.doesNotMatch((await owner.get(path)).body, new RegExp(secret));
});

test("a key that may only read gets programs that show the lists; so does an account without a list", async () => {
  const owner = await server.signedIn("owner", 3);
  for (const scope of ["read", "full"]) {
    const { body } = await owner.post("/console/3/integrations/new", "create", { name: scope, scope });
    for (const { language } of snippets({ base: "", key: "", list: null }))
      assert.match(codeIn(body, `Program in ${language}`), /Client.?GetSubscribersLists/i, language);
  }
});

test("an existing key is taken over, and its programs contain it, whatever characters it has", async () => {
  const existing = `it's-"a"\\$HOME<&>${made}`;
  const owner = await server.signedIn("owner");
  const form = { name: "Taken over", scope: "read", existing: ` ${existing} ` };
  const { status, body } = await owner.post(`${PAGE}/new`, "create", form);
  assert.equal(status, 200);
  assert.equal(codeIn(body, "The API key"), existing.toUpperCase());
  const command = codeIn(body, "Program in curl");
  const shell = ["-c", `curl() { printf '%s\\0' "$@"; }; ${command}`];
  const { stdout } = await promisify(execFile)("sh", shell);
  assert.match(stdout, /<APIKey>IT'S-"A"\\\$HOME&lt;&amp;(?:&gt;|>)/);

  const again = await owner.post(`${PAGE}/new`, "create", form);
  assert.equal(again.status, 422);
  assert.match(again.body, /id="field-existing-error">The key already exists/);
});

const wrong: readonly (readonly [Readonly<Record<string, string>>, field: string, text: RegExp])[] = [
  [{ existing: "short" }, "existing", /Must have 8 to 128 printable characters/],
  [{ name: "a\tb" }, "name", /no control characters/],
  [{ expires: "2026-11-15" }, "expires", /Must be in the future/],
  [{ expires: "tomorrow" }, "expires", /Choose a date/],
  [{ expires: "2026-02-30" }, "expires", /Choose a date/],
  [{ scope: "all" }, "scope", /Choose what the key may do/],
];
for (const [given, field, text] of wrong)
  test(`creating a key with ${JSON.stringify(given)} says what is wrong beside the field, and keeps what was typed`, async () => {
    const owner = await server.signedIn("owner");
    const { status, body } = await owner.post(`${PAGE}/new`, "create", {
      ...{ name: "Kept text", scope: "read", expires: "", existing: "" },
      ...given,
    });
    assert.equal(status, 422);
    const [, problem = ""] = new RegExp(`id="field-${field}-error">([^<]*)<`).exec(body) ?? [];
    assert.match(problem, text);
    if (given.name === undefined) assert.match(body, /value="Kept text"/);
    if (given.scope === undefined) assert.match(body, /value="read" checked/);
  });

test("an owner renames a key and sets until when it works, by the days of their time zone", async () => {
  const key = await newKey("Before", 1, { expiresAt: NOW + DAY_MS + 5 });
  const owner = await server.signedIn("owner");
  await owner.post("/console/me", "profile", { name: "", timeZone: "America/New_York" });
  const path = `${PAGE}/${key.id}/change`;
  const shown = await owner.get(path);
  assert.equal(fieldIn(shown, "name"), "Before");
  assert.equal(fieldIn(shown, "expires"), "2026-11-17");
  const version = fieldIn(shown, "version") ?? "";

  const renamed = await owner.post(path, "change", { name: HOSTILE, expires: "2026-11-17", version });
  assert.equal(renamed.status, 303);
  assert.ok((await owner.follow(renamed)).body.includes(ESCAPED));
  const kept = await server.store.keys.byId({ account: 1, id: key.id });
  assert.partialDeepStrictEqual(kept, { label: HOSTILE, expiresAt: key.expiresAt });

  const stale = await owner.post(path, "change", { name: "Lost", expires: "", version });
  assert.equal(stale.status, 409);
  assert.match(stale.body, /value="Lost"/);

  const fresh = fieldIn(await owner.get(path), "version") ?? "";
  await owner.post(path, "change", { name: "After", expires: "", version: fresh });
  const open = await server.store.keys.byId({ account: 1, id: key.id });
  assert.partialDeepStrictEqual(open, { label: "After", expiresAt: null });

  const last = fieldIn(await owner.get(path), "version") ?? "";
  await owner.post(path, "change", { name: "After", expires: "2026-12-24", version: last });
  const ends = await server.store.keys.byId({ account: 1, id: key.id });
  assert.equal(ends?.expiresAt, Date.UTC(2026, 11, 25, 5));
});

test("a key that has expired can be renamed without another date", async () => {
  const key = await newKey("Late", 1, { expiresAt: NOW - 5 * DAY_MS });
  const owner = await server.signedIn("owner");
  const path = `${PAGE}/${key.id}/change`;
  const shown = await owner.get(path);
  const expires = fieldIn(shown, "expires") ?? "";
  const version = fieldIn(shown, "version") ?? "";
  assert.equal((await owner.post(path, "change", { name: "Later", expires, version })).status, 303);
  assert.match((await owner.get(`${PAGE}/${key.id}`)).body, /This key has expired/);
});

test("the page that revokes a key says which programs stop working, and how many calls a day", async () => {
  const key = await newKey("Shop 2");
  await server.store.statistics.addCalls({
    calls: [
      called(key.id, "PHP-SOAP 8.2", 7000),
      called(key.id, HOSTILE, 70, 6),
      called(key.id, "Gone", 5, 9),
    ],
    quirks: [],
  });
  const owner = await server.signedIn("owner");
  const path = `${PAGE}/${key.id}/revoke`;
  const asked = await owner.get(path);
  assert.match(asked.body, /About 1,010 calls a day stop working/);
  assert.match(asked.body, /PHP-SOAP 8\.2, &lt;img/);
  assert.doesNotMatch(asked.body, /Gone|<img src=x/);
  assert.equal((await server.store.keys.byId({ account: 1, id: key.id }))?.revokedAt, null);

  const revoked = await owner.post(path, "revoke", { version: fieldIn(asked, "version") ?? "" });
  assert.equal(revoked.status, 303);
  const page = await owner.follow(revoked);
  assert.match(page.body, /The key “Shop 2” is revoked\./);
  assert.match(page.body, /This key is revoked/);
  assert.doesNotMatch(page.body, /\/change"|\/revoke"/);
  assert.equal((await server.store.keys.byId({ account: 1, id: key.id }))?.revokedAt, NOW);
  assert.equal((await owner.get(path)).status, 303);
});

test("a key that nobody uses is revoked without a warning about programs; a short one asks for a new one", async () => {
  const owner = await server.signedIn("owner");
  const short = await server.store.keys.create({
    ...storedForm("SHORTKEY1"),
    ...{ account: 1, label: "", scope: "full", expiresAt: null, at: 1 },
  });
  const { body } = await owner.get(`${PAGE}/${short?.id}`);
  assert.match(body, /<h1>SHOR…<\/h1>/);
  assert.match(body, /fewer than 16 characters and may be guessed/);
  assert.match(body, /No program has used this key yet/);
  const { body: asked } = await owner.get(`${PAGE}/${short?.id}/revoke`);
  assert.match(asked, /No program has called with this key in the last 7 days/);
  assert.doesNotMatch(asked, /These programs called/);
});
