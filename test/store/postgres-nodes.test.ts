/** Two nodes over one PostgreSQL: one is held in the middle of a transaction while the other one works. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { type HoldingProxy, holdingProxy } from "../holding-proxy.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { type Actor, actor, newAccount } from "./actor.ts";
import { wrongNumbers } from "./recount.ts";

const server = await sharedPostgres();
const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };

const WAITS_FOR_LOCK = "wait_event_type = 'Lock'";

interface Nodes {
  /** Of one account: by the node that can be held, and by another one. */
  readonly held: Actor;
  readonly other: Actor;
  readonly store: Store;
  readonly list: number;
  readonly proxy: HoldingProxy;
  /** Resolves when so many sessions are in a state (by default: wait for a lock), or the work is done. */
  readonly waitsOrDone: (work: Promise<unknown>, sessions?: number, state?: string) => Promise<void>;
}

async function withNodes(work: (nodes: Nodes) => Promise<void>): Promise<void> {
  const url = await server.newDatabase();
  const store = await PostgresStore.open(url, retention);
  const account = await newAccount(store);
  const other = actor(store, account, (email) => ({ operation: "Op", args: email, isCut: false }));
  const list = await other.list();
  const proxy = await holdingProxy(url);
  const heldStore = await PostgresStore.open(proxy.url, retention);
  const held = actor(heldStore, account, (email) => ({ operation: "Op", args: email, isCut: false }));
  const rival = new Client({ connectionString: url });
  await rival.connect();
  const waitsOrDone: Nodes["waitsOrDone"] = async (of, sessions = 1, state = WAITS_FOR_LOCK) => {
    const done = new AbortController();
    void Promise.allSettled([of]).then(() => done.abort());
    for (let waiting = 0; !done.signal.aborted && waiting < sessions; ) {
      const { rows } = await rival.query<{ n: string }>(
        `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND ${state}`,
      );
      waiting = Number(rows[0]?.n);
    }
  };
  try {
    await work({ held, other, store, list, proxy, waitsOrDone });
    assert.deepEqual(await wrongNumbers(store), []);
  } finally {
    proxy.release();
    await Promise.all([store.close(), heldStore.close(), rival.end()]);
    await proxy.close();
  }
}

test("lets an opt-out wait for an add of the same subscriber on another node", () =>
  withNodes(async ({ held, other, list, proxy, waitsOrDone }) => {
    const second = await other.list("Second");
    assert.equal(await other.add(list, "ada@example.org"), "Done");
    const isHeld = proxy.holdAt("INSERT INTO membership");
    const adding = held.add(second, "ada@example.org");
    await isHeld;
    const leaving = other.unsubscribe("ada@example.org");
    await waitsOrDone(leaving);
    proxy.release();
    assert.deepEqual(await Promise.all([adding, leaving]), ["Done", "Done"]);
    assert.equal((await other.show("ada@example.org"))?.state, "unsubscribed");
    assert.deepEqual([await other.members(list), await other.members(second)], [0, 0]);
  }));

test("lets an add of an address wait while another node gives that address to a subscriber", () =>
  withNodes(async ({ held, other, list, proxy, waitsOrDone }) => {
    assert.equal(await other.add(list, "ada@example.org"), "Done");
    const isHeld = proxy.holdAt("UPDATE campaign_event");
    const moving = held.move("ada@example.org", "ada@new.example");
    await isHeld;
    const adding = other.add(list, "ada@new.example");
    await waitsOrDone(adding);
    proxy.release();
    assert.deepEqual(await Promise.all([moving, adding]), ["Done", "Done"]);
    assert.equal(await other.members(list), 1);
  }));

test("does not give a subscriber an address that another node is adding", () =>
  withNodes(async ({ held, other, list, proxy, waitsOrDone }) => {
    assert.equal(await other.add(list, "ada@example.org"), "Done");
    const isHeld = proxy.holdAt("INSERT INTO membership");
    const adding = held.add(list, "ada@new.example");
    await isHeld;
    const moving = other.move("ada@example.org", "ada@new.example");
    await waitsOrDone(moving);
    proxy.release();
    assert.deepEqual(await Promise.all([adding, moving]), ["Done", "AddressTaken"]);
    assert.equal(await other.members(list), 2);
  }));

test("adds different subscribers of one account on two nodes side by side", () =>
  withNodes(async ({ held, other, list, proxy }) => {
    assert.equal(await other.add(list, "bob@example.org"), "Done");
    const isHeld = proxy.holdAt("INSERT INTO subscriber");
    const adding = held.add(list, "ada@example.org");
    await isHeld;
    assert.equal(await other.add(list, "eve@example.org"), "Done");
    assert.equal(await other.remove(list, "bob@example.org"), "Done");
    assert.equal(await other.members(list), 1);
    proxy.release();
    assert.equal(await adding, "Done");
    assert.equal(await other.members(list), 2);
  }));

