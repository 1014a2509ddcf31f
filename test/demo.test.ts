/** The demo: what it shows, of what it is made and made again, and that it never sends anything. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { serve } from "#app/app.ts";
import { demo } from "#app/demo.ts";
import { Log } from "#app/log/log.ts";
import type { Running } from "#app/service.ts";
import { loadConfig } from "#app/settings/load-config.ts";
import { createSignInLink } from "#auth/users/sign-in-links.ts";
import { consoleLink } from "#console/console-path.ts";
import { storedForm } from "#domain/access/key.ts";
import { parseAddress } from "#domain/address.ts";
import { collect } from "#domain/paging.ts";
import { emptyContent } from "#domain/sending/mailing.ts";
import { requestLease } from "#jobs/foreground.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { finishJobs } from "./api/v2/finish-jobs.ts";
import { Installation } from "./cli/program.ts";
import { Browser } from "./console/browser.ts";
import { KEY } from "./service.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-demo-"));
let relay: Server;
let connections = 0;
let relayUrl = "";
before(async () => {
  relay = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const address = relay.address();
  assert.ok(typeof address === "object" && address !== null);
  relayUrl = `smtp://127.0.0.1:${address.port}`;
});
after(() => {
  relay.close();
  rmSync(folder, { recursive: true });
});

function start(makesDemo: boolean, name = "m"): Promise<Running> {
  const flags = {
    port: "0",
    database: `sqlite:${join(folder, `${name}.db`)}`,
    log: "silent",
    dns: "127.0.0.1:9",
  };
  const config = loadConfig({ flags: { ...flags, smtp: relayUrl }, env: {}, folder });
  return serve({ ...config, smtp: relayUrl }, new Log("silent"), { makesDemo });
}

/** By the link, or by a new one. */
async function signedIn({ port, store }: Running, link?: string): Promise<Browser> {
  const origin = `http://localhost:${port}`;
  const url = link ?? consoleLink(origin, (await createSignInLink(store, 1, Date.now())).secret);
  const browser = new Browser(origin);
  assert.equal((await browser.post(url.slice(origin.length), "sign-in")).status, 303);
  return browser;
}

test("a demo is filled once, stays a demo, and hands nothing over to any relay", async () => {
  const first = await start(true);
  const { store, firstStart } = first;
  try {
    const browser = await signedIn(first, firstStart?.consoleLink);
    const account = 1;
    const { body } = await browser.get(`/console/${account}`);
    assert.match(body, /Winter roasts/);
    assert.doesNotMatch(body, /First steps/);
    await finishJobs(store);
    const campaigns = await collect(store.campaigns.all.pages({ account }));
    assert.deepEqual(
      campaigns.map(({ sentAt }) => sentAt !== null),
      [false, true, true, true, true],
    );
    assert.ok(((await store.accounts.byId({ id: account }))?.activeSubscribers ?? 0) > 2500);
    assert.deepEqual(
      (await store.health.recount()).filter(({ kept, counted }) => kept !== counted),
      [],
    );
    const [entry] = await collect(store.imports.all.pages({ account }));
    assert.ok(entry?.finishedAt);
    assert.ok((await collect(store.refusals.all.pages({ account }))).length > 2);
  } finally {
    await first.close();
  }
  await assert.rejects(start(true), /a demo needs an empty database, and this one has an account; .*--demo/);

  const again = await start(false);
  try {
    assert.ok(again.demo !== null);
    assert.equal(again.demo.outbox, join(folder, "outbox"));
    const of = { account: 1, campaign: 5 };
    const relays = [{ url: relayUrl, weight: 1, allowsInner: true }];
    await again.store.senders.set({ account: 1, id: 1, relays });
    const now = Date.now();
    await again.store.mailings.setContent({ ...of, changes: { lists: [3], excludedLists: [] } });
    await again.store.mailings.change({ ...of, change: "schedule", at: now, now, allowsHttp: true });
    for (let tries = 0; tries < 200; tries += 1) {
      if ((await again.store.mailings.byId(of))?.mailing.state === "finished") break;
      await delay(100);
    }
    const ended = await again.store.mailings.byId(of);
    assert.equal(ended?.mailing.state, "finished");
    assert.ok(ended.mailing.counts.sent > 100);
    assert.ok(existsSync(again.demo.outbox));

    const browser = await signedIn(again);
    const shown = /This database is a demo, which sends nothing: messages are written to files, whatever/;
    const sender = "/console/1/settings/senders/1";
    const checked = await browser.post(sender, "check");
    assert.match(checked.body, shown);
    assert.match(checked.body, /Written to files/);
    assert.doesNotMatch(checked.body, /The connection to/);
    for (const path of ["/console/1", `${sender}/change`]) {
      const { body } = await browser.get(path);
      assert.match(body, shown, path);
      assert.doesNotMatch(body, /set MAILROLL_SMTP/i, path);
    }
    await again.store.mailings.create({
      ...{ account: 1, name: "Next", at: now, content: { ...emptyContent, sender: 1, lists: [3] } },
    });
    const { body } = await browser.get("/console/1/campaigns/6/send");
    assert.match(body, new RegExp(shown.source, "i"));
    assert.match(body, /links lead to this machine only/, "which is no reason not to try it");
    assert.equal(connections, 0);
  } finally {
    await again.close();
  }
});

