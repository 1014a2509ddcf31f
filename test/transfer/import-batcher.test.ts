/** Batches on their way into a store, and the dry run that must foretell them. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { parseAddress } from "../../src/domain/address.ts";
import type { ImportedPerson } from "../../src/domain/import-rules.ts";
import { collect } from "../../src/domain/pages.ts";
import type { Store } from "../../src/domain/ports.ts";
import { SqliteStore } from "../../src/store/sqlite/store.ts";
import { type Entry, ImportBatcher, ListGone, type Tally } from "../../src/transfer/import-batcher.ts";
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
  const { id: account } = await store.write("createAccount", { name: "A", at: NOW });
  const { id: list } = await store.write("createList", { account, name: "L", at: NOW });
  return { account, list, now: NOW };
};
const entry = (email: string, more: Partial<ImportedPerson> = {}, line = 1): Entry => {
  const address = parseAddress(email);
  assert.ok(address);
  const person = { address, joinedAt: NOW - 9, facts: {}, data: {}, values: [], ...more };
  return { line, cells: [email], person, block: null };
};
async function take(
  target: Awaited<ReturnType<typeof newTarget>>,
  entries: readonly Entry[],
  { isDryRun = false, every = entries.length } = {},
): Promise<Tally & { rejected: readonly string[] }> {
  const rejected: string[] = [];
  const batcher = new ImportBatcher(store, target, isDryRun, ({ line }, reason) =>
    rejected.push(`${line}: ${reason}`),
  );
  for (const [index, one] of entries.entries()) {
    await batcher.add(one);
    if (index % every === every - 1) await batcher.settle();
  }
  await batcher.settle();
  return { ...batcher.tally, rejected };
}

test("a dry run predicts exactly what the import then does, whatever comes twice and however the rows are cut", async () => {
  const people = ["a@x.org", "b@x.org", "c@x.org", "d@y.org", "e@y.org"];
  const row = fc.record({
    email: fc.constantFrom(...people, ...people.map((email) => email.toUpperCase())),
    facts: fc.constantFrom({}, {}, {}, { unsubscribed: 5 }, { bounced: 6 }, { complained: 7, bounced: 8 }),
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
          given.map(({ email, facts, isBlocked, firstName }, index) => ({
            ...entry(email, { facts, data: { firstName } }, index + 1),
            block: isBlocked ? { pattern: email.toLowerCase(), at: 5 } : null,
          }));
        await take(target, entriesOf(before));
        await store.write("setAccount", { id: target.account, settings: { limitSubscribers } });
        // A block frees a place that the dry run does not see: the two are not mixed.
        const entries = entriesOf(
          rows.map((one) => (limitSubscribers === null ? one : { ...one, isBlocked: false })),
        );
        const state = async () => [
          await collect(store.pages("members", target)),
          (await store.read("accounts", {})).find(({ id }) => id === target.account)?.activeSubscribers,
          await store.read("blocks", target),
        ];
        const untouched = await state();
        const foretold = await take(target, entries, { isDryRun: true, every });
        assert.deepEqual(await state(), untouched, "a dry run changes nothing");
        assert.deepEqual(await take(target, entries, { every }), foretold);
      },
    ),
    { numRuns: 60 },
  );
});

test("the same rows again change nothing, and say so", async () => {
  const target = await newTarget();
  const entries = Array.from({ length: 2500 }, (_, n) => entry(`p${n}@x.org`, {}, n + 2));
  const first = await take(target, entries);
  assert.deepEqual([first.NewPerson, first.Joined, first.OnList], [2500, 2500, 0]);
  const members = await collect(store.pages("members", target));
  const again = await take(target, entries);
  assert.deepEqual([again.NewPerson, again.Joined, again.OnList], [0, 0, 2500]);
  assert.deepEqual(await collect(store.pages("members", target)), members);
});

test("who is too many is rejected with the line", async () => {
  const target = await newTarget();
  await store.write("setAccount", { id: target.account, settings: { limitSubscribers: 1 } });
  const { rejected, Joined } = await take(target, [entry("a@x.org", {}, 2), entry("b@x.org", {}, 3)]);
  assert.equal(Joined, 1);
  assert.deepEqual(rejected, ["3: the account's limit of subscribers is reached"]);
});

test("a list that goes away meanwhile ends the import", async () => {
  const target = await newTarget();
  const { account, list: id } = target;
  await store.write("deleteList", { account, id, at: NOW, origin: { kind: "operator" } });
  await assert.rejects(take(target, [entry("a@x.org")]), ListGone);
});