test("repeats a group that adds an address which another node has just added", () =>
  withNodes(async ({ held, other, list, proxy }) => {
    const isHeld = proxy.holdAt("INSERT INTO subscriber");
    const adding = Promise.all(
      ["zoe@example.org", "ada@example.org"].map((email) => held.add(list, email, 5)),
    );
    await isHeld;
    assert.equal(await other.unsubscribe("ada@example.org"), "Done");
    proxy.release();
    assert.deepEqual(await adding, ["Done", "Unsubscribed"]);
    assert.equal(await other.members(list), 1);
  }));

test("repeats a group that loaded a subscriber whom another node created after the group took its locks", () =>
  withNodes(async ({ held, other, list, proxy, waitsOrDone }) => {
    const second = await other.list("Second");
    const loading = proxy.holdAt("SELECT nextval");
    const adding = held.add(list, "ada@example.org");
    await loading;
    await waitsOrDone(adding, 1, "state = 'idle in transaction' AND query LIKE '%FOR UPDATE OF s%'");
    assert.equal(await other.add(second, "ada@example.org"), "Done");
    const saving = proxy.holdAt("INSERT INTO membership");
    proxy.release();
    await saving;
    const leaving = other.unsubscribe("ada@example.org");
    await waitsOrDone(leaving);
    proxy.release();
    assert.deepEqual(await Promise.all([adding, leaving]), ["Done", "Done"]);
    assert.equal(await other.members(list), 0);
  }));

test("keeps the limit of subscribers with two nodes", () =>
  withNodes(async ({ held, other, store, list, proxy, waitsOrDone }) => {
    await store.accounts.set({ id: other.account, settings: { limitSubscribers: 1 } });
    const isHeld = proxy.holdAt("INSERT INTO subscriber");
    const adding = held.add(list, "ada@example.org");
    await isHeld;
    const late = other.add(list, "bob@example.org");
    await waitsOrDone(late);
    proxy.release();
    assert.deepEqual(await Promise.all([adding, late]), ["Done", "LimitReached"]);
  }));

test("keeps a limit that is set while a group is being decided", () =>
  withNodes(async ({ held, other, store, list, proxy, waitsOrDone }) => {
    const isHeld = proxy.holdAt("INSERT INTO subscriber");
    const adding = held.add(list, "ada@example.org");
    await isHeld;
    const limiting = store.accounts.set({ id: other.account, settings: { limitSubscribers: 0 } });
    await waitsOrDone(limiting);
    const late = other.add(list, "bob@example.org");
    await waitsOrDone(late, 2);
    proxy.release();
    assert.deepEqual(await Promise.all([adding, late]), ["Done", "LimitReached"]);
    assert.equal((await limiting)?.limitSubscribers, 0);
  }));

test("creates a field once with two nodes", () =>
  withNodes(async ({ held, other, proxy, waitsOrDone }) => {
    const isHeld = proxy.holdAt("INSERT INTO field");
    const adding = held.field("Size");
    await isHeld;
    const again = other.field("SIZE");
    await waitsOrDone(again);
    proxy.release();
    assert.deepEqual(await Promise.all([adding, again]), ["Done", "FieldExists"]);
  }));

test("counts a call once that two nodes refuse at the same time", () =>
  withNodes(async ({ held, other, store, list, proxy, waitsOrDone }) => {
    const isHeld = proxy.holdAt("COMMIT");
    const refused = held.add(list + 1, "ada@example.org");
    await isHeld;
    const again = other.add(list + 1, "ada@example.org");
    await waitsOrDone(again);
    proxy.release();
    assert.deepEqual(await Promise.all([refused, again]), ["UnknownList", "UnknownList"]);
    const kept = await collect(store.refusals.all.pages({ account: other.account }));
    assert.deepEqual(
      kept.map(({ count }) => count),
      [2],
    );
  }));

test("blocks a subscriber whom another node adds while the block is made", () =>
  withNodes(async ({ held, other, list, proxy, waitsOrDone }) => {
    const isHeld = proxy.holdAt("INSERT INTO subscriber");
    const adding = held.add(list, "ada@example.org");
    await isHeld;
    const blocking = other.block("@example.org");
    await waitsOrDone(blocking);
    proxy.release();
    assert.equal(await adding, "Done");
    await blocking;
    assert.equal((await other.show("ada@example.org"))?.state, "blocked");
    assert.equal(await other.members(list), 0);
  }));

test("lets no later group pass an admin command that waits", () =>
  withNodes(async ({ held, other, list, proxy, waitsOrDone }) => {
    const isHeld = proxy.holdAt("INSERT INTO subscriber");
    const adding = held.add(list, "ada@example.org");
    await isHeld;
    const order: string[] = [];
    const blocking = other.block("@example.org").then(() => order.push("block"));
    await waitsOrDone(blocking);
    const late = other.add(list, "bob@example.org").then((outcome) => order.push(outcome));
    await waitsOrDone(late, 2);
    proxy.release();
    await Promise.all([adding, blocking, late]);
    assert.equal(order.includes("Blocked"), true, order.join(" "));
  }));