test("a test message that the command line sends in a demo goes to a file, whatever relays are set", async (t) => {
  const home = new Installation();
  t.after(() => home.remove());
  const outbox = join(folder, "outbox");
  const before = readdirSync(outbox).length;
  const env = { MAILROLL_DATABASE: `sqlite:${join(folder, "m.db")}`, MAILROLL_SMTP: relayUrl };
  const { code, err } = await home.runHere(["campaign", "test", "5", "--to", "me@example.org"], null, env);
  assert.equal(code, 0, err);
  assert.equal(readdirSync(outbox).length, before + 1);
  assert.equal(connections, 0);
});

const open = (name: string) =>
  SqliteStore.open(join(folder, `${name}.db`), { days: 90, rows: 1000, bytes: 2 ** 28 });
const first = {
  ...{ account: demo.account, list: "Newsletter" },
  key: { ...storedForm(KEY), label: "first", scope: "full", expiresAt: null, at: 1 },
} as const;

test("a demo whose filling and whose removal were interrupted is made again by the next start", async () => {
  const now = Date.now();
  const filled = await open("killed");
  const made = await filled.accounts.firstStart({ ...first, demo: demo.program(filled, now, true) });
  assert.ok(made);
  const filling = assert.rejects(demo.fill(filled, made, now));
  while (((await filled.accounts.byId({ id: 1 }))?.activeSubscribers ?? 0) === 0);
  await filled.close();
  await filling;
  const removed = await open("killed");
  await removed.users.create({
    ...{ address: parseAddress(demo.user) ?? assert.fail(), name: "Demo", isAdministrator: true },
    ...{ role: null, at: now },
  });
  const killed = { ...requestLease(now), owner: "a process that was killed" };
  assert.ok(await removed.accounts.delete({ account: 1, at: now, lease: killed }));
  await removed.close();

  await assert.rejects(start(false, "killed"), /the filling of this demo was interrupted.*--demo/);
  const again = await start(true, "killed");
  const { store, firstStart } = again;
  try {
    assert.ok(firstStart?.key);
    assert.deepEqual(
      (await collect(store.accounts.all.pages({}))).map(({ name, activeSubscribers }) => [
        name,
        activeSubscribers > 2500,
      ]),
      [[demo.account, true]],
    );
    assert.equal((await collect(store.users.ofInstallation.pages({}))).length, 1);
  } finally {
    await again.close();
  }
  await assert.rejects(start(true, "killed"), /a demo needs an empty database/);
});

test("a start with --demo leaves an installation that is no demo alone, also if it was never served", async () => {
  const store = await open("real");
  await store.accounts.firstStart(first);
  const program = demo.program(store, 1, false);
  await store.health.startProgram({ ...program, isDemo: false });
  await demo.removeUnfinished(store, 2);
  await store.close();
  await assert.rejects(start(true, "real"), /a demo needs an empty database/);
  const again = await open("real");
  assert.ok(await again.accounts.byId({ id: 1 }));
  assert.equal((await again.health.program())?.isDemo, false);
  await again.close();
});
