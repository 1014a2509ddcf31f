/**
 * A campaign through a relay that accepts 14 messages a second, and then 3: on both databases, and with two
 * nodes. `MAILROLL_TEST_PACE=100000` sends so many milliseconds at each pace, instead of 16 seconds.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Store } from "#domain/ports/store.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sharedPostgres } from "../../shared-postgres.ts";
import { checkBalance, draft, emails, mailingOf, select, startSending, untilState } from "./sending.ts";
import { shares, startThrottledRelay } from "./throttled-relay.ts";

const PERIOD_MS = Number(process.env["MAILROLL_TEST_PACE"] ?? 16_000);
const SETTLING_MS = Math.min(20_000, PERIOD_MS / 2);
/** In a short period, the pace has hardly risen again after the change, and the machine may be busy. */
const LEAST_SHARE = SETTLING_MS < 20_000 ? 0.6 : 0.85;
/** What is left after both is sent at a pace that rises slowly. */
const timeout = 4 * PERIOD_MS + 60_000;
const retention = { days: 90, rows: 5, bytes: 2 ** 28 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-pace-"));
after(() => rmSync(folder, { recursive: true }));

async function sends(stores: readonly Store[]): Promise<void> {
  const [store] = stores;
  assert.ok(store);
  await using relay = await startThrottledRelay(14);
  const people = Math.ceil((15 * PERIOD_MS) / 1000);
  const campaign = await draft(store, emails(people));
  await select(store, campaign);
  let deferred = 0;
  const nodes = stores.map((one) => startSending(one, relay.url, { connections: 40 }));
  const began = performance.now();
  const watch = setInterval(() => {
    void mailingOf(store, campaign).then(({ counts }) => {
      deferred += counts.deferred;
    });
  }, 500);
  await setTimeout(PERIOD_MS);
  relay.setRate(3);
  const changed = performance.now();
  const ends = changed + PERIOD_MS;
  while (performance.now() < ends && (await mailingOf(store, campaign)).state !== "finished")
    await setTimeout(250);
  const measured = {
    first: shares(relay.attempts, began + SETTLING_MS, changed),
    afterChange: shares(relay.attempts, changed, changed + SETTLING_MS),
    last: shares(relay.attempts, changed + SETTLING_MS, performance.now()),
  };
  console.log(JSON.stringify(measured));
  relay.setRate(1000);
  const { counts } = await untilState(store, campaign, "finished");
  clearInterval(watch);
  await Promise.all(nodes.map((node) => node.stop()));
  assert.deepEqual(counts, { ...counts, sent: people, failed: 0, unknown: 0, skipped: 0, deferred: 0 });
  assert.equal(deferred, 0, "nobody was deferred at any time");
  await checkBalance(store, campaign);
  const accepted = relay.attempts.filter(({ isAccepted }) => isAccepted).map(({ to }) => to);
  assert.deepEqual(accepted.toSorted(), emails(people).toSorted());
  for (const { seen } of nodes) assert.deepEqual(seen, []);
  assert.ok(measured.first.perSecond >= LEAST_SHARE * 14, JSON.stringify(measured));
  assert.ok(measured.last.perSecond >= LEAST_SHARE * 3, JSON.stringify(measured));
  for (const { refused, count } of [measured.first, measured.last])
    assert.ok(refused <= Math.max(0.05, 3 / count), JSON.stringify(measured));
  assert.ok(measured.afterChange.refused <= 0.25, JSON.stringify(measured));
}

describe("the pace of a relay", { concurrency: 4, timeout }, () => {
  test("is found and kept on SQLite", { timeout }, async () => {
    const store = await SqliteStore.open(join(folder, "m.db"), retention);
    await sends([store]);
    await store.close();
  });
  test("is found and kept on PostgreSQL", { timeout }, async () => {
    const postgres = await sharedPostgres();
    const store = await PostgresStore.open(await postgres.newDatabase(), retention);
    await sends([store]);
    await store.close();
  });
  test("is not needed by a sender with a limit below it: nothing is refused", async () => {
    const store = await SqliteStore.open(join(folder, "limited.db"), retention);
    await using relay = await startThrottledRelay(14);
    const campaign = await draft(store, emails(180), { perSecond: 12 });
    await select(store, campaign);
    const began = performance.now();
    const node = startSending(store, relay.url, { connections: 40 });
    const { counts } = await untilState(store, campaign, "finished");
    assert.equal(counts.sent, 180);
    assert.ok(performance.now() - began >= 13_000, "12 a second");
    assert.deepEqual(
      relay.attempts.filter(({ isAccepted }) => !isAccepted),
      [],
    );
    await node.stop();
    await store.close();
  });
  test("is shared by two nodes", { timeout }, async () => {
    const postgres = await sharedPostgres();
    const url = await postgres.newDatabase();
    const stores = await Promise.all([
      PostgresStore.open(url, retention),
      PostgresStore.open(url, retention),
    ]);
    await sends(stores);
    await Promise.all(stores.map((store) => store.close()));
  });
});
