/** Undoing an import in every store: afterwards everything is as it was, but for what was changed since. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { noSubscriberCounts } from "#domain/import/batch.ts";
import type { ImportedPerson } from "#domain/import/rules.ts";
import { noUndoCounts, type UndoCounts } from "#domain/import/undo.ts";
import type { Lease } from "#domain/job/job.ts";
import { collect } from "#domain/paging.ts";
import { ImportUndone } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";
import { deleteList } from "#jobs/in-batches.ts";
import { JOB_STEP } from "#store/writes/step-limits.ts";
import { actor, addressOf, NOW, newAccount, newImport } from "./actor.ts";
import { finish, finishAll, leaseAt, stepOf } from "./job-steps.ts";
import { closeSound } from "./recount.ts";
import { newWorld, type Sql } from "./sending/world.ts";

const THEN = Date.UTC(2024, 4, 1, 12);
const LATER = NOW + 60_000;
const origin = { kind: "operator", name: "ada" } as const;

const person = (email: string, more: Partial<ImportedPerson> = {}): ImportedPerson => ({
  address: addressOf(email),
  joinedAt: THEN,
  suppressions: {},
  data: {},
  values: [],
  ...more,
});
const counts = (given: object) => ({ ...noUndoCounts, ...given });
const stays = (given: Partial<UndoCounts["stayed"]>) => ({ ...noUndoCounts.stayed, ...given });

async function world(store: Store) {
  const account = await newAccount(store);
  const a = actor(store, account);
  const [list, other] = [await a.list("Members"), await a.list("Other")];
  const made = await a.createField("City");
  assert.ok(typeof made === "object");
  const city = made.id;
  const start = async (id: number, isDryRun = false): Promise<Lease> => {
    const lease = await store.imports.undo({
      ...{ account, id, isDryRun, origin, at: LATER, lease: leaseAt(LATER) },
    });
    assert.ok(typeof lease === "object");
    return lease;
  };
  const resultOf = async ({ id }: Lease): Promise<unknown> =>
    (await store.jobs.byId({ account, id }))?.result?.counts;
  const end = async (lease: Lease): Promise<unknown> => {
    await finish(store, lease, LATER);
    return resultOf(lease);
  };
  return {
    ...{ ...a, list, other, city, start, resultOf },
    town: (value: string) => ({ values: [{ field: city, value }] }),
    take: async (
      people: readonly ImportedPerson[],
      { into = list, overwrite = false, at = NOW } = {},
    ): Promise<number> => {
      const importing = await newImport(store, account, into, overwrite);
      assert.ok(await store.imports.add({ ...importing, at, people }));
      const { batch: id } = importing;
      await store.imports.finish({ account, id, counts: noSubscriberCounts, finishedAt: at });
      return id;
    },
    undo: async (id: number): Promise<unknown> => end(await start(id)),
    dryRun: async (id: number): Promise<unknown> => end(await start(id, true)),
    /** Everything that an export of the lists has, and which values were imported. */
    state: async () => {
      const members = await Promise.all(
        [list, other].map((one) => collect(store.lists.members.pages({ account, list: one }))),
      );
      const emails = new Set(members.flat().map(({ address }) => address));
      const people = await Promise.all([...emails].sort().map((email) => a.show(email)));
      const accounts = await collect(store.accounts.all.pages({}));
      return {
        members,
        active: accounts.find(({ id }) => id === account)?.activeSubscribers,
        people: people.map((one) => ({
          address: one?.address,
          imported: one?.imported,
          values: one?.values.map(({ value, batch }) => [value, batch]),
        })),
      };
    },
  };
}

