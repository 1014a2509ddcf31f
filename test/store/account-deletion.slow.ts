/** Deletion of an account that has rows in every table, on both databases. */
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { storedForm } from "#domain/access/key.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { finishJob } from "#jobs/foreground.ts";
import { deleteAccount } from "#jobs/in-batches.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { tables } from "#store/tables/tables.ts";
import { JOB_STEP } from "#store/writes/step-limits.ts";
import { type Contents, contentsOfFile, contentsOfServer } from "../cli/contents.ts";
import { Installation } from "../cli/program.ts";
import { fillInstallation } from "../filled-installation.ts";
import { KEY } from "../service.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { actor, addressOf, NOW, newImport } from "./actor.ts";
import { finish, leaseAt, stepOf } from "./job-steps.ts";
import { closeSound, wrongNumbers } from "./recount.ts";

const retention = { days: 36_500, rows: 1000, bytes: 2 ** 28 };
const home = new Installation();
const source = join(home.folder, "source.db");
const server = await sharedPostgres();
before(() => fillInstallation(source));
after(() => home.remove());

/** The account of the filled installation that has everything. */
const ACCOUNT = 1;
const LIST = 1;

interface Database {
  readonly store: Store;
  readonly contents: () => Promise<Contents>;
}
let files = 0;
const databases: Readonly<Record<string, () => Promise<Database>>> = {
  SQLite: async () => {
    files += 1;
    const file = join(home.folder, `${files}.db`);
    copyFileSync(source, file);
    const store = await SqliteStore.open(file, retention);
    return { store, contents: async () => contentsOfFile(file) };
  },
  PostgreSQL: async () => {
    const url = await server.newDatabase();
    const copied = await home.runHere(["copy", `sqlite:${source}`, url]);
    assert.equal(copied.code, 0, copied.err);
    return { store: await PostgresStore.open(url, retention), contents: () => contentsOfServer(url) };
  },
};

/** The rows of each table that belong to the account, or to none of the others. */
function split(contents: Contents) {
  const own: Record<string, readonly string[]> = {};
  const rest: Record<string, readonly string[]> = {};
  for (const { name, columns } of tables) {
    const mark = `["${name === "account" ? "id" : "account_id"}","${ACCOUNT}"]`;
    if (name !== "account" && !("account_id" in columns)) continue;
    const rows = contents[name] ?? [];
    own[name] = rows.filter((row) => row.includes(mark));
    rest[name] = rows.filter((row) => !row.includes(mark));
  }
  return { own, rest };
}
const namesOf = (rows: Readonly<Record<string, readonly string[]>>): readonly string[] =>
  Object.keys(rows).filter((name) => rows[name]?.length !== 0);

for (const [name, open] of Object.entries(databases))
  describe(`deletion of an account on ${name}`, () => {
    const deletion = { account: ACCOUNT, at: NOW };
    const begin = async (store: Store) => {
      const deleted = await store.accounts.delete({ ...deletion, lease: leaseAt(NOW) });
      assert.ok(deleted);
      return deleted.job;
    };

    test("leaves nothing of the account in any table, and everything of the others", async () => {
      const { store, contents } = await open();
      // A job of the account, besides.
      await store.lists.delete({
        ...deletion,
        id: LIST,
        origin: { kind: "operator" },
        lease: leaseAt(NOW, "other"),
      });
      const before = split(await contents());
      assert.deepEqual(namesOf(before.own), Object.keys(before.own), "it has rows in every table");
      let pauses = 0;
      const pause = async () => {
        pauses += 1;
      };
      const waiting = finishJob(store.jobs, { clock: () => NOW, pause });
      const deleted = await deleteAccount(store, deletion, waiting);
      assert.deepEqual([deleted?.account.id, deleted?.job?.ending, pauses], [ACCOUNT, "finished", 1]);
      const left = split(await contents());
      assert.deepEqual(namesOf(left.own), []);
      const [job, ...others] = (left.rest.job ?? []).filter((row) => !before.rest.job?.includes(row));
      assert.match(
        job ?? "",
        /\["account_id",null\].*"finished".*"delete-account 1"/,
        "the job belongs to the installation",
      );
      assert.deepEqual(others, []);
      const rest = { ...left.rest, job: (left.rest.job ?? []).filter((row) => row !== job) };
      assert.deepEqual(rest, before.rest);
      assert.equal(await deleteAccount(store, deletion), null);
      await closeSound(store);
    });

    test("closes the account at once: its keys are unknown, and nobody finds or changes it", async () => {
      const { store } = await open();
      const { hash } = storedForm(KEY);
      assert.ok(await store.keys.byHash({ hash }));
      const job = await begin(store);
      assert.equal(await store.keys.byHash({ hash }), null);
      assert.ok((await collect(store.accounts.all.pages({}))).every(({ id }) => id !== ACCOUNT));
      assert.equal(await store.accounts.set({ id: ACCOUNT, settings: { name: "New" } }), null);
      assert.equal(await store.accounts.set({ id: ACCOUNT, settings: { country: null } }), null);
      assert.equal(await actor(store, ACCOUNT).add(LIST, "new@example.org"), "UnknownList");
      assert.equal((await store.accounts.toDelete({ id: ACCOUNT }))?.id, ACCOUNT);
      await finish(store, job, NOW);
      assert.equal(await store.accounts.toDelete({ id: ACCOUNT }), null);
      await closeSound(store);
    });

    test("deletes in bounded steps, with counters that doctor finds right after each", async () => {
      const { store, contents } = await open();
      const subscribers = async () => split(await contents()).own.subscriber?.length ?? 0;
      const job = await begin(store);
      const all = await subscribers();
      assert.equal(await stepOf(store, job, NOW), "continues");
      assert.equal(await subscribers(), all - JOB_STEP);
      assert.deepEqual(await wrongNumbers(store), []);
      assert.ok((await finish(store, job, NOW)) > all / JOB_STEP);
      await closeSound(store);
    });

    test("also deletes what a call that was under way has written meanwhile", async () => {
      const { store, contents } = await open();
      const job = await begin(store);
      const { own } = split(await contents());
      for (let n = 0; n <= (own.subscriber?.length ?? 0) / JOB_STEP; n += 1) await stepOf(store, job, NOW);
      assert.equal(split(await contents()).own.subscriber?.length, 0);
      await actor(store, ACCOUNT).block("@late.example");
      const field = await actor(store, ACCOUNT).field("Late");
      assert.equal(field, "Done");
      const late = { address: addressOf("late@example.org"), joinedAt: null, suppressions: { bounced: NOW } };
      await store.imports.add({
        ...(await newImport(store, ACCOUNT, null)),
        at: NOW,
        people: [{ ...late, data: {}, values: [] }],
      });
      assert.equal(split(await contents()).own.subscriber?.length, 1);
      await finish(store, job, NOW);
      assert.deepEqual(namesOf(split(await contents()).own), []);
      await closeSound(store);
    });

    test("the same command takes over an interrupted deletion", async () => {
      const { store } = await open();
      const first = await begin(store);
      await stepOf(store, first, NOW);
      const second = await begin(store);
      assert.equal(await stepOf(store, first, NOW), "lost");
      await finish(store, second, NOW);
      assert.equal(await store.accounts.toDelete({ id: ACCOUNT }), null);
      await closeSound(store);
    });
  });
