/** Imports that are started twice or repeated, and erasures while an upload is being imported. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startImport } from "#admin/imports/start-import.ts";
import { importUploads } from "#admin/job-handlers/import-uploads.ts";
import { cancelJob } from "#admin/jobs.ts";
import { type Admin, perform } from "#admin/kit/action.ts";
import { AlreadyDone, NotPossible } from "#admin/kit/errors.ts";
import { eraseSubscriber } from "#admin/subscribers/record.ts";
import { appendPart, createUpload, finishUpload } from "#admin/uploads.ts";
import type { TableContents } from "#domain/import/job.ts";
import { LEASE_MS } from "#domain/job/job.ts";
import type { Store } from "#domain/ports/store.ts";
import { doJob } from "#jobs/do-job.ts";
import { leaveJob } from "#jobs/foreground.ts";
import { bothStores } from "../shared-postgres.ts";
import { actor, NOW, newAccount } from "../store/actor.ts";

const first = { after: null, limit: 10 };

function startedImports(name: string, open: () => Promise<Store>): void {
  describe(`an import that is started in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    const admin = (on: Store = store): Admin => ({
      store: on,
      actor: { origin: { kind: "operator", name: "ada" }, roleIn: () => "owner" },
      clock: () => NOW,
      continueJob: leaveJob(on.jobs, () => {}),
    });
    async function prepared(table = "email\nada@example.org\n") {
      const account = await newAccount(store);
      const list = await actor(store, account).list("News");
      const { id: upload } = await perform(admin(), createUpload, {
        account,
        name: "people.csv",
        size: null,
      });
      await perform(admin(), appendPart, { account, id: upload, offset: 0, bytes: Buffer.from(table) });
      await perform(admin(), finishUpload, { account, id: upload, sha256: null });
      const subscribers = { kind: "subscribers", list, overwrite: false, map: [], ignoresUnknown: false };
      const contents = subscribers as TableContents;
      const format = { separator: null, encoding: null, dates: [] };
      return { account, list, upload, asked: { account, upload, format, contents, isDryRun: false } };
    }
    async function work(id: number): Promise<void> {
      const lease = await store.jobs.take({ owner: "test", until: NOW + LEASE_MS, now: NOW, id });
      assert.ok(lease);
      const works = { import: importUploads({ store, clock: () => NOW }) };
      const { signal } = new AbortController();
      await doJob({ jobs: store.jobs, works, clock: () => NOW, signal }, lease);
    }
    const imports = async (account: number) => (await store.imports.all.page({ account }, first)).rows;

    test("by two requests at the same time runs once, and is recorded once", async () => {
      const { account, asked } = await prepared();
      const started = await Promise.allSettled([1, 2, 3].map(() => perform(admin(), startImport, asked)));
      const [done, ...others] = started.toSorted((a) => (a.status === "fulfilled" ? -1 : 1));
      assert.ok(done?.status === "fulfilled");
      for (const one of others) assert.ok(one.status === "rejected" && one.reason instanceof NotPossible);
      assert.deepEqual(
        (await imports(account)).map(({ id }) => id),
        [done.value.import],
      );
      await work(done.value.job?.id ?? 0);
      assert.equal((await imports(account))[0]?.finishedAt, NOW);
    });

    test("is answered the same when the request is repeated while it runs", async () => {
      const { account, asked } = await prepared();
      const request = { owner: 1, key: `start ${account}`, fingerprint: Buffer.alloc(32), at: NOW };
      const start = () => perform(admin(store.idempotent(request)), startImport, asked);
      const { import: id, job } = await start();
      const again = await start();
      assert.deepEqual([again.import, again.job?.id], [id, job?.id]);
      assert.equal((await imports(account)).length, 1);
    });

    test("is not answered with the name of its file when somebody was erased", async () => {
      const account = await newAccount(store);
      const request = { owner: 1, key: `create ${account}`, fingerprint: Buffer.alloc(32), at: NOW };
      const create = async () => {
        const on = store.idempotent(request);
        const upload = { account, name: "ada@example.org.csv", size: null };
        return { ...(await perform(admin(on), createUpload, upload)), isRepeat: on.isRepeat };
      };
      const { id } = await create();
      assert.deepEqual(await create().then((again) => [again.id, again.isRepeat]), [id, true]);
      await perform(admin(), eraseSubscriber, { account, email: "ada@example.org" });
      await assert.rejects(create(), AlreadyDone, "the request was executed, but its result is erased");
    });

    for (const how of ["a dry run", "an import that fails", "an import that is cancelled"] as const)
      test(`does not keep its upload if somebody was erased meanwhile: ${how}`, async () => {
        const table =
          how === "an import that fails"
            ? `email,birthday\n${`ada@example.org,3/4/1990${" ".repeat(10_000)}\n`.repeat(120)}`
            : undefined;
        const { account, list, asked } = await prepared(table);
        await actor(store, account).add(list, "ada@example.org");
        const { job } = await perform(admin(), startImport, { ...asked, isDryRun: how === "a dry run" });
        assert.ok(job);
        await perform(admin(), eraseSubscriber, { account, email: "ada@example.org" });
        if (how === "an import that is cancelled") await perform(admin(), cancelJob, { account, id: job.id });
        else await work(job.id);
        assert.deepEqual(await store.uploads.all({ account }), []);
      });
  });
}

for (const [name, open] of await bothStores()) startedImports(name, open);
