/** Batches on their way into a store, and the dry run that must predict them. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { parseAddress } from "#domain/address.ts";
import { rowsOf, type SubscriberCounts } from "#domain/import/batch.ts";
import type { ImportedPerson } from "#domain/import/rules.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { addBlock, deleteList } from "#jobs/in-batches.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { JOB_STEP } from "#store/writes/step-limits.ts";
import { ImportBatcher, ListGone } from "#transfer/import/batcher.ts";
import type { Entry } from "#transfer/table/source.ts";
import { closeSound } from "../store/recount.ts";

const NOW = Date.UTC(2026, 10, 14);
const folder = mkdtempSync(join(tmpdir(), "mailroll-import-batcher-"));
let store: Store;
before(async () => {
  store = await SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 5, bytes: 2 ** 28 });
});
after(async () => {
  await closeSound(store);
  rmSync(folder, { recursive: true });
});

const newTarget = async () => {
  const { id: account } = await store.accounts.create({ name: "A", at: NOW });
  const { id: list } = await store.lists.create({ account, name: "L", at: NOW });
  return { account, list, now: NOW, overwrite: false };
};
const source = { fileName: "table.csv", startedBy: "tester" };
const entry = (email: string, more: Partial<ImportedPerson> = {}, line = 1): Entry => {
  const address = parseAddress(email);
  assert.ok(address);
  const person = { address, joinedAt: NOW - 9, suppressions: {}, data: {}, values: [], ...more };
  return { line, cells: [email], person, block: null };
};
async function take(
  target: Awaited<ReturnType<typeof newTarget>>,
  entries: readonly Entry[],
  { isDryRun = false, every = entries.length, clock = () => NOW + 1 } = {},
) {
  const reasons: string[] = [];
  const rejected = {
    get count() {
      return reasons.length;
    },
    add: ({ line }: Entry, reason: string) => void reasons.push(`${line}: ${reason}`),
    leaveOut: () => assert.fail("the reader leaves values out"),
  };
  const batcher = new ImportBatcher(store, target, rejected, { source, isDryRun, clock });
  for (const [index, one] of entries.entries()) {
    await batcher.add(one);
    if (index % every === every - 1) await batcher.flush();
  }
  await batcher.finish();
  const counts = batcher.counts as SubscriberCounts;
  const suppressed = Object.values(counts.suppressed).reduce((sum, n) => sum + n, 0);
  assert.equal(rowsOf(counts), entries.length, "every row counts once");
  return { counts, suppressed, reasons, batch: batcher.batch };
}

test("a dry run predicts exactly what the import does, for any duplicates and any batches", async () => {
  const people = ["a@x.org", "b@x.org", "c@x.org", "d@y.org", "e@y.org"];
  const row = fc.record({
    email: fc.constantFrom(...people, ...people.map((email) => email.toUpperCase())),
    suppressions: fc.constantFrom(
      {},
      {},
      {},
      { unsubscribed: 5 },
      { bounced: 6 },
      { complained: 7, bounced: 8 },
    ),
    isBlocked: fc.constantFrom(false, false, false, true),
    firstName: fc.constantFrom("A", "B"),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 12 }),
      fc.array(row, { maxLength: 6 }),
      fc.constantFrom(null, null, 2),
      fc.integer({ min: 1, max: 5 }),
      async (rows, before, limitSubscribers, every) => {
        const target = await newTarget();
        const entriesOf = (given: typeof rows): readonly Entry[] =>
          given.map(({ email, suppressions, isBlocked, firstName }, index) => {
            // A file gives values to an address once: in the last of its rows.
            const key = email.toLowerCase();
            const isLast = !given.slice(index + 1).some((later) => later.email.toLowerCase() === key);
            return {
              ...entry(email, { suppressions, data: isLast ? { firstName } : {} }, index + 1),
              block: isBlocked ? { pattern: key, at: 5 } : null,
            };
          });
        await take(target, entriesOf(before));
        await store.accounts.set({ id: target.account, settings: { limitSubscribers } });
        // A block frees a place that the dry run does not see: the two are not mixed.
        const entries = entriesOf(
          rows.map((one) => (limitSubscribers === null ? one : { ...one, isBlocked: false })),
        );
        const state = async () => [
          await collect(store.lists.members.pages(target)),
          (await collect(store.accounts.all.pages({}))).find(({ id }) => id === target.account)
            ?.activeSubscribers,
          await collect(store.blocks.all.pages(target)),
          await collect(store.imports.all.pages({ account: target.account })),
        ];
        const untouched = await state();
        const predicted = await take(target, entries, { isDryRun: true, every });
        assert.deepEqual(await state(), untouched, "a dry run changes nothing");
        assert.equal(predicted.batch, null, "a dry run is not recorded");
        const { batch: id, ...done } = await take(target, entries, { every });
        assert.deepEqual({ ...done, batch: null }, predicted);
        const recorded = await store.imports.byId({ account: target.account, id: id ?? 0 });
        assert.deepEqual(recorded?.counts, done.counts);
      },
    ),
    { numRuns: 60 },
  );
});

test("importing the same rows again changes nothing, and counts them as such", async () => {
  const target = await newTarget();
  const entries = Array.from({ length: 2500 }, (_, n) => entry(`p${n}@x.org`, {}, n + 2));
  const first = await take(target, entries);
  assert.deepEqual(
    [first.counts.newSubscribers, first.counts.added, first.counts.alreadyThere],
    [2500, 2500, 0],
  );
  const members = await collect(store.lists.members.pages(target));
  const again = await take(target, entries);
  assert.deepEqual(
    [again.counts.newSubscribers, again.counts.added, again.counts.alreadyThere],
    [0, 0, 2500],
  );
  assert.deepEqual(await collect(store.lists.members.pages(target)), members);
});

test("rows beyond the subscriber limit are rejected with their lines", async () => {
  const target = await newTarget();
  await store.accounts.set({ id: target.account, settings: { limitSubscribers: 1 } });
  const { reasons, counts } = await take(target, [entry("a@x.org", {}, 2), entry("b@x.org", {}, 3)]);
  assert.deepEqual([counts.added, counts.rejected], [1, 1]);
  assert.deepEqual(reasons, ["3: the account's subscriber limit is reached"]);
});

test("a list that is deleted meanwhile ends the import", async () => {
  const target = await newTarget();
  const { account, list: id } = target;
  await deleteList(store, { account, id, at: NOW, origin: { kind: "operator" } });
  await assert.rejects(take(target, [entry("a@x.org")]), ListGone);
});

const recordOf = async (account: number, email: string) => {
  const address = parseAddress(email);
  assert.ok(address);
  const record = await store.subscribers.byAddress({ account, address });
  assert.ok(record);
  return record;
};

test("each batch has its own time, so the history is in the order in which things happened", async () => {
  const target = await newTarget();
  const { account } = target;
  let time = NOW + 100;
  const rows = [
    entry("first@x.org", { joinedAt: null }),
    entry("out@x.org", { joinedAt: null, suppressions: { unsubscribed: null } }),
    { ...entry("blocked@x.org"), block: { pattern: "blocked@x.org", at: null } },
  ];
  await take(target, rows, { every: 1, clock: () => (time += 100) });
  const times = async (email: string) =>
    (await recordOf(account, email)).history.map(({ kind, at }) => `${kind} ${at - NOW}`);
  assert.deepEqual(await times("first@x.org"), ["joined 200"]);
  assert.deepEqual(await times("out@x.org"), ["unsubscribed 300", "joined 300"]);
  assert.deepEqual(await times("blocked@x.org"), ["joined -9", "blocked 400"]);
});

test("a block that the import adds has the import's origin and its pattern in the history", async () => {
  const target = await newTarget();
  const blocked = { ...entry("new@x.org"), block: { pattern: "new@x.org", at: 5 } };
  await addBlock(store, {
    account: target.account,
    pattern: "@old.org",
    at: 4,
    origin: { kind: "operator" },
  });
  const { batch } = await take(target, [blocked, entry("a@old.org")]);
  const blockOf = async (email: string) => {
    const { history } = await recordOf(target.account, email);
    return history.filter(({ kind }) => kind === "blocked").map(({ origin, detail }) => ({ origin, detail }));
  };
  assert.deepEqual(await blockOf("new@x.org"), [{ origin: { kind: "import", batch }, detail: "new@x.org" }]);
  assert.deepEqual(await blockOf("a@old.org"), [{ origin: { kind: "operator" }, detail: null }]);
});

test("a job that blocks a domain began when it was imported, whatever the date of the block", async () => {
  const target = await newTarget();
  await take(
    target,
    Array.from({ length: JOB_STEP + 1 }, (_, n) => entry(`p${n}@spam.example`)),
  );
  await take(target, [{ ...entry("a@x.org"), block: { pattern: "@spam.example", at: 5 } }]);
  const jobs = await collect(store.jobs.all.pages({ account: target.account }));
  assert.deepEqual(
    jobs.map(({ kind, createdAt }) => [kind, createdAt]),
    [["apply-block", NOW + 1]],
  );
});

test("a subscriber whom an earlier row created is new, and not updated as well", async () => {
  const rows = [
    entry("a@x.org", { suppressions: { unsubscribed: 5 }, isDuplicate: true }),
    entry("a@x.org", { data: { firstName: "Ann" } }),
  ];
  for (const every of [1, 2])
    for (const isDryRun of [true, false]) {
      const { counts } = await take(await newTarget(), rows, { every, isDryRun });
      assert.deepEqual([counts.newSubscribers, counts.updated], [1, { subscribers: 0, values: 0 }]);
    }
});
