/** Calls go before the steps of a job, in both stores. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { LEASE_MS, type Lease } from "#domain/job/job.ts";
import type { Store, StoreWatch } from "#domain/ports/store.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { CALL_GROUPS } from "#store/writes/callers-first.ts";
import { JOB_STEP } from "#store/writes/step-limits.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { actor, addressOf, forEachOf, NOW, newAccount, newImport } from "../store/actor.ts";

const CALLERS = 32;
const STEPS = 5;
const retention = { days: 90, rows: 1000, bytes: 2 ** 20 };

const server = await sharedPostgres();
const folder = mkdtempSync(join(tmpdir(), "mailroll-callers-"));
after(() => rmSync(folder, { recursive: true }));
let files = 0;

type Open = (watch?: StoreWatch) => Promise<Store>;
/** Each opens one new database, as often as it is called. */
const databases: Readonly<Record<string, () => Promise<Open>>> = {
  "the SQLite store": async () => {
    files += 1;
    const file = join(folder, `${files}.db`);
    return (watch) => SqliteStore.open(file, retention, watch);
  },
  "the PostgreSQL store": async () => {
    const url = await server.newDatabase();
    return (watch) => PostgresStore.open(url, retention, null, watch);
  },
};

/** An account with an empty list, and with one whose deletion has begun and takes so many steps more. */
async function newDeletion(store: Store) {
  const a = actor(store, await newAccount(store));
  const [id, other] = [await a.list(), await a.list()];
  await forEachOf(Array.from({ length: STEPS * JOB_STEP + 1 }), (_, n) => a.add(id, `p${n}@example.org`));
  const lease = { owner: "test", until: NOW + LEASE_MS };
  const origin = { kind: "operator" } as const;
  const deleted = await store.lists.delete({ account: a.account, id, at: NOW, origin, lease });
  assert.ok(deleted !== null && "job" in deleted && deleted.job !== null);
  return { account: a.account, list: other, lease: deleted.job };
}
const stepOf = (store: Store, lease: Lease) => store.jobs.step({ ...lease, now: NOW, until: NOW + LEASE_MS });

/** A step may find no caller waiting: the first, or one while the process did not run for a moment. */
const medianOf = (counts: readonly number[]) =>
  counts.toSorted((one, other) => one - other)[Math.floor(counts.length / 2)] ?? 0;

for (const [name, newDatabase] of Object.entries(databases))
  describe(`callers and jobs in ${name}`, () => {
    test("commits three groups of calls for each step of a job while callers wait", async (t) => {
      let groups = 0;
      const committed = () => {
        groups += 1;
      };
      const store = await (await newDatabase())({ committed, failed: () => {}, read: () => {} });
      t.after(() => store.close());
      const { account, list, lease } = await newDeletion(store);
      const a = actor(store, account);

      let isDone = false;
      let added = 0;
      const callers = Array.from({ length: CALLERS }, async (_, caller) => {
        for (let n = 0; !isDone; n += 1) {
          await a.add(list, `c${caller}-${n}@example.org`);
          added += 1;
        }
      });
      groups = 0;
      const groupsBefore: number[] = [];
      for (let outcome = "continues"; outcome !== "finished"; ) {
        outcome = await stepOf(store, lease);
        groupsBefore.push(groups - 1);
        groups = 0;
      }
      isDone = true;
      await Promise.all(callers);
      assert.equal(groupsBefore.length, STEPS);
      assert.ok(medianOf(groupsBefore) >= CALL_GROUPS, groupsBefore.join());
      assert.ok(added >= CALLERS * CALL_GROUPS, `${added} calls were answered`);
    });

    test("pauses between two steps if another process has written before the first", async (t) => {
      const open = await newDatabase();
      const [store, other] = [await open(), await open()];
      t.after(() => Promise.all([store.close(), other.close()]));
      const { account, list, lease } = await newDeletion(store);
      const caller = actor(other, account);
      const call = async (n: number) => assert.equal(await caller.add(list, `c${n}@example.org`), "Done");
      await stepOf(store, lease);
      await call(0);
      t.mock.timers.enable({ apis: ["setTimeout"] });
      await stepOf(store, lease);
      let isDone = false;
      const next = stepOf(store, lease).then(() => {
        isDone = true;
      });
      for (let n = 1; n <= 2 * STEPS; n += 1) await call(n);
      assert.equal(isDone, false, "the time after the step belongs to callers");
      t.mock.timers.tick(LEASE_MS);
      await next;
      t.mock.timers.reset();
    });

    test("takes step after step without a pause if nobody else writes", async (t) => {
      const store = await (await newDatabase())();
      t.after(() => store.close());
      const { lease } = await newDeletion(store);
      await stepOf(store, lease);
      t.mock.timers.enable({ apis: ["setTimeout"] });
      for (let n = 1; n < STEPS; n += 1) await stepOf(store, lease);
      t.mock.timers.reset();
    });

    /** The batches of an import that is a job: it saves its progress. */
    async function newImportJob(store: Store) {
      const account = await newAccount(store);
      const list = await actor(store, account).list();
      const importing = await newImport(store, account, list);
      const none = { joinedAt: null, suppressions: {}, data: {}, values: [] };
      const batch = (version: number) =>
        store.imports.add({
          ...importing,
          at: NOW,
          people: Array.from({ length: JOB_STEP }, (_, n) => ({
            ...none,
            address: addressOf(`i${version}-${n}@example.org`),
          })),
          progress: { version, rows: version, state: "{}" },
        });
      return { account, list, batch };
    }

    test("commits three groups of calls for each batch of an import that is a job", async (t) => {
      let groups = 0;
      const committed = () => {
        groups += 1;
      };
      const store = await (await newDatabase())({ committed, failed: () => {}, read: () => {} });
      t.after(() => store.close());
      const { account, list, batch } = await newImportJob(store);
      const a = actor(store, account);
      let isDone = false;
      const callers = Array.from({ length: CALLERS }, async (_, caller) => {
        for (let n = 0; !isDone; n += 1) await a.add(list, `c${caller}-${n}@example.org`);
      });
      const groupsBefore: number[] = [];
      for (let version = 1; version <= STEPS; version += 1) {
        groups = 0;
        await batch(version);
        groupsBefore.push(groups - 1);
      }
      isDone = true;
      await Promise.all(callers);
      assert.ok(medianOf(groupsBefore) >= CALL_GROUPS, groupsBefore.join());
    });

    test("imports batch after batch without a pause if nobody else writes", async (t) => {
      const store = await (await newDatabase())();
      t.after(() => store.close());
      const { batch } = await newImportJob(store);
      await batch(1);
      t.mock.timers.enable({ apis: ["setTimeout"] });
      for (let version = 2; version <= STEPS; version += 1) await batch(version);
      t.mock.timers.reset();
    });
  });
