/** Campaigns that wait for a limit or a slow relay do not stop the campaigns of others. On SQLite. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { SenderValues } from "#domain/ports/sending/senders.ts";
import type { Store } from "#domain/ports/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { startFaultyRelay } from "../smtp/faulty-relay.ts";
import {
  type Campaign,
  change,
  checkBalance,
  draft,
  draftLike,
  emails,
  mailingOf,
  select,
  startSending,
  until,
  untilState,
  untilTrue,
} from "./sending.ts";

const RUNS = 8;

let folder: string;
let store: Store;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "mailroll-slices-"));
  store = await SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 5, bytes: 2 ** 28 });
});
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** As many as there are places. */
async function fill(
  addresses: readonly string[],
  sender: Partial<SenderValues>,
): Promise<readonly Campaign[]> {
  const first = await draft(store, addresses, sender);
  const campaigns = [first];
  while (campaigns.length < RUNS) campaigns.push(await draftLike(store, first));
  for (const campaign of campaigns) await select(store, campaign);
  return campaigns;
}
/** The campaign of another account is sent to its end, and those of the first one lose nothing. */
async function sendAnother(slow: readonly Campaign[], relay: { readonly complete: readonly string[] }) {
  const another = await draft(store, emails(3, "another.example"));
  await change(store, another, "schedule");
  const { counts } = await untilState(store, another, "finished");
  assert.equal(counts.sent, 3);
  assert.equal(relay.complete.filter((address) => address.endsWith("@another.example")).length, 3);
  for (const campaign of slow) {
    assert.equal((await mailingOf(store, campaign)).state, "sending");
    await checkBalance(store, campaign);
  }
}

const threeDomains = ["one", "two", "three"].flatMap((name) => emails(100, `${name}.example`));

test("campaigns that wait for a limit by domain make room for another account", async () => {
  await using relay = await startFaultyRelay({});
  const slow = await fill(threeDomains, { perDomainMinute: 1 });
  await using sending = startSending(store, relay.url);
  await untilTrue(() => relay.complete.length >= 3, "the limit of each domain is reached");
  await sendAnother(slow, relay);
  assert.deepEqual(sending.seen, ["began"]);
  await sending.stop();
  for (const campaign of slow) await change(store, campaign, "cancel");
});

test("campaigns that wait for a limit by domain make room for others of the same account", async () => {
  await using relay = await startFaultyRelay({});
  const slow = await fill(threeDomains, { perDomainMinute: 1 });
  const [first] = slow;
  assert.ok(first);
  await using sending = startSending(store, relay.url);
  await untilTrue(() => relay.complete.length >= 3, "the limit of each domain is reached");
  // Somebody in another domain on another list, so that the limit allows one more.
  const list = await first.by.list();
  await first.by.add(list, "ada@four.example");
  const more = await draftLike(store, first);
  const { account, campaign } = more;
  const changed = await store.mailings.setContent({ account, campaign, changes: { lists: [list] } });
  assert.ok(changed !== null && "content" in changed);
  await change(store, more, "schedule");
  assert.equal((await untilState(store, more, "finished")).counts.sent, 1);
  await sending.stop();
  for (const one of slow) await change(store, one, "cancel");
});

test("campaigns whose relay does not reply make room for another account", async () => {
  await using stalling = await startFaultyRelay({ at: (step) => (step === "dot" ? "stall" : undefined) });
  await using relay = await startFaultyRelay({});
  const slow = await fill(emails(40), {
    relays: [{ url: stalling.url, weight: 1, allowsInner: true }],
  });
  await using sending = startSending(store, relay.url, { connections: 2 });
  await untilTrue(() => stalling.complete.length >= 2, "all connections wait for a reply");
  await sendAnother(slow, relay);
  await sending.stop();
  for (const campaign of slow) await change(store, campaign, "cancel");
});

test("a relay that fails when the campaign starts nothing more is noted", async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket.on("error", () => {}))).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const campaign = await draft(store, emails(2));
  await select(store, campaign);
  const { port } = silent.address() as AddressInfo;
  await using sending = startSending(store, `smtp://127.0.0.1:${port}`);
  await untilTrue(() => sockets.size === 2, "both messages wait for the greeting");
  // The runner looks every 50 ms which campaigns it sends.
  await change(store, campaign, "pause");
  await sleep(500);
  silent.close();
  for (const socket of sockets) socket.destroy();
  await untilTrue(() => sending.seen.some((line) => line.startsWith("relay failed: ")), "it is noted");
  await sending.stop();
  const { state, counts } = await mailingOf(store, campaign);
  assert.deepEqual([state, counts.queued], ["paused", 2]);
  await change(store, campaign, "cancel");
});

test("a campaign that was preempted for another one is sent to its end, once to each recipient", async () => {
  await using relay = await startFaultyRelay({});
  const slow = await fill(emails(30), { perSecond: 60 });
  await using sending = startSending(store, relay.url);
  await until(store, slow[0] as Campaign, ({ counts }) => counts.sent > 0);
  const another = await draft(store, emails(3, "another.example"));
  await change(store, another, "schedule");
  for (const campaign of [another, ...slow]) {
    const { counts, selected } = await untilState(store, campaign, "finished");
    assert.equal(counts.sent, selected);
    await checkBalance(store, campaign);
  }
  assert.equal(relay.complete.length, 30 * RUNS + 3);
  assert.deepEqual(sending.seen, ["began"]);
});
