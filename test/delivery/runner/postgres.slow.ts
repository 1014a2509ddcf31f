/** The common suite on PostgreSQL, and several nodes that send the same campaign. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { databaseClock } from "#app/delivery.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { sharedPostgres } from "../../shared-postgres.ts";
import { startFaultyRelay } from "../smtp/faulty-relay.ts";
import {
  change,
  checkBalance,
  draft,
  emails,
  loseProcess,
  mailingOf,
  select,
  startSending,
  until,
  untilState,
  untilTrue,
} from "./sending.ts";
import { sendingSuite } from "./suite.ts";

const postgres = await sharedPostgres();
const retention = { days: 90, rows: 5, bytes: 2 ** 28 };

sendingSuite("PostgreSQL", async () => PostgresStore.open(await postgres.newDatabase(), retention));

test("two nodes share a campaign: nobody gets it twice", async () => {
  const url = await postgres.newDatabase();
  const [one, other] = await Promise.all([
    PostgresStore.open(url, retention),
    PostgresStore.open(url, retention),
  ]);
  try {
    await using relay = await startFaultyRelay({});
    const campaign = await draft(one, emails(1200));
    await select(one, campaign);
    await using first = startSending(one, relay.url);
    await using second = startSending(other, relay.url);
    await untilTrue(() => first.stored() > 0 && second.stored() > 0, "both send");
    const { counts } = await untilState(one, campaign, "finished");
    assert.equal(counts.sent, 1200);
    assert.equal(new Set(relay.complete).size, 1200);
    assert.equal(relay.complete.length, 1200);
    await checkBalance(one, campaign);
    assert.deepEqual([...first.seen, ...second.seen], []);
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
});

test("a campaign that one node holds for its processor time stays held on the other; nobody gets it twice", async () => {
  const url = await postgres.newDatabase();
  const [one, other] = await Promise.all([
    PostgresStore.open(url, retention),
    PostgresStore.open(url, retention),
  ]);
  try {
    await using relay = await startFaultyRelay({});
    const loops = "{% for i in (1..900) %}{% for j in (1..900) %}{% assign x = j %}{% endfor %}{% endfor %}";
    const costly = `{% if email == "p700@example.net" %}${loops}{% endif %}`;
    const campaign = await draft(one, emails(1000), {}, costly);
    await select(one, campaign);
    await using first = startSending(one, relay.url, { messageCpuMs: 400 });
    await using second = startSending(other, relay.url, { messageCpuMs: 400 });
    await untilState(one, campaign, "held");
    const held = await until(one, campaign, ({ counts }) => counts.sending === 0);
    await setTimeout(500);
    assert.deepEqual(await mailingOf(one, campaign), held, "ten looks of each node later");
    await Promise.all([first.stop(), second.stop()]);
    await using _patientFirst = startSending(one, relay.url);
    await using _patientSecond = startSending(other, relay.url);
    await change(one, campaign, "resume");
    const { counts } = await untilState(one, campaign, "finished");
    assert.equal(counts.unknown, held.counts.unknown);
    // The costly message is skipped if its template exceeds another limit.
    assert.ok(counts.sent + counts.unknown >= 999, JSON.stringify(counts));
    assert.equal(new Set(relay.complete).size, relay.complete.length);
    assert.ok(relay.complete.length >= counts.sent);
    await checkBalance(one, campaign);
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
});

test("a node whose clock is wrong takes over nobody of a live one, and its own leases are right", async () => {
  const store = await PostgresStore.open(await postgres.newDatabase(), retention);
  try {
    await using relay = await startFaultyRelay({});
    const ofOther = await draft(store, emails(20));
    await select(store, ofOther);
    await loseProcess(store, ofOther, 3, 60_000);
    for (const wrongMs of [100_000, -100_000, 0]) {
      const differences: number[] = [];
      const wrong = () => Date.now() + wrongMs;
      const { clock, sync } = databaseClock(store, wrong, (ms) => differences.push(ms), wrong);
      const own = await draft(store, emails(20));
      await select(store, own);
      await using sending = startSending(store, relay.url, { clock, syncClock: sync });
      assert.equal((await untilState(store, own, "finished")).counts.sent, 20);
      await sending.stop();
      assert.deepEqual(sending.seen, []);
      const { counts } = await mailingOf(store, ofOther);
      assert.deepEqual([counts.sending, counts.unknown], [3, 0], `${wrongMs} ms`);
      assert.deepEqual(differences.map(Math.sign), wrongMs === 0 ? [] : [-Math.sign(wrongMs)]);
      assert.ok(Math.abs(clock() - Date.now()) < 50_000, `${wrongMs} ms`);
    }
  } finally {
    await store.close();
  }
});
