/** Uploads and their import as a job, as an API performs them, on a store. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import {
  findImport,
  findImportJob,
  findUploadJob,
  readRejectedRows,
  readRows,
} from "#admin/imports/imports.ts";
import { previewImport, settingsOf, startImport } from "#admin/imports/start-import.ts";
import { importUploads } from "#admin/job-handlers/import-uploads.ts";
import { cancelJob } from "#admin/jobs.ts";
import { type Action, type Admin, perform } from "#admin/kit/action.ts";
import { InvalidInput, NotFound, NotPossible } from "#admin/kit/errors.ts";
import {
  appendPart,
  createUpload,
  deleteUpload,
  findUpload,
  finishUpload,
  readUploadFrom,
} from "#admin/uploads.ts";
import type { TableContents } from "#domain/import/job.ts";
import { MAX_PART_BYTES } from "#domain/import/upload.ts";
import { LEASE_MS } from "#domain/job/job.ts";
import type { Store } from "#domain/ports/store.ts";
import { doJob } from "#jobs/do-job.ts";
import { leaveJob } from "#jobs/foreground.ts";
import { actor, NOW, newAccount } from "../store/actor.ts";

const format = { separator: null, encoding: null, sheet: null, dates: [] };
const TABLE = [
  "E-Mail,Vorname,State,Town",
  "ada@example.org,Ada,,London",
  "nobody,,,",
  "grace@example.org,Grace,unsubscribed,",
  "left@example.org,,,",
  "",
].join("\n");

/** `isStored`: whether the text is anywhere in what is stored of uploads. */
export function importsSuite(
  name: string,
  open: () => Promise<Store>,
  isStored: (text: string) => boolean | Promise<boolean>,
): void {
  describe(`an import over an API in ${name}`, () => {
    let store: Store;
    let now = NOW;
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    const admin = (): Admin => ({
      store,
      actor: { origin: { kind: "operator", name: "ada" }, roleIn: () => "editor" },
      clock: () => now,
      continueJob: leaveJob(store.jobs, () => {}),
    });
    const act = <Args extends object, Result>(action: Action<Args, Result>, args: Args): Promise<Result> =>
      perform(admin(), action, args);

    async function prepared(text = TABLE) {
      const account = await newAccount(store);
      const a = actor(store, account);
      const list = await a.list("News");
      await a.add(list, "left@example.org");
      await a.unsubscribe("left@example.org");
      const field = { name: "Town", type: "STRING", isPrivate: false } as const;
      await store.fields.create({ account, id: null, at: NOW, field });
      const { id: upload } = await act(createUpload, { account, name: "members.csv", size: null });
      const all = Buffer.from(text);
      for (let offset = 0; offset < all.length; offset += MAX_PART_BYTES) {
        const bytes = all.subarray(offset, offset + MAX_PART_BYTES);
        await act(appendPart, { account, id: upload, offset, bytes });
      }
      await act(finishUpload, { account, id: upload, sha256: null });
      const contents: TableContents = {
        kind: "subscribers",
        list,
        overwrite: false,
        map: [],
        ignoresUnknown: false,
      };
      return { ...a, account, list, upload, asked: { account, upload, format, contents, isDryRun: false } };
    }
    /** What the runner of a server does. */
    async function work(account: number, id: number) {
      const lease = await store.jobs.take({ owner: "test", until: now + LEASE_MS, now, id });
      assert.ok(lease);
      const works = { import: importUploads({ store, clock: () => now }) };
      const { signal } = new AbortController();
      await doJob({ jobs: store.jobs, works, clock: () => now, signal }, lease);
      const job = await store.jobs.byId({ account, id });
      assert.ok(job);
      return job;
    }
    const start = async (asked: Parameters<typeof startImport.run>[1]) => {
      const { import: batch, job } = await act(startImport, asked);
      assert.ok(job);
      return { batch, job };
    };

    test("is a job whose result has the counts of the import and the rejected rows", async () => {
      const { account, list, upload, asked, show, members } = await prepared(TABLE.replace("ada@", "gone@"));
      assert.equal(await isStored("gone@example.org"), true);
      const { batch, job: left } = await start(asked);
      assert.equal(left.ending, null);
      const job = await work(account, left.id);
      assert.deepEqual([job.ending, job.done], ["finished", 4]);
      const recorded = await store.imports.byId({ account, id: batch ?? 0 });
      assert.deepEqual(job.result?.counts, recorded?.counts);
      assert.deepEqual(
        [recorded?.fileName, recorded?.startedBy, recorded?.finishedAt],
        ["members.csv", "ada", now],
      );
      assert.equal(await members(list), 1, "those who opted out stay out");
      assert.equal((await show("gone@example.org"))?.data.firstName, "Ada");
      assert.equal((await show("left@example.org"))?.lists.length, 1);
      const { rejected } = job.result as unknown as {
        rejected: { rows: number; upload: number; isCut: boolean; reasons: Record<string, number> };
      };
      assert.deepEqual([rejected.rows, rejected.isCut, Object.values(rejected.reasons)], [1, false, [1]]);
      const { chunks } = await act(readUploadFrom, {
        account,
        id: rejected.upload,
        from: 0,
        isUnchanged: true,
      });
      let text = "";
      for await (const chunk of chunks) text += chunk.toString();
      assert.match(
        text,
        /^\ufeffrejected_line,rejected_reason,E-Mail,Vorname,State,Town\r\n3,.*,nobody,,,\r\n$/,
      );
      const one = { account, id: batch ?? 0 };
      const rows = await act(readRejectedRows, one);
      assert.equal(rows.upload.id, rejected.upload);
      let again = "";
      for await (const chunk of rows.bytes) again += chunk.toString();
      assert.equal(again, text);
      const shown = await act(findImport, one);
      assert.equal(shown.rejectedUpload !== null, true);
      assert.deepEqual(shown.actor, { kind: "operator", id: null, name: "ada" });
      await assert.rejects(act(findUpload, { account, id: upload }), NotFound, "deleted with the job");
      assert.equal(await isStored("gone@example.org"), false, "nothing of it is stored any more");
    });

    test("keeps its settings from the start, and the lines of some rows for each outcome", async () => {
      const { account, list, upload, asked } = await prepared();
      const map = [{ heading: "Town", column: "ignore" }];
      const contents = { ...asked.contents, list, map, isStrict: true, hasHeader: true } as TableContents;
      const dates = [{ heading: null, order: "mdy" as const }];
      const settings = { format: { ...format, dates }, contents };
      const { job: left } = await start({ ...asked, ...settings, isDryRun: true });
      assert.deepEqual(settingsOf(left), settings);
      const job = await work(account, left.id);
      assert.equal(job.ending, "finished");
      assert.deepEqual(settingsOf(job), settings);
      assert.equal((await act(findUploadJob, { account, upload }))?.id, job.id);
      assert.equal(await act(findUploadJob, { account, upload: upload + 1 }), null);
      const { added = [], rejected } = (job.result?.samples ?? {}) as {
        added?: number[];
        rejected?: number[];
      };
      assert.deepEqual([added[0], rejected], [2, undefined]);
      const { header, rows } = await act(readRows, { account, upload, format, lines: added });
      assert.deepEqual(header, ["E-Mail", "Vorname", "State", "Town"]);
      assert.deepEqual(rows[0], { line: 2, cells: ["ada@example.org", "Ada", "", "London"] });
      const { batch, job: second } = await start(asked);
      assert.equal(second.result?.import, batch, "known before anything is done");
      assert.equal((await act(findImportJob, { account, id: batch ?? 0 }))?.id, second.id);
      await work(account, second.id);
      const gone = await act(readRows, { account, upload, format, lines: added });
      assert.deepEqual(gone, { header: [], rows: [] });
    });

    test("says before it starts what the columns mean, and what is wrong with them", async () => {
      const { asked } = await prepared(TABLE.replace("Town", "Twon"));
      const preview = await act(previewImport, asked);
      assert.deepEqual(
        preview.columns.map(({ heading, column }) => [heading, column]),
        [
          ["E-Mail", "email"],
          ["Vorname", "first_name"],
          ["State", "state"],
          ["Twon", null],
        ],
      );
      assert.deepEqual(
        preview.columns.map(({ samples }) => samples),
        [["ada@example.org", "nobody", "grace@example.org"], ["Ada", "Grace"], ["unsubscribed"], ["London"]],
      );
      assert.deepEqual([preview.separator, preview.hasHeader], [",", true]);
      assert.deepEqual(preview.rows[0], ["ada@example.org", "Ada", "", "London"]);
      assert.equal(preview.problem?.input, "map");
      assert.match(preview.problem.message, /^unknown columns: 'Twon'; map each/);
      await assert.rejects(act(startImport, asked), InvalidInput);
      const contents = { ...asked.contents, map: [{ heading: "Twon", column: "Town" }] } as TableContents;
      const mapped = await act(previewImport, { ...asked, contents });
      assert.deepEqual([mapped.columns[3]?.column, mapped.problem], ["Town", null]);
    });

    test("can be tried first; the upload stays for the import", async () => {
      const { account, asked, show, upload } = await prepared();
      const { batch, job: left } = await start({ ...asked, isDryRun: true });
      const job = await work(account, left.id);
      assert.deepEqual([batch, job.ending, job.result?.isDryRun], [null, "finished", true]);
      assert.equal((job.result as { counts?: { added?: number } } | null)?.counts?.added, 1);
      assert.equal(await show("ada@example.org"), null);
      assert.deepEqual(
        await store.imports.all.page({ account }, { after: null, limit: 10 }).then(({ rows }) => rows),
        [],
      );
      assert.ok(await act(findUpload, { account, id: upload }));
      await work(account, (await start(asked)).job.id);
      assert.ok(await show("ada@example.org"));
    });

    test("of a table with ambiguous dates is refused, and can be started with their order", async () => {
      const { account, asked, show } = await prepared("email,birthday\nada@example.org,3/4/1990\n");
      const isAmbiguous = (error: unknown) =>
        error instanceof InvalidInput &&
        error.input === "dates" &&
        error.message.startsWith("the dates of the column 'birthday' are ambiguous");
      await assert.rejects(start(asked), isAmbiguous);
      const { columns, problem } = await act(previewImport, asked);
      assert.deepEqual([columns[1]?.dates, isAmbiguous(problem)], ["ambiguous", true]);
      const dates = [{ heading: null, order: "dmy" as const }];
      const given = { ...asked, format: { ...format, dates } };
      const preview = await act(previewImport, given);
      assert.deepEqual([preview.columns[1]?.dates, preview.problem], ["dmy", null]);
      const job = await work(account, (await start(given)).job.id);
      assert.equal(job.ending, "finished");
      assert.equal((await show("ada@example.org"))?.data.birthday, "1990-04-03");
    });

    test("of a large table whose dates are all ambiguous fails for good, because only the job reads all", async () => {
      const row = `ada@example.org,3/4/1990,${"x".repeat(10_000)}\n`;
      const { account, asked, show } = await prepared(`email,birthday,Town\n${row.repeat(120)}`);
      const preview = await act(previewImport, asked);
      assert.deepEqual([preview.columns[1]?.dates, preview.problem], ["ambiguous", null]);
      assert.deepEqual([preview.rows.length, preview.rows[0]?.[2]?.length], [10, 201]);
      const failed = await work(account, (await start(asked)).job.id);
      assert.equal(failed.ending, "failed");
      assert.match(failed.lastError ?? "", /^the dates of the column 'birthday' are ambiguous/);
      assert.equal(await show("ada@example.org"), null);
    });

    test("of a table with a row that is too long is refused, as the import would be", async () => {
      const rows = "ada@example.org,London\n";
      for (const [before, cell] of [
        [rows, "x".repeat(6 * 1024 ** 2)],
        [rows.repeat(20), "x".repeat(6 * 1024 ** 2)],
        [rows.repeat(20), `"${"x\n".repeat(2 * 1024 ** 2)}"`],
        [rows.repeat(20), `"${rows.repeat(100_000)}`],
      ] as const) {
        const { asked } = await prepared(`email,Town\n${before}ada@example.org,${cell}\n${rows}`);
        const line = 2 + before.length / rows.length;
        const refusal = {
          input: "upload",
          message: `cannot be read: the row that begins in line ${line} is longer than 1048576 characters; check for an unclosed quote there`,
        };
        await assert.rejects(act(previewImport, asked), refusal);
        await assert.rejects(start(asked), refusal);
      }
    });

    test("of a table that begins with megabytes of empty rows is refused before all of it is read", async () => {
      const empty = `${" ".repeat(1023)}\n`.repeat((2 * MAX_PART_BYTES) / 1024);
      const { asked } = await prepared(empty);
      await assert.rejects(act(previewImport, asked), {
        input: "upload",
        message: "begins with too many empty rows; remove them",
      });
    });

    test("of suppressions says what its columns mean, with a header and without one", async () => {
      const text = "Address;Reason;Date;Note\nada@example.org;bounced;2026-11-01;x\n@example.com;blocked;;\n";
      const { asked } = await prepared(text);
      const suppressions = (as: "blocked" | null) =>
        act(previewImport, { ...asked, contents: { kind: "suppressions", as } });
      const named = await suppressions(null);
      assert.deepEqual([named.separator, named.hasHeader, named.problem], [";", true, null]);
      assert.deepEqual(named.columns, [
        {
          ...{ heading: "Address", column: "email", mayRepeat: false, dates: null },
          samples: ["ada@example.org", "@example.com"],
        },
        {
          ...{ heading: "Reason", column: "kind", mayRepeat: false, dates: null },
          samples: ["bounced", "blocked"],
        },
        {
          heading: "Date",
          column: "date",
          mayRepeat: false,
          dates: "ymd",
          samples: ["2026-11-01"],
        },
        {
          heading: "Note",
          column: "ignore",
          mayRepeat: false,
          dates: null,
          samples: ["x"],
        },
      ]);
      assert.deepEqual(named.rows[0], ["ada@example.org", "bounced", "2026-11-01", "x"]);

      const bare = await prepared("ada@example.org\n@example.com\n");
      const previewBare = (as: "blocked" | null) =>
        act(previewImport, { ...bare.asked, contents: { kind: "suppressions", as } });
      const unnamed = await previewBare("blocked");
      assert.deepEqual([unnamed.hasHeader, unnamed.problem], [false, null]);
      assert.deepEqual(
        unnamed.columns.map(({ heading, column }) => [heading, column]),
        [[null, "email"]],
      );
      assert.deepEqual(unnamed.rows, [["ada@example.org"], ["@example.com"]]);
      assert.equal((await previewBare(null)).problem?.input, "as");

      const wrong = await prepared("who,why\nx,y\n");
      const unknown = await act(previewImport, {
        ...wrong.asked,
        contents: { kind: "suppressions", as: "blocked" },
      });
      assert.deepEqual([unknown.hasHeader, unknown.problem?.input], [true, "upload"]);
      assert.deepEqual(
        unknown.columns.map(({ heading, column }) => [heading, column]),
        [
          ["who", null],
          ["why", null],
        ],
      );
    });

    test("must be cancelled before its upload can be deleted", async () => {
      const { account, upload, asked } = await prepared();
      const { job } = await start(asked);
      const remove = () => act(deleteUpload, { account, id: upload });
      await assert.rejects(remove(), new RegExp(`job ${job.id} is reading upload ${upload}; cancel the job`));
      assert.ok(await store.uploads.byId({ account, id: upload }));
      await act(cancelJob, { account, id: job.id });
      await remove();
      assert.equal(await store.uploads.byId({ account, id: upload }), null);
    });

    test("fails for good if its upload or its list is deleted", async () => {
      const one = await prepared();
      const { job } = await start(one.asked);
      await store.uploads.delete({ account: one.account, id: one.upload });
      const failed = await work(one.account, job.id);
      assert.deepEqual([failed.ending, failed.lastError], ["failed", `the upload ${one.upload} was deleted`]);
      const two = await prepared();
      const { job: other } = await start(two.asked);
      const lease = { owner: "x", until: NOW };
      await store.lists.delete({
        account: two.account,
        id: two.list,
        at: now,
        origin: { kind: "operator" },
        lease,
      });
      assert.equal((await work(two.account, other.id)).ending, "failed");
    });

    test("of one upload runs once at a time", async () => {
      const { asked } = await prepared();
      await start(asked);
      await assert.rejects(act(startImport, asked), NotPossible);
    });

    test("that is cancelled leaves its upload to the purge", async () => {
      const { account, asked, upload } = await prepared(TABLE.replace("ada@", "cancelled@"));
      const { job } = await start(asked);
      await act(cancelJob, { account, id: job.id });
      now += 1;
      await store.jobs.ensurePeriodic({ now });
      for (const lease of await store.jobs.claim({ owner: "p", until: now + LEASE_MS, now, limit: 100 }))
        if (lease.kind === "purge")
          while ((await store.jobs.step({ ...lease, now, until: now + LEASE_MS })) === "continues");
      await assert.rejects(act(findUpload, { account, id: upload }), NotFound);
      assert.equal(await isStored("cancelled@example.org"), false);
      now += LEASE_MS;
    });

    test("takes only a finished upload, of the account", async () => {
      const { account, asked } = await prepared();
      const { id } = await act(createUpload, { account, name: "x.csv", size: null });
      await assert.rejects(act(startImport, { ...asked, upload: id }), NotPossible);
      const stranger = await newAccount(store);
      await assert.rejects(act(startImport, { ...asked, account: stranger }), NotFound);
    });

    test("an upload says what is wrong with a part, and compares its checksum", async () => {
      const account = await newAccount(store);
      const { id } = await act(createUpload, { account, name: "x.csv", size: 6 });
      const append = (offset: number, bytes: Buffer) => act(appendPart, { account, id, offset, bytes });
      const invalid = (input: string) => (error: unknown) =>
        error instanceof InvalidInput && error.input === input;
      await assert.rejects(append(0, Buffer.alloc(0)), invalid("bytes"));
      await assert.rejects(append(0, Buffer.alloc(MAX_PART_BYTES + 1)), invalid("bytes"));
      assert.deepEqual(await append(0, Buffer.from("abc")), { size: 3 });
      await assert.rejects(
        append(1, Buffer.from("abc")),
        /must be 3, the end of the parts that have arrived/,
      );
      assert.deepEqual(await append(0, Buffer.from("abc")), { size: 3 });
      await assert.rejects(act(finishUpload, { account, id, sha256: null }), /has 3 of 6 bytes/);
      await append(3, Buffer.from("def"));
      await assert.rejects(act(finishUpload, { account, id, sha256: "00" }), invalid("sha256"));
      const sha256 = createHash("sha256").update("abcdef").digest("hex").toUpperCase();
      assert.equal((await act(finishUpload, { account, id, sha256 })).size, 6);
      await assert.rejects(append(6, Buffer.from("g")), /is finished/);
      await assert.rejects(act(createUpload, { account, name: "x", size: 2 ** 40 }), NotPossible);
    });
  });
}
