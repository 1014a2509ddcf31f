/** The installation in the console: for administrators only, and without any secret. */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";
import { loadConfig } from "#app/settings/load-config.ts";
import type { Browser } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const SECRET = "s3cretS3cretS3cret";
const HOSTILE = `<b onclick="x()">Acme</b>`;
const ESCAPED = /&lt;b onclick=&quot;x\(\)&quot;&gt;Acme&lt;\/b&gt;/;
const PAGES = ["", "/users", "/users/new", "/audit-log", "/jobs"].map(
  (path) => `/console/installation${path}`,
);

let server: ConsoleServer;
let administrator: Browser;
let owner: Browser;
before(async () => {
  const { shown } = loadConfig({
    flags: { port: "9999", "metrics-token": SECRET },
    env: {
      MAILROLL_API_KEY: SECRET,
      MAILROLL_DATABASE: `postgres://user:${SECRET}@db.example.org/mailroll`,
      MAILROLL_REPLICA: `postgres://db.example.org/mailroll?password=${SECRET}`,
    },
    folder: tmpdir(),
  });
  server = await startConsole({ settings: shown });
  await server.store.accounts.create({ name: HOSTILE, at: 1 });
  administrator = await server.signedIn(null);
  owner = await server.signedIn("owner");
});
after(async () => {
  assert.deepEqual(server.defects, []);
  await server.close();
});

test("administrators see every page of the installation; an owner sees none, and no link to it", async () => {
  for (const path of PAGES) {
    assert.equal((await administrator.get(path)).status, 200, path);
    assert.equal((await owner.get(path)).status, 403, path);
  }
  assert.match((await administrator.get("/console/1/settings")).body, /href="\/console\/installation"/);
  assert.doesNotMatch((await owner.get("/console/1/settings")).body, /console\/installation/);
});

test("settings are shown with the source of their values, and never with a secret", async () => {
  const { body } = await administrator.get("/console/installation");
  assert.doesNotMatch(body, new RegExp(SECRET.slice(0, 6)));
  const row = (name: string): string =>
    body.split("<tr>").find((one) => one.includes(`<span>${name}</span>`)) ?? assert.fail(name);
  assert.match(row("port"), /9999.*Flag/);
  assert.match(row("database"), /postgres:\/\/db\.example\.org\/mailroll<.*Environment/);
  assert.match(row("bodyLimit"), /4MiB.*Default/);
  assert.match(row("metricsToken"), /set, not shown.*Flag/);
  assert.match(row("apiKey"), /set, not shown.*Environment/);
  assert.match(row("keyRate"), /not set/);
});

test("names of accounts are escaped wherever the installation shows them", async () => {
  await administrator.post("/console/1/settings", "rename", { name: `${HOSTILE}!` });
  for (const page of ["/audit-log", "/users"]) {
    const { body } = await administrator.get(`/console/installation${page}`);
    assert.match(body, ESCAPED, page);
    assert.doesNotMatch(body, /<b onclick/, page);
  }
});

test("the audit log names the API key that made a change, with a link to its page", async () => {
  const key = await server.store.keys.create({
    ...{ account: 1, hash: Buffer.alloc(32), hint: "f3a9", length: 32, label: HOSTILE, scope: "full" },
    ...{ expiresAt: null, at: 1 },
  });
  assert.ok(key);
  await server.store.lists.create({
    ...{ account: 1, name: "News", at: 1 },
    audit: { at: server.now, origin: { kind: "key", key: key.id }, from: null, action: "list.create" },
  });
  const { body } = await administrator.get("/console/installation/audit-log?action=list.create");
  assert.match(body, new RegExp(`href="/console/1/integrations/${key.id}">${ESCAPED.source}</a>`));
});

test("the jobs of the service are listed, and those of an account lead to their page", async () => {
  await server.store.jobs.ensurePeriodic({ now: server.now });
  const job = await server.store.jobs.start({
    ...{ account: 1, kind: "dismiss-refusals", name: "dismiss-refusals 1 Subscriber.Add UnknownList" },
    args: { operation: "Subscriber.Add", outcome: "UnknownList", key: null, upTo: 1 },
    ...{ total: 1, at: server.now, lease: { owner: "nobody", until: 1 }, audited: {} },
  });
  const { body } = await administrator.get("/console/installation/jobs");
  assert.match(body, /Delete what is older than it is kept/);
  assert.match(body, new RegExp(`href="/console/1/jobs/${job?.id}"`));
});

test("a job of the service has a page of its own, for administrators only", async () => {
  await server.store.jobs.ensurePeriodic({ now: server.now });
  const { body } = await administrator.get("/console/installation/jobs");
  const path =
    /href="(\/console\/installation\/jobs\/\d+)">Delete what is older than it is kept</.exec(body)?.[1] ??
    assert.fail(body);
  const page = await administrator.get(path);
  assert.equal(page.status, 200);
  assert.match(page.body, /<h1>Delete what is older than it is kept<\/h1>/);
  assert.match(page.body, /Next run<\/dt>/);
  assert.match(page.body, /It cannot be cancelled/);
  assert.match(page.body, /href="\/console\/installation\/jobs"/);
  assert.equal((await administrator.post(path, "cancel")).status, 422);
  assert.equal((await owner.get(path)).status, 403);
  assert.equal((await administrator.get("/console/installation/jobs/99999")).status, 404);
});
