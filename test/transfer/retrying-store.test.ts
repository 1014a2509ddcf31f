/** Imports while the database does not answer: rows are tried again, and counted as what became of them. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { parseAddress } from "#domain/address.ts";
import type { SubscriberCounts } from "#domain/import/batch.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { ImportBatcher } from "#transfer/import/batcher.ts";
import { type Pause, Retries, retryingStore } from "#transfer/import/retrying-store.ts";
import type { Entry } from "#transfer/table/source.ts";
import { type FailingProxy, failingProxy } from "../failing-proxy.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { newAccount } from "../store/postgres-account.ts";
import { closeSound, wrongNumbers } from "../store/recount.ts";

const NOW = Date.UTC(2026, 10, 14);
const retention = { days: 90, rows: 5, bytes: 1_000_000 };
const never = new AbortController().signal;

const entriesOf = (names: readonly string[]): readonly Entry[] =>
  names.map((name, index) => {
    const address = parseAddress(`${name}@x.org`);
    assert.ok(address);
    const suppressions = name.startsWith("out") ? { unsubscribed: 5 } : {};
    const person = { address, joinedAt: NOW - 9, suppressions, data: {}, values: [] };
    const block = name.startsWith("blocked") ? { pattern: address.key, at: 5 } : null;
    return { line: index + 1, cells: [name], person, block };
  });
const named = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`);

interface Options {
  readonly isDryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly pausesMs?: readonly number[];
  readonly onPause?: (pause: Pause) => void;
}
async function take(
  store: Store,
  { account, list }: { readonly account: number; readonly list: number },
  names: readonly string[],
  { isDryRun = false, signal = never, pausesMs = [0, 0, 0, 0], onPause = () => {} }: Options = {},
): Promise<Readonly<Record<string, unknown>>> {
  const retrying = retryingStore(store, new Retries({ signal, onPause, pausesMs }));
  const target = { account, list, now: NOW, overwrite: false };
  const rejected = { count: 0, add: () => assert.fail("rejected"), leaveOut: assert.fail };
  const source = { fileName: "table.csv", startedBy: "tester" };
  const batcher = new ImportBatcher(retrying, target, rejected, { source, isDryRun, clock: () => NOW });
  for (const entry of entriesOf(names)) await batcher.add(entry);
  await batcher.finish();
  const { suppressed, ...counts } = batcher.counts as SubscriberCounts;
  return Object.fromEntries(
    Object.entries({ ...counts, ...suppressed }).filter(([, rows]) => typeof rows === "number" && rows > 0),
  );
}

const server = await sharedPostgres();

describe("an import into PostgreSQL", () => {
  async function withProxy(
    work: (
      store: Store,
      proxy: FailingProxy,
      target: Awaited<ReturnType<typeof newAccount>>,
    ) => Promise<void>,
  ): Promise<void> {
    const proxy = await failingProxy(await server.newDatabase());
    const store = await PostgresStore.open(proxy.url, retention);
    try {
      await work(store, proxy, await newAccount(store));
      assert.deepEqual(await wrongNumbers(store), []);
    } finally {
      await store.close();
      await proxy.close();
    }
  }

  test("continues after the server stopped responding, reports it once, and counts every row once", () =>
    withProxy(async (store, proxy, target) => {
      await take(store, target, named("before", 10));
      proxy.fallSilent();
      const pauses: Pause[] = [];
      const tally = await take(store, target, [...named("before", 10), ...named("p", 1500), "out"], {
        onPause: (pause) => {
          pauses.push(pause);
          proxy.speakAgain();
        },
      });
      assert.deepEqual(tally, {
        newSubscribers: 1501,
        added: 1500,
        unsubscribed: 1,
        alreadyThere: 10,
      });
      assert.deepEqual(
        pauses.map(({ attempt, attempts }) => [attempt, attempts]),
        [[2, 5]],
      );
      assert.match(pauses[0]?.error.message ?? "", /the database does not answer/);
      assert.equal(await target.members(), 1510);
    }));

  test("whose commit succeeded although its answer was lost counts rows as in the first attempt", () =>
    withProxy(async (store, proxy, target) => {
      await take(store, target, ["known"]);
      // The first commit records the start of the import.
      proxy.breakAt("COMMIT", 2);
      const messages: string[] = [];
      const tally = await take(store, target, ["new", "new", "known", "out"], {
        onPause: ({ error }) => messages.push(error.message),
      });
      assert.match(messages.join(), /^[^,]*lost during a commit: it is not known whether it was made$/);
      assert.deepEqual(tally, { newSubscribers: 2, added: 1, unsubscribed: 1, alreadyThere: 2 });
      assert.equal(await target.members(), 2);
      assert.deepEqual(await take(store, target, ["new", "known", "out"]), {
        alreadyThere: 2,
        unsubscribed: 1,
      });
    }));

  test("counts blocks as new if their commit succeeded although its answer was lost", () =>
    withProxy(async (store, proxy, target) => {
      // The first commits record the start of the import, and add the rows.
      proxy.breakAt("COMMIT", 3);
      let pauses = 0;
      const tally = await take(store, target, named("blocked", 3), {
        onPause: () => {
          pauses += 1;
        },
      });
      assert.ok(pauses > 0);
      assert.deepEqual(tally, { newSubscribers: 3, blocked: 3, newBlocks: 3 });
    }));

  test("retries a dry run too, which then predicts the same", () =>
    withProxy(async (store, proxy, target) => {
      await take(store, target, ["known"]);
      proxy.fallSilent();
      const names = ["known", "new", "new", "out", "blocked"];
      const foretold = await take(store, target, names, {
        isDryRun: true,
        onPause: () => proxy.speakAgain(),
      });
      assert.deepEqual(await take(store, target, names), foretold);
    }));

  test("gives up in the end, and importing the same rows again completes it", async () => {
    const url = await server.newDatabase();
    const proxy = await failingProxy(url);
    const store = await PostgresStore.open(proxy.url, retention);
    const target = await newAccount(store);
    await proxy.close();
    await assert.rejects(take(store, target, named("p", 3), { pausesMs: [0, 0] }), (error: Error) => {
      assert.ok(error instanceof StoreUnavailable);
      assert.match(error.message, /^the database does not answer: .*; gave up after 3 attempts$/);
      return true;
    });
    await store.close();
    const again = await PostgresStore.open(url, retention);
    assert.deepEqual(await take(again, target, named("p", 3)), { newSubscribers: 3, added: 3 });
    await closeSound(again);
  });

  test("that is interrupted while it waits ends at once", async () => {
    const proxy = await failingProxy(await server.newDatabase());
    const store = await PostgresStore.open(proxy.url, retention);
    const target = await newAccount(store);
    await proxy.close();
    const controller = new AbortController();
    const taking = take(store, target, ["a"], {
      signal: controller.signal,
      pausesMs: [2 ** 31 - 1],
      onPause: () => controller.abort(),
    });
    await assert.rejects(taking, StoreUnavailable);
    await store.close();
  });
});

test("an import into a SQLite file that another process has locked continues when it is released", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-retry-"));
  const file = join(folder, "m.db");
  const store = await SqliteStore.open(file, retention);
  const target = await newAccount(store);
  const rival = new DatabaseSync(file);
  rival.exec("BEGIN IMMEDIATE");
  const messages: string[] = [];
  const tally = await take(store, target, named("p", 3), {
    onPause: ({ error }) => {
      messages.push(error.message);
      rival.exec("ROLLBACK");
    },
  });
  assert.deepEqual(messages, ["the database does not answer: database is locked"]);
  assert.deepEqual(tally, { newSubscribers: 3, added: 3 });
  rival.close();
  await closeSound(store);
  rmSync(folder, { recursive: true });
});
