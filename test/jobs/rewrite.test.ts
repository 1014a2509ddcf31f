/** The job that rewrites the database in the night after an erasure, on both databases. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { deleteAccount } from "#admin/accounts.ts";
import { jobHandlers } from "#admin/job-handlers/job-handlers.ts";
import { type Admin, perform } from "#admin/kit/action.ts";
import { eraseSubscriber } from "#admin/subscribers/record.ts";
import { watchJobs } from "#app/calls/instrumentation.ts";
import { findingsOfJobs } from "#cli/commands/doctor.ts";
import type { Job, Lease } from "#domain/job/job.ts";
import { nextNight } from "#domain/job/job.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { doJob } from "#jobs/do-job.ts";
import { leaveJob } from "#jobs/foreground.ts";
import { Registry } from "#metrics/registry.ts";
import { StorageMetrics } from "#metrics/storage.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { copyPages } from "#store/sqlite/file/page-copy.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { actor, forEachOf, newAccount } from "../store/actor.ts";
import { claim } from "../store/job-steps.ts";
import { query } from "../store/postgres-account.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = new Date(2026, 10, 16, 12).getTime();
const NIGHT = nextNight(NOON);
const NEXT_NIGHT = nextNight(NIGHT);
const EMAIL = "xanthippe@erase-me.example";

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-rewrite-"));
const file = join(folder, "m.db");
const server = await sharedPostgres();
const url = await server.newDatabase();
after(() => rmSync(folder, { recursive: true }));

const isInFile = (): boolean =>
  [file, `${file}-wal`].some((path) => existsSync(path) && readFileSync(path).includes(EMAIL));

const stores: Readonly<Record<string, () => Promise<Store>>> = {
  SQLite: () => SqliteStore.open(file, retention),
  PostgreSQL: () => PostgresStore.open(url, retention),
};

for (const [name, open] of Object.entries(stores))
  describe(`the rewrite after an erasure on ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    const adminAt = (now: number): Admin => ({
      store,
      clock: () => now,
      actor: { origin: { kind: "operator", name: "ada" }, roleIn: () => "administrator" },
      continueJob: leaveJob(store.jobs, () => {}),
      rewritesLater: true,
    });
    async function eraseAt(now: number, email = EMAIL): Promise<number | null> {
      const a = actor(store, await newAccount(store));
      await a.add(await a.list(), email);
      const erased = await perform(adminAt(now), eraseSubscriber, { account: a.account, email });
      return erased.rewriteAt;
    }
    const left = async (): Promise<readonly Job[]> =>
      (await store.jobs.left()).filter(({ kind }) => kind === "rewrite-database");
    const doAt = (now: number, lease: Lease) => {
      const clock = () => now;
      const { signal } = new AbortController();
      return doJob({ jobs: store.jobs, works: jobHandlers({ store, clock }), clock, signal }, lease);
    };
    async function claimed(now: number, owner = "a"): Promise<Lease> {
      const [lease, ...others] = await claim(store, now, owner);
      assert.ok(lease);
      assert.deepEqual([lease.kind, others], ["rewrite-database", []]);
      return lease;
    }

    test("many erasures leave one job, which is due in the next night and removes what is left of them", async () => {
      assert.equal(await eraseAt(NOON), NIGHT);
      assert.equal(await eraseAt(NIGHT - MINUTE, "other@example.org"), NIGHT);
      assert.equal((await left()).length, 1);
      if (name === "SQLite") assert.ok(isInFile(), "there is something to remove");
      for (const early of [NOON, NOON + 3 * HOUR, NIGHT - 1])
        assert.deepEqual(await claim(store, early, "a"), []);
      assert.equal(await doAt(NIGHT, await claimed(NIGHT)), "finished");
      if (name === "SQLite") assert.ok(!isInFile());
      else
        assert.deepEqual(await query(url, "SELECT relname FROM pg_stat_user_tables WHERE vacuum_count = 0"), [
          { relname: "schema_migration" },
        ]);
      assert.deepEqual(await left(), []);
      assert.equal(await eraseAt(NIGHT + MINUTE), NEXT_NIGHT);
      assert.equal(await doAt(NEXT_NIGHT, await claimed(NEXT_NIGHT)), "finished");
    });

    test("nobody else gets the job while the rewrite takes long, and somebody does after a crash", async () => {
      await eraseAt(NOON);
      let now = NIGHT;
      const clock = () => now;
      const takingLong = async (): Promise<never> => {
        for (now of [NIGHT + MINUTE, NIGHT + 59 * MINUTE]) assert.deepEqual(await claim(store, now, "b"), []);
        throw new Error("crash");
      };
      const doing = { jobs: store.jobs, clock, signal: new AbortController().signal };
      const works = { "rewrite-database": takingLong };
      await assert.rejects(doJob({ ...doing, works }, await claimed(NIGHT)), /^Error: crash$/);
      const lease = await claimed(NIGHT + HOUR, "b");
      now = NIGHT + HOUR;
      const work = jobHandlers({ store, clock })["rewrite-database"];
      const ending: typeof work = (...job) => {
        now += 59 * MINUTE;
        return work(...job);
      };
      assert.equal(await doJob({ ...doing, works: { "rewrite-database": ending } }, lease), "finished");
    });

    test("an erasure during the rewrite leaves the job for the following night", async () => {
      await eraseAt(NOON);
      const lease = await claimed(NIGHT);
      const term = { ...lease, now: NIGHT, until: NIGHT + HOUR };
      await store.jobs.resume(term);
      assert.equal(await eraseAt(NIGHT + 1), NEXT_NIGHT);
      const done = { progress: {}, done: 0, result: null, ending: "finished", error: null } as const;
      assert.equal(await store.jobs.proceed({ ...term, ...done }), "lost");
      assert.deepEqual(await claim(store, NIGHT + HOUR, "b"), []);
      assert.equal(await doAt(NEXT_NIGHT, await claimed(NEXT_NIGHT)), "finished");
    });

    test("a rewrite that failed is repeated after an hour, also if somebody is erased meanwhile", async () => {
      await eraseAt(NOON);
      await store.jobs.fail({ ...(await claimed(NIGHT)), now: NIGHT, error: "the disk is full" });
      assert.equal(await eraseAt(NIGHT + MINUTE), NIGHT + HOUR);
      const [finding] = findingsOfJobs(await left(), NIGHT + MINUTE);
      assert.match(
        finding?.message ?? "",
        /job rewrite-database failed 1 time: the disk is full; .* repeats it at .*; it has been due since/,
      );
      for (const [now, seconds] of [
        [NIGHT - 1, 0],
        [NIGHT + MINUTE, 60],
        [NIGHT + HOUR, 3600],
      ] as const) {
        const registry = new Registry();
        const shown = { ...store.load, databaseBytes: null, freeBytes: null, checks: new Map() };
        new StorageMetrics(registry, []).update({ ...shown, ...(await watchJobs(store.jobs, now)) });
        const text = registry.text(await registry.snapshot());
        assert.match(text, new RegExp(`^mailroll_rewrite_due_seconds ${seconds}$`, "m"));
      }
      assert.equal(await doAt(NIGHT + HOUR, await claimed(NIGHT + HOUR)), "finished");
    });

    test("an account whose deletion ends after the night is followed by another rewrite", async () => {
      const account = await newAccount(store);
      const { name: own } = (await store.accounts.byId({ id: account })) ?? assert.fail();
      const args = { account, name: own };
      const { rewriteAt, job } = await perform(adminAt(NIGHT - MINUTE), deleteAccount, args);
      assert.equal(rewriteAt, NIGHT);
      const [deletion, rewrite, ...others] = await claim(store, NIGHT, "a");
      assert.ok(deletion && rewrite);
      assert.deepEqual([deletion.id, rewrite.kind, others], [job?.id, "rewrite-database", []]);
      assert.equal(await doAt(NIGHT, rewrite), "finished");
      assert.equal(await doAt(NIGHT + 1, deletion), "finished");
      assert.deepEqual(
        (await left()).map(({ dueAt }) => dueAt),
        [NEXT_NIGHT],
      );
      assert.equal(await doAt(NEXT_NIGHT, await claimed(NEXT_NIGHT)), "finished");
    });

    test("the command line leaves no job, because it rewrites the database itself", async () => {
      const a = actor(store, await newAccount(store));
      await a.add(await a.list(), EMAIL);
      const { rewritesLater: _, ...admin } = adminAt(NOON);
      const { rewriteAt } = await perform(admin, eraseSubscriber, { account: a.account, email: EMAIL });
      assert.deepEqual([rewriteAt, await left()], [null, []]);
    });

    test("a process that stops ends the rewrite, and the job stays due for the next one", async () => {
      await eraseAt(NOON);
      const stopping = new AbortController();
      const clock = () => NIGHT;
      const work = jobHandlers({ store, clock })["rewrite-database"];
      const stopped: typeof work = (job, signal) => {
        stopping.abort();
        return work(job, signal);
      };
      const doing = { jobs: store.jobs, clock, works: { "rewrite-database": stopped } };
      const lease = await claimed(NIGHT);
      assert.equal(await doJob({ ...doing, signal: stopping.signal }, lease), "continues");
      if (name === "SQLite") assert.ok(isInFile());
      assert.deepEqual(
        (await left()).map(({ attempts, dueAt }) => ({ attempts, dueAt })),
        [{ attempts: 0, dueAt: NIGHT }],
      );
      await store.jobs.release({ owner: "a" });
      assert.equal(await doAt(NIGHT, await claimed(NIGHT)), "finished");
    });

    if (name === "SQLite")
      test("writes go on while somebody reads a snapshot, and the rewrite gives up", async () => {
        await eraseAt(NOON);
        const reader = new DatabaseSync(file, { readOnly: true });
        reader.exec("BEGIN");
        reader.prepare("SELECT count(*) FROM account").get();
        const rewriting = doAt(NIGHT, await claimed(NIGHT));
        const state = { isRewriting: true };
        const ended = assert
          .rejects(rewriting, /cannot be emptied because of a long read, such as a backup/)
          .finally(() => {
            state.isRewriting = false;
          });
        while (state.isRewriting) await newAccount(store);
        await ended;
        reader.close();
      });

    if (name === "SQLite")
      test("a rewrite waits for a long write, and the process answers reads meanwhile", async () => {
        await eraseAt(NOON);
        // The rewrite cannot end before this process has done more.
        const other = new DatabaseSync(file);
        other.exec("BEGIN IMMEDIATE");
        const rewriting = store.rewrite(new AbortController().signal);
        assert.ok((await collect(store.accounts.all.pages({}))).length > 0);
        // For longer than the rewrite would wait for a reader.
        const third = new DatabaseSync(file, { timeout: 2000 });
        assert.throws(() => third.exec("BEGIN IMMEDIATE"), /locked/);
        third.close();
        other.exec("ROLLBACK");
        other.close();
        await rewriting;
        assert.ok(!isInFile());
        assert.equal(await doAt(NIGHT, await claimed(NIGHT)), "finished");
      });
  });

test("a backup that is made before the rewrite has no traces of who was erased", async () => {
  const source = join(folder, "source.db");
  const copy = join(folder, "copy.db");
  const store = await SqliteStore.open(source, retention);
  const options = { onProgress: () => {}, signal: new AbortController().signal };
  try {
    const a = actor(store, await newAccount(store));
    const list = await a.list();
    await a.add(list, EMAIL);
    await forEachOf(
      Array.from({ length: 50 }, (_, n) => `other${n}@example.org`),
      (email) => a.add(list, email),
    );
    const by = { store, clock: () => NOON, continueJob: leaveJob(store.jobs, () => {}), rewritesLater: true };
    const ada: Admin["actor"] = {
      origin: { kind: "operator", name: "ada" },
      roleIn: () => "administrator",
    };
    await perform({ ...by, actor: ada }, eraseSubscriber, { account: a.account, email: EMAIL });
    await copyPages(source, copy, options);
    assert.ok(!readFileSync(copy).includes(EMAIL));
    assert.ok(
      [source, `${source}-wal`].some((path) => readFileSync(path).includes(EMAIL)),
      "the source has some",
    );
  } finally {
    await store.close();
  }
});
