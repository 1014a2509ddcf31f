/** Imports of uploads that are interrupted and continued, on a store. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { noSubscriberCounts, noSuppressionCounts, rowsOf } from "#domain/import/batch.ts";
import type { TableContents } from "#domain/import/job.ts";
import { ImportMoved } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";
import { readUpload, UploadGone } from "#transfer/import/read-upload.ts";
import { type ImportResult, ImportSession } from "#transfer/import/session.ts";
import { actor, addressOf, NOW, newAccount } from "../store/actor.ts";
import { workbookOf } from "../workbook/write-workbook.ts";

const format = { separator: null, encoding: null, dates: [] };
const clock = () => NOW + 1000;
const COUNT = 1200;
/** Wider than a chunk of the upload, so that a session is held between rows. */
const PADDING = "x".repeat(150);

/**
 * Rows of all sorts: rejected ones, some with a value that is left out, duplicates of which the first opts
 * out, blocked ones, and people who are there already.
 */
const ROWS = Array.from({ length: COUNT }, (_, n) => {
  const rest = `${PADDING},${n % 13 === 0 ? "?" : "F"}`;
  if (n % 7 === 3) return `not an address ${n},,,${rest}`;
  if (n % 10 === 0) return `p${n % 600}@example.org,unsubscribed,A${n},${rest}`;
  if (n % 31 === 5) return `b${n}@blocked.example,blocked,,${rest}`;
  return `p${n}@example.org,,N${n},${rest}`;
});
const TABLE = ["email,state,first_name,last_name,gender", ...ROWS, ""].join("\n");
const LEFT_OUT = ROWS.filter((row) => row.endsWith("?") && !row.startsWith("not")).length;

/** Some more rows than are saved at once. */
const blocks = Array.from({ length: 260 }, (_, n) => `b${n % 240}@example.org,${PADDING.repeat(9)}`).join(
  "\n",
);

/** The same store; who uses it dies when it has saved how many blocks of its next batch are new. */
function untilBlocksAreCounted(store: Store): Store {
  const imports: Store["imports"] = {
    ...store.imports,
    async add(args) {
      const results = await store.imports.add(args);
      if (args.people.length === 0) throw new Error("killed");
      return results;
    },
  };
  return { ...store, imports };
}

/** The same store; after the first read of an import, `work` is done before its result is returned. */
function afterFirstRead(store: Store, work: () => Promise<void>): Store {
  let isFirst = true;
  const imports = new Proxy(store.imports, {
    get(target, name) {
      const method = Reflect.get(target, name, target) as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        const result = await method.apply(target, args);
        if (isFirst) {
          isFirst = false;
          await work();
        }
        return result;
      };
    },
  });
  return new Proxy(store, {
    get: (target, name): unknown => (name === "imports" ? imports : Reflect.get(target, name, target)),
  });
}