export function undoSuite(
  name: string,
  open: () => Promise<Store>,
  sql: (text: string) => Promise<unknown>,
): void {
  describe(`undoing an import in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(async () => {
      await finishAll(store);
      await closeSound(store);
    });

    test("restores everything, deletes whom it created, and a dry run predicts it and changes nothing", async () => {
      const w = await world(store);
      await w.take([
        person("ada@example.org", { data: { firstName: "Ada", gender: "F" }, ...w.town("London") }),
        person("bob@example.org"),
      ]);
      await w.addData(w.other, "cy@example.org", { firstName: "Cy" });
      await w.add(w.list, "dee@example.org");
      await w.remove(w.list, "dee@example.org");
      await w.add(w.other, "dee@example.org");
      const before = await w.state();
      const wrong = await w.take(
        [
          person("ada@example.org", {
            data: { firstName: "Eda", gender: "M", country: "GB" },
            ...w.town("Paris"),
          }),
          person("bob@example.org", { data: { lastName: "B", birthday: "1990-01-01" }, ...w.town("Rome") }),
          person("cy@example.org", { data: { firstName: "Cyrus", lastName: "C" } }),
          person("dee@example.org", { joinedAt: THEN, data: { lastName: "D" } }),
          person("new@example.org", { data: { firstName: "New" }, ...w.town("Oslo") }),
        ],
        { overwrite: true },
      );
      const between = await w.state();
      assert.notDeepEqual(between, before);
      const expected = counts({ deleted: 1, removed: 1, restored: { subscribers: 4, values: 10 } });
      assert.deepEqual(await w.dryRun(wrong), expected);
      assert.deepEqual(await w.state(), between);
      assert.deepEqual(await w.undo(wrong), expected);
      assert.deepEqual(await w.state(), before);
      assert.equal(await w.show("new@example.org"), null);
      const batch = await store.imports.byId({ account: w.account, id: wrong });
      assert.deepEqual([batch?.undoStartedAt, batch?.undoneAt], [LATER, LATER]);
      const entry = (await w.show("cy@example.org"))?.history.at(-1);
      assert.deepEqual(
        [entry?.kind, entry?.list, entry?.at, entry?.detail, entry?.origin, entry?.replaced],
        [
          ...["undone", w.list, LATER, `import ${wrong}`, origin],
          [
            { field: "firstName", old: "Cyrus", new: "Cy" },
            { field: "lastName", old: "C", new: "" },
          ],
        ],
      );
      // Nobody has left the list: the right file adds them.
      await w.take([person("cy@example.org"), person("new@example.org")], { at: LATER });
      assert.equal(await w.members(w.list), 4);
    });

    test("never touches an opt-out, and what calls and operators changed since", async () => {
      const w = await world(store);
      const emails = ["out", "left", "again", "named", "other", "moved", "blocked", "file"];
      const wrong = await w.take(
        emails.map((one) =>
          person(`${one}@example.org`, {
            data: { firstName: "Wrong", lastName: "Too" },
            ...w.town("Nowhere"),
            suppressions: one === "file" ? { unsubscribed: THEN } : {},
          }),
        ),
      );
      await w.unsubscribe("out@example.org", LATER);
      await w.remove(w.list, "left@example.org", LATER);
      // Already on the list; the caller was told that they are.
      await w.add(w.list, "again@example.org", LATER);
      await w.addData(w.list, "named@example.org", { firstName: "Right" }, LATER);
      await w.add(w.other, "other@example.org", LATER);
      await w.move("moved@example.org", "moved@example.com", LATER);
      await w.block("blocked@example.org", LATER);
      assert.deepEqual(
        await w.undo(wrong),
        counts({
          deleted: 1,
          removed: 4,
          restored: { subscribers: 5, values: 15 },
          stayed: stays({ addedSince: 2, optedOut: 2, changedSince: 3 }),
        }),
      );
      const shown = async (email: string) => {
        const found = await w.show(email);
        return [found?.data.firstName, found?.values[0]?.value, found?.lists.map(({ id }) => id)];
      };
      assert.deepEqual(await shown("out@example.org"), ["", undefined, []]);
      assert.notEqual((await w.show("out@example.org"))?.suppressions.unsubscribed, null);
      assert.equal((await w.show("file@example.org"))?.suppressions.unsubscribed, THEN);
      assert.deepEqual(await shown("left@example.org"), ["", undefined, []]);
      assert.deepEqual(await shown("again@example.org"), ["Wrong", "Nowhere", [w.list]]);
      assert.deepEqual(await shown("named@example.org"), ["Right", "Nowhere", [w.list]]);
      assert.deepEqual(await shown("other@example.org"), ["", undefined, [w.other]]);
      assert.deepEqual(await shown("moved@example.com"), ["", undefined, []]);
      assert.equal(await w.show("blocked@example.org"), null);
      assert.equal(await w.add(w.list, "blocked@example.org", LATER), "Blocked");
    });

    test("keeps a value that was changed since, whether by a call or by a later import", async () => {
      const w = await world(store);
      const old = { data: { firstName: "Ada", lastName: "K" }, ...w.town("London") };
      await w.take([person("ada@example.org", old), person("bob@example.org", old)]);
      const wrong = { data: { firstName: "X", lastName: "Y" }, ...w.town("Z") };
      const id = await w.take([person("ada@example.org", wrong), person("bob@example.org", wrong)]);
      // The same value, but of a call now.
      await w.addData(w.list, "ada@example.org", { firstName: "X" }, LATER);
      await w.take([person("bob@example.org", { data: { lastName: "Last" }, ...w.town("Oslo") })]);
      assert.deepEqual(await w.undo(id), counts({ restored: { subscribers: 2, values: 3 }, keptValues: 3 }));
      const shown = async (email: string) => {
        const found = await w.show(email);
        return [found?.data.firstName, found?.data.lastName, found?.values[0]?.value];
      };
      assert.deepEqual(await shown("ada@example.org"), ["X", "K", "London"]);
      assert.deepEqual(await shown("bob@example.org"), ["Ada", "Last", "Oslo"]);
    });

    test("two wrong imports of the same people are undone in either order", async () => {
      const w = await world(store);
      await w.take([person("ada@example.org", { data: { firstName: "Ada" } })]);
      const before = await w.state();
      const file = (town: string) => [
        person("ada@example.org", { data: { firstName: "Eda" }, ...w.town(town) }),
        person("new@example.org", { data: { firstName: "New" }, ...w.town(town) }),
      ];
      for (const order of [
        [1, 0],
        [0, 1],
      ] as const) {
        const ids = [await w.take(file("Rome")), await w.take(file("Paris"))];
        for (const which of order) await w.undo(ids[which] ?? 0);
        const state = await w.state();
        if (order[0] === 1) assert.deepEqual(state, before);
        else
          assert.deepEqual(
            state.members[0]?.map(({ address }) => address),
            ["ada@example.org"],
          );
        assert.equal(await w.show("new@example.org"), null, `in the order ${order.join()}`);
      }
    });

    test("whom a later import has, too, stays with it", async () => {
      const w = await world(store);
      const wrong = await w.take([person("both@example.org"), person("only@example.org")]);
      await w.take([person("both@example.org")]);
      assert.deepEqual(await w.undo(wrong), counts({ deleted: 1, stayed: stays({ addedSince: 1 }) }));
      assert.equal(await w.members(w.list), 1);
      assert.equal(await w.show("only@example.org"), null);
    });

    test("whom it created is deleted if the list was deleted meanwhile, unless something else is known", async () => {
      const w = await world(store);
      const wrong = await w.take([person("ada@example.org"), person("bob@example.org")]);
      await w.add(w.other, "bob@example.org", LATER);
      const { account, list } = w;
      await deleteList(store, { account, id: list, at: LATER, origin });
      assert.deepEqual(await w.undo(wrong), counts({ deleted: 1, stayed: stays({ changedSince: 1 }) }));
      assert.equal(await w.show("ada@example.org"), null);
      assert.equal(await w.members(w.other), 1);
    });

    test("whoever got a campaign leaves the list and stays, so that its results stay true", async () => {
      const w = await newWorld(store, sql as Sql);
      const importing = await newImport(store, w.account, w.list);
      const people = ["mailed@example.org", "new@example.org"].map((email) => person(email));
      await store.imports.add({ ...importing, at: NOW, people });
      const one = await w.draft();
      await w.change(one, "schedule");
      await w.ledger(one, "finished", [[await w.idOf("mailed@example.org"), "sent", 250]]);
      const lease = await store.imports.undo({
        ...{ account: w.account, id: importing.batch, isDryRun: false, origin },
        ...{ at: LATER, lease: leaseAt(LATER) },
      });
      assert.ok(typeof lease === "object");
      await finish(store, lease, LATER);
      const job = await store.jobs.byId({ account: w.account, id: lease.id });
      assert.deepEqual(job?.result, {
        ...{ import: importing.batch, isDryRun: false, laterImports: [] },
        counts: counts({ deleted: 1, removed: 1, stayed: stays({ mailed: 1 }) }),
      });
      assert.equal(await w.members(w.list), 0);
      assert.deepEqual((await w.show("mailed@example.org"))?.lists, []);
    });

    test("continues after a kill in the middle, and each subscriber is counted once", async () => {
      const w = await world(store);
      const before = await w.state();
      const people = Array.from({ length: JOB_STEP + 20 }, (_, n) => person(`p${n}@example.org`));
      const wrong = await w.take(people);
      const lease = await w.start(wrong);
      // On SQLite, it passes the subscribers of other accounts first.
      do assert.equal(await stepOf(store, lease, LATER), "continues");
      while (isDeepStrictEqual(await w.resultOf(lease), noUndoCounts));
      assert.deepEqual(await w.resultOf(lease), counts({ deleted: JOB_STEP }));
      const batch = await store.imports.byId({ account: w.account, id: wrong });
      assert.equal(batch?.undoneAt, null);
      // The lease has expired, and another process takes the job.
      const now = LATER + 3_600_000;
      const next = await store.jobs.take({ ...leaseAt(now, "another"), now, id: lease.id });
      assert.ok(next);
      assert.equal(await stepOf(store, lease, now), "lost");
      while ((await stepOf(store, next, now)) === "continues");
      assert.deepEqual(await w.resultOf(next), counts({ deleted: people.length }));
      assert.deepEqual(await w.state(), before);
    });

    test("a second undo is refused while one runs and afterwards, and an import adds no more rows", async () => {
      const w = await world(store);
      const importing = await newImport(store, w.account, w.list);
      const { batch: id } = importing;
      const add = (email: string) => store.imports.add({ ...importing, at: NOW, people: [person(email)] });
      await add("ada@example.org");
      const lease = await w.start(id);
      const again = () =>
        store.imports.undo({
          ...{ account: w.account, id, isDryRun: false, origin, at: LATER, lease: leaseAt(LATER) },
        });
      assert.equal(await again(), "Running");
      await assert.rejects(add("bob@example.org"), ImportUndone);
      await finish(store, lease, LATER);
      assert.equal(await again(), "Undone");
      assert.equal(await w.members(w.list), 0);
      assert.equal(await w.show("bob@example.org"), null);
    });

    test("is refused while a job imports the file", async () => {
      const w = await world(store);
      const { account } = w;
      const upload = 77_000 + account;
      const contents = {
        kind: "subscribers",
        list: w.list,
        overwrite: false,
        map: [],
        ignoresUnknown: false,
      } as const;
      const format = { separator: null, encoding: null, dates: [] };
      const started = await store.imports.startJob({
        ...{ account, at: NOW, lease: leaseAt(NOW), result: {} },
        batch: {
          list: w.list,
          fileName: "f.csv",
          startedBy: "ada",
          startedAt: NOW,
          counts: noSubscriberCounts,
        },
        job: { upload, fileName: "f.csv", format, contents, startedAt: NOW },
      });
      assert.ok(typeof started === "object" && started.batch !== null);
      const asked = { account, id: started.batch, isDryRun: true, origin, at: LATER, lease: leaseAt(LATER) };
      assert.equal(await store.imports.undo(asked), "Importing");
      await store.jobs.cancel({ account, id: started.lease.id, now: LATER });
    });
  });
}
