/** A server is killed in the middle of an import, and others finish it, once. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { startImport } from "#admin/imports/start-import.ts";
import { type Admin, perform } from "#admin/kit/action.ts";
import { noSubscriberCounts } from "#domain/import/batch.ts";
import type { Store } from "#domain/ports/store.ts";
import { leaveJob } from "#jobs/foreground.ts";
import { Installation } from "../cli/program.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { actor, newAccount } from "../store/actor.ts";
import { wrongNumbers } from "../store/recount.ts";
import { databasesIn, finishedByRunners, membersOf } from "./killed-process.ts";

const ROWS = 12_000;
const folder = mkdtempSync(join(tmpdir(), "mailroll-killed-import-"));
const server = await sharedPostgres();
const installation = new Installation();
after(async () => {
  await installation.remove();
  rmSync(folder, { recursive: true });
});

const databases = databasesIn(folder, server);

/** Two rows of a hundred are rejected, one is that of a person who is there already. */
const rowOf = (n: number): string => {
  if (n % 100 < 2) return `nobody ${n}`;
  return n % 100 === 2 ? "there@example.org" : `p${n}@example.org`;
};
const TABLE = Buffer.from(["email", ...Array.from({ length: ROWS }, (_, n) => rowOf(n)), ""].join("\n"));

for (const [name, { url: newDatabase, open }] of Object.entries(databases))
  describe(`an import of a killed server on ${name}`, () => {
    test("is finished once by two runners, with the counts of one that was not interrupted", async () => {
      const url = await newDatabase();
      const store = await open(url);
      const { account, list, job, batch } = await started(store);
      const child = installation.start(["serve", "--port", "0"], { MAILROLL_DATABASE: url });
      while ((await membersOf(store, account, list)) < 1000 && child.exitCode === null);
      assert.equal(child.exitCode, null, "the server is still running");
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      const before = await membersOf(store, account, list);
      assert.ok(before >= 1000 && before < (ROWS / 100) * 97, `${before} members`);
      const other = await open(url);
      await finishedByRunners([store, other], "import");
      const found = await store.jobs.byId({ account, id: job });
      assert.deepEqual([found?.ending, found?.done], ["finished", ROWS]);
      const people = (ROWS / 100) * 97;
      const counts = {
        ...noSubscriberCounts,
        ...{ added: people, alreadyThere: 1, newSubscribers: people },
        ...{ rejected: (ROWS / 100) * 2, duplicates: ROWS / 100 - 1 },
      };
      assert.deepEqual(found?.result?.counts, counts);
      const recorded = await store.imports.byId({ account, id: batch });
      assert.deepEqual(recorded?.counts, counts);
      assert.equal(await membersOf(store, account, list), people + 1);
      const { show } = actor(store, account);
      for (let n = 50; n < ROWS; n += 1000) {
        const joined = (await show(`p${n}@example.org`))?.history.filter(({ kind }) => kind === "joined");
        assert.equal(joined?.length, 1);
      }
      assert.deepEqual(
        (await store.uploads.all({ account })).map(({ name: left }) => left),
        ["members.rejected.csv"],
      );
      assert.deepEqual(await wrongNumbers(store), []);
      await other.close();
      await store.close();
    });
  });

/** The job of an import that nobody does yet. */
async function started(store: Store) {
  const account = await newAccount(store);
  const a = actor(store, account);
  const list = await a.list("Large");
  await a.add(list, "there@example.org");
  const at = Date.now();
  const upload = await store.uploads.create({ account, name: "members.csv", expectedSize: null, at });
  assert.ok(typeof upload === "object");
  await store.uploads.append({ account, id: upload.id, offset: 0, bytes: TABLE, at });
  await store.uploads.finish({ account, id: upload.id, at });
  const admin: Admin = {
    store,
    actor: { origin: { kind: "operator", name: "ada" }, roleIn: () => "editor" },
    clock: Date.now,
    continueJob: leaveJob(store.jobs, () => {}),
  };
  const { import: batch, job } = await perform(admin, startImport, {
    ...{ account, upload: upload.id, isDryRun: false },
    format: { separator: null, encoding: null, dates: [] },
    contents: { kind: "subscribers", list, overwrite: false, map: [], ignoresUnknown: false },
  });
  assert.ok(job);
  return { account, list, job: job.id, batch: batch ?? 0 };
}