export function sessionSuite(name: string, open: () => Promise<Store>): void {
  describe(`an import of an upload in ${name}`, () => {
    let store: Store;
    let other: Store;
    before(async () => {
      store = await open();
      other = await open();
    });
    after(async () => {
      await other.close();
      await store.close();
    });

    /** An account with some subscribers, and the finished upload of a table. */
    async function prepared(text: string | Buffer = TABLE, limit: number | null = null) {
      const account = await newAccount(store);
      const a = actor(store, account);
      const list = await a.list("News");
      for (const n of [1, 2, 4, 599]) await a.add(list, `p${n}@example.org`);
      await store.subscribers.unsubscribe({
        ...{ account, at: NOW, origin: { kind: "operator" }, recordedCall: null },
        address: addressOf("p8@example.org"),
      });
      if (limit !== null) await store.accounts.set({ id: account, settings: { limitSubscribers: limit } });
      const upload = await store.uploads.create({
        account,
        name: "members.csv",
        expectedSize: null,
        at: NOW,
      });
      assert.ok(typeof upload === "object");
      const { id } = upload;
      const bytes = Buffer.from(text as string);
      for (let offset = 0; offset < bytes.length; offset += 50_000)
        await store.uploads.append({
          account,
          id,
          offset,
          bytes: bytes.subarray(offset, offset + 50_000),
          at: NOW,
        });
      await store.uploads.finish({ account, id, at: NOW });
      return { ...a, account, list, upload: id };
    }
    type Prepared = Awaited<ReturnType<typeof prepared>>;

    async function jobOf({ account, list, upload }: Prepared, contents?: TableContents) {
      const started = contents === undefined || contents.kind === "subscribers" ? list : null;
      const batch = await store.imports.start({
        ...{ account, list: started, fileName: "members.csv", startedBy: "ada", startedAt: NOW },
        counts: started === null ? noSuppressionCounts : noSubscriberCounts,
      });
      const subscribers = {
        kind: "subscribers",
        list,
        overwrite: false,
        map: [],
        ignoresUnknown: false,
      } as const;
      const job = { upload, fileName: "members.csv", format, contents: contents ?? subscribers };
      return { ...job, account, batch: batch as number | null, startedAt: NOW };
    }
    const whole = async (job: Awaited<ReturnType<typeof jobOf>>, by = store): Promise<ImportResult> => {
      const session = new ImportSession({ store: by, clock }, job);
      // On a busy machine, more than one piece.
      for (;;) {
        const result = await session.run(60_000);
        if (result !== null) return result;
      }
    };
    /** Each session is abandoned after its turn, as if its process was killed; the next one continues. */
    async function interrupted(
      job: Awaited<ReturnType<typeof jobOf>>,
      by = [store, other],
    ): Promise<ImportResult> {
      for (let n = 0; ; n += 1) {
        const session = new ImportSession({ store: by[n % by.length] ?? store, clock }, job);
        // A turn of no time is one chunk of the file; each session gets one more than the last.
        try {
          let result: ImportResult | null = null;
          for (let turn = 0; turn <= n && result === null; turn += 1) result = await session.run(0);
          if (result !== null) return result;
        } catch (error) {
          // What the last session was saving was saved after this one began.
          if (!(error instanceof ImportMoved)) throw error;
        }
        session.end();
      }
    }
    const people = async ({ account, list }: Prepared): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const page of store.lists.members.pages({ account, list }))
        for (const { address, data, suppressions } of page)
          found.push(
            `${address} ${data.firstName} ${suppressions.unsubscribed !== null} ${suppressions.blocked !== null}`,
          );
      return found.sort();
    };
    async function rejectedText({ account }: Prepared, { rejected }: ImportResult): Promise<string> {
      const id = rejected.id ?? 0;
      const size = (await store.uploads.byId({ account, id }))?.size ?? 0;
      let text = "";
      for await (const chunk of readUpload(store.uploads, { account, id }, { size }))
        text += chunk.toString();
      return text;
    }

    test("that is interrupted again and again does and counts the same as one that is not", async () => {
      const [one, two] = [await prepared(), await prepared()];
      const expected = await whole(await jobOf(one));
      const found = await interrupted(await jobOf(two));
      assert.deepEqual(found.counts, expected.counts);
      assert.equal(rowsOf(found.counts), COUNT);
      assert.ok(found.counts.rejected > 150 && found.counts.newBlocks > 20);
      assert.deepEqual(new Map(found.reasons), new Map(expected.reasons));
      assert.deepEqual(found.leftOut, expected.leftOut);
      assert.equal(found.leftOut[0]?.values, LEFT_OUT);
      assert.deepEqual(await people(two), await people(one));
      assert.equal(await rejectedText(two, found), await rejectedText(one, expected));
      assert.match(await rejectedText(one, expected), /^\ufeffrejected_line,rejected_reason,email,/);
    });

    test("of a workbook does the same as one of a CSV file, also if it is interrupted", async () => {
      const rows = TABLE.split("\n").slice(0, 300);
      const file = workbookOf(rows.map((row) => row.split(",")));
      const [one, two, three] = [await prepared(rows.join("\n")), await prepared(file), await prepared(file)];
      const expected = await whole(await jobOf(one));
      const found = await whole(await jobOf(two));
      assert.deepEqual([found.counts, found.leftOut], [expected.counts, expected.leftOut]);
      assert.equal(await rejectedText(two, found), await rejectedText(one, expected));
      assert.deepEqual(await people(two), await people(one));
      assert.deepEqual((await interrupted(await jobOf(three))).counts, expected.counts);
      assert.deepEqual(await people(three), await people(one));
    });

    test("that is interrupted between the blocks and the people of its batches counts the same", async () => {
      const [one, two] = [await prepared(), await prepared()];
      const expected = await whole(await jobOf(one));
      const job = await jobOf(two);
      let deaths = 0;
      let found: ImportResult | null = null;
      while (found === null) {
        const session = new ImportSession({ store: untilBlocksAreCounted(store), clock }, job);
        found = await session.run(60_000).catch((error: Error) => {
          assert.equal(error.message, "killed");
          return null;
        });
        deaths += found === null ? 1 : 0;
      }
      assert.ok(deaths > 3, `${deaths}`);
      assert.deepEqual(found.counts, expected.counts);
    });

    test("counts blocks once that were added before the interruption", async () => {
      const contents = { kind: "suppressions", as: "blocked" } as const;
      const [one, two] = [await prepared(blocks), await prepared(blocks)];
      const expected = await whole(await jobOf(one, contents));
      const found = await interrupted(await jobOf(two, contents));
      assert.deepEqual(found.counts, { recorded: 0, newBlocks: 240, noOps: 20, rejected: 0 });
      assert.deepEqual(found.counts, expected.counts);
    });

    test("loses no counts that another session saves while it begins", async () => {
      const one = await prepared(blocks);
      const job = await jobOf(one, { kind: "suppressions", as: "blocked" });
      const of = { account: one.account, id: job.batch ?? 0 };
      const first = new ImportSession({ store, clock }, job);
      const saveSome = async (): Promise<void> => {
        let isDone = false;
        while (!isDone && ((await store.imports.progress(of))?.rows ?? 0) === 0)
          isDone = (await first.run(0)) !== null;
      };
      const second = new ImportSession({ store: afterFirstRead(other, saveSome), clock }, job);
      const found = await second.run(60_000).catch((error: unknown) => error);
      if (!(found instanceof ImportMoved))
        assert.deepEqual((found as ImportResult).counts, {
          recorded: 0,
          newBlocks: 240,
          noOps: 20,
          rejected: 0,
        });
      first.end();
    });

    test("counts the rows that a limit of the account rejects, whoever continues", async () => {
      const prepare = () => prepared(undefined, 300);
      const [one, two] = [await prepare(), await prepare()];
      const expected = await whole(await jobOf(one));
      const found = await interrupted(await jobOf(two));
      assert.deepEqual(found.counts, expected.counts);
      assert.deepEqual(new Map(found.reasons), new Map(expected.reasons));
      assert.deepEqual(found.leftOut, expected.leftOut);
    });

    test("creates the fields of attributes once, in the name of who started it, however often it is interrupted", async () => {
      const rows = Array.from(
        { length: 600 },
        (_, n) => `u,n${n}@example.org,"${PADDING}","{""city"":""C${n}"",""age"":${n}}",enabled`,
      );
      const one = await prepared(["uuid,email,Firma,attributes,status", ...rows, ""].join("\n"));
      const { counts, leftOut } = await interrupted(await jobOf(one));
      assert.deepEqual([rowsOf(counts), leftOut], [600, []]);
      const { account } = one;
      const fields = (await store.fields.all.page({ account }, { after: null, limit: 10 })).rows;
      assert.deepEqual(
        fields.map(({ name, type }) => [name, type]),
        [
          ["city", "STRING"],
          ["age", "REAL"],
        ],
      );
      const filter = { account, action: "field.create", since: null, until: null };
      const entries = (await store.audit.all.page(filter, { after: null, limit: 10 })).rows;
      assert.deepEqual(
        entries.map(({ actor }) => actor),
        [1, 2].map(() => ({ kind: "operator", name: "ada" })),
      );
      const found = await store.subscribers.byAddress({ account, address: addressOf("n599@example.org") });
      assert.deepEqual(
        found?.values.map(({ value }) => value),
        ["C599", "599"],
      );
    });

    test("never brings back people who have opted out", async () => {
      const one = await prepared("email,state\np8@example.org,active\n");
      const { counts } = await whole(await jobOf(one));
      assert.deepEqual((counts as { suppressed?: unknown }).suppressed, {
        ...noSubscriberCounts.suppressed,
        unsubscribed: 1,
      });
      assert.deepEqual(await one.members(one.list), 4);
    });

    test("is done by one process: another that continues it later changes nothing", async () => {
      const one = await prepared();
      const job = await jobOf(one);
      const [first, second] = [
        new ImportSession({ store, clock }, job),
        new ImportSession({ store: other, clock }, job),
      ];
      for (let turn = 0; turn < 5; turn += 1) await first.run(0);
      assert.ok(await second.run(60_000));
      const before = await people(one);
      const counts = await store.imports.byId({ account: one.account, id: job.batch ?? 0 });
      await assert.rejects(first.run(60_000), ImportMoved);
      assert.deepEqual(await people(one), before);
      assert.deepEqual(await store.imports.byId({ account: one.account, id: job.batch ?? 0 }), counts);
    });

    test("that has ended before its job has the same result when the job continues", async () => {
      const one = await prepared();
      const job = await jobOf(one);
      const expected = await whole(job);
      await store.uploads.delete({ account: one.account, id: one.upload });
      const again = await whole(job);
      assert.deepEqual(again.counts, expected.counts);
      assert.deepEqual(again.rejected.id, expected.rejected.id);
      assert.deepEqual(new Map(again.reasons), new Map(expected.reasons));
      assert.deepEqual(again.leftOut, expected.leftOut);
    });

    test("fails if the upload is deleted meanwhile; the rows until then stay imported and counted", async () => {
      const one = await prepared();
      const job = await jobOf(one);
      const session = new ImportSession({ store, clock }, job);
      const imported = async (): Promise<number> => {
        const batch = await store.imports.byId({ account: one.account, id: job.batch ?? 0 });
        assert.equal(batch?.finishedAt, null);
        return rowsOf(batch.counts);
      };
      while ((await imported()) === 0) await session.run(0);
      const before = await imported();
      await store.uploads.delete({ account: one.account, id: one.upload });
      await assert.rejects(session.run(60_000), UploadGone);
      assert.ok((await imported()) >= before);
    });

    test("can be tried without changing anything", async () => {
      const [one, two] = [await prepared(), await prepared()];
      const expected = await whole(await jobOf(one));
      const before = await people(two);
      const found = await whole({ ...(await jobOf(two)), batch: null });
      assert.deepEqual(found.counts, expected.counts);
      assert.equal(await rejectedText(two, found), await rejectedText(one, expected));
      assert.deepEqual(await people(two), before);
      const some = new ImportSession({ store, clock }, { ...(await jobOf(two)), batch: null }, 10);
      const tried = await some.run(60_000);
      assert.deepEqual([tried?.isPartial, rowsOf(tried?.counts ?? found.counts)], [true, 10]);
      assert.deepEqual([found.isPartial, rowsOf(found.counts)], [false, COUNT]);
    });
  });
}
