/**
 * Which stored values an import may replace, what the history records of it, and how an import itself is
 * recorded.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { noSubscriberCounts, type SubscriberCounts } from "#domain/import/batch.ts";
import type { ImportedPerson } from "#domain/import/rules.ts";
import type { Store } from "#domain/ports/store.ts";
import type { Retention } from "#domain/refused-call.ts";
import { erase } from "#jobs/in-batches.ts";
import { actor, addressOf, NOW, newAccount, newImport } from "./actor.ts";
import { closeSound } from "./recount.ts";

const ADA = "ada@example.org";

/** An account with a list and a field, whose subscribers get values from imports and from calls. */
async function accountWithField(store: Store) {
  const account = await newAccount(store);
  const a = actor(store, account);
  const list = await a.list();
  const made = await a.createField("City");
  assert.ok(typeof made === "object");
  const city = made.id;
  const valuesOf = (value: string | undefined) => (value === undefined ? [] : [{ field: city, value }]);
  return {
    account,
    list,
    city,
    call: (firstName: string | null, town?: string, at = NOW) =>
      a.addData(list, ADA, { firstName, values: valuesOf(town) }, at),
    take: async (
      data: ImportedPerson["data"],
      town?: string,
      { at = NOW, overwrite = false, email = ADA } = {},
    ) => {
      const importing = await newImport(store, account, list, overwrite);
      const person = {
        address: addressOf(email),
        joinedAt: NOW,
        suppressions: {},
        data,
        values: valuesOf(town),
      };
      const results = await store.imports.add({ ...importing, at, people: [person] });
      const [row] = results ?? [];
      return { batch: importing.batch, updated: row?.updatedValues, keptNewer: row?.keptNewerValues };
    },
    show: (email = ADA) => a.show(email),
    values: async () => {
      const ada = await a.show(ADA);
      return [ada?.data.firstName, ada?.values[0]?.value];
    },
    changes: async () => (await a.show(ADA))?.history.filter(({ kind }) => kind === "changed") ?? [],
    erase: () => erase(store, { account, address: addressOf(ADA), at: NOW }),
  };
}

export function importValuesSuite(name: string, open: (retention: Retention) => Promise<Store>): void {
  describe(`values that an import gives to people in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open({ days: 90, rows: 5, bytes: 2 ** 28 });
    });
    after(() => closeSound(store));

    test("replace values that an import wrote last", async () => {
      const a = await accountWithField(store);
      await a.take({ firstName: "A" }, "Paris");
      const { updated, keptNewer } = await a.take({ firstName: "Ada" }, "London");
      assert.deepEqual([updated, keptNewer], [2, 0]);
      assert.deepEqual(await a.values(), ["Ada", "London"]);
    });

    test("fill empty values, also of a subscriber that a call created", async () => {
      const a = await accountWithField(store);
      await a.call(null);
      const { updated, keptNewer } = await a.take({ firstName: "Ada", gender: "F" }, "London");
      assert.deepEqual([updated, keptNewer], [3, 0]);
      assert.deepEqual(await a.values(), ["Ada", "London"]);
      const [change] = await a.changes();
      assert.deepEqual(
        change?.replaced,
        [
          { field: "firstName", old: "", new: "Ada" },
          { field: "gender", old: "", new: "F" },
          { field: a.city, old: "", new: "London" },
        ],
        "an import can be undone",
      );
    });

    test("with which it creates a subscriber are no change", async () => {
      const a = await accountWithField(store);
      await a.take({ firstName: "Ada" }, "London");
      assert.deepEqual(await a.changes(), []);
    });

    test("leave values alone that a call gave since", async () => {
      const a = await accountWithField(store);
      await a.take({ firstName: "Old", lastName: "Name" }, "Old town");
      await a.call("Ada", "London");
      const { updated, keptNewer } = await a.take({ firstName: "Old", lastName: "Newer" }, "Old town");
      assert.deepEqual([updated, keptNewer], [1, 2], "the last name was not given by the call");
      assert.deepEqual(await a.values(), ["Ada", "London"]);
    });

    test("leave values alone that a call confirmed by giving the same", async () => {
      const a = await accountWithField(store);
      await a.take({ firstName: "Ada" }, "London");
      await a.call("Ada", "London");
      const { keptNewer } = await a.take({ firstName: "Eva" }, "Paris");
      assert.equal(keptNewer, 2);
      assert.deepEqual(await a.values(), ["Ada", "London"]);
      assert.deepEqual(await a.changes(), []);
    });

    test("replace newer values where the import may overwrite, and count as imported then", async () => {
      const a = await accountWithField(store);
      await a.call("Ada", "London");
      const { updated } = await a.take({ firstName: "Eva" }, "Paris", { overwrite: true });
      assert.equal(updated, 2);
      assert.deepEqual(await a.values(), ["Eva", "Paris"]);
      await a.take({ firstName: "Ida" }, "Rome");
      assert.deepEqual(await a.values(), ["Ida", "Rome"]);
    });

    test("that are the same do not make values of a call imported ones", async () => {
      const a = await accountWithField(store);
      await a.call("Ada", "London");
      await a.take({ firstName: "Ada" }, "London");
      await a.take({ firstName: "Eva" }, "Paris");
      assert.deepEqual(await a.values(), ["Ada", "London"]);
    });

    test("are in the history once where they replaced others, with the import, old and new", async () => {
      const a = await accountWithField(store);
      const { batch: first } = await a.take({ firstName: "Ada", country: "GB" }, "London");
      const { batch } = await a.take({ firstName: "Eva", lastName: "L", country: "GB" }, "Paris", {
        at: NOW + 5,
      });
      const replaced = [
        { field: "firstName", old: "Ada", new: "Eva", importedBy: null },
        { field: "lastName", old: "", new: "L" },
        { field: a.city, old: "London", new: "Paris", importedBy: first },
      ];
      const entry = {
        at: NOW + 5,
        kind: "changed",
        origin: { kind: "import", batch },
        campaign: null,
        list: null,
        detail: null,
        replaced,
      };
      assert.deepEqual(await a.changes(), [entry]);
      const again = await a.take({ firstName: "Eva", lastName: "L", country: "GB" }, "Paris", {
        at: NOW + 9,
      });
      assert.equal(again.updated, 0);
      assert.deepEqual(await a.changes(), [entry], "the same row again changes nothing");
      const ada = await a.show();
      assert.deepEqual(
        ada?.values.map((value) => [value.at, value.batch]),
        [[NOW + 5, batch]],
      );
    });

    test("are in the history where a call replaced them, and not where it gave the same or the first", async () => {
      const a = await accountWithField(store);
      await a.call("Ada");
      await a.call("Ada", "London");
      assert.deepEqual(await a.changes(), []);
      await a.call("Eva", "Paris", NOW + 1);
      await a.call("Eva", "Paris", NOW + 2);
      assert.deepEqual(
        (await a.changes()).map(({ at, origin, replaced }) => ({ at, origin, replaced })),
        [
          {
            at: NOW + 1,
            origin: { kind: "operator" },
            replaced: [
              { field: "firstName", old: "Ada", new: "Eva" },
              { field: a.city, old: "London", new: "Paris" },
            ],
          },
        ],
      );
    });

    test("are gone from the history of a person who is erased", async () => {
      const a = await accountWithField(store);
      await a.call("Ada");
      await a.call("Eva");
      const { history } = await a.erase();
      assert.equal(history, 2);
      assert.equal(await a.show(), null);
    });
  });

  describe(`an import into ${name} as a batch`, () => {
    let store: Store;
    before(async () => {
      store = await open({ days: 90, rows: 5, bytes: 2 ** 28 });
    });
    after(() => closeSound(store));

    test("is not finished until it is said to be, and has the counts of its rows so far", async () => {
      const a = await accountWithField(store);
      const { batch } = await a.take({ firstName: "Ada" });
      const read = () => store.imports.byId({ account: a.account, id: batch });
      const begun = await read();
      const by = { startedBy: "tester", startedKind: "operator" } as const;
      const source = { fileName: "table.csv", ...by, startedAt: NOW, list: a.list };
      const counts: SubscriberCounts = { ...noSubscriberCounts, added: 1, newSubscribers: 1 };
      const undo = { isUndoable: true, undoStartedAt: null, undoneAt: null };
      assert.deepEqual(begun, { id: batch, ...source, finishedAt: null, counts, ...undo });
      const more = { ...counts, rejected: 3 };
      await store.imports.finish({ account: a.account, id: batch, counts: more, finishedAt: NOW + 7 });
      assert.deepEqual(await read(), { ...begun, finishedAt: NOW + 7, counts: more });
    });

    test("is listed with the others of its account, the newest first, and never with another's", async () => {
      const [a, b] = [await accountWithField(store), await accountWithField(store)];
      const made = [await a.take({}), await a.take({}), await a.take({})].map(({ batch }) => batch);
      await b.take({});
      const { rows: listed } = await store.imports.all.page(
        { account: a.account },
        { after: null, limit: 2 },
      );
      assert.deepEqual(
        listed.map(({ id }) => id),
        made.toReversed().slice(0, 2),
      );
      assert.equal(await store.imports.byId({ account: b.account, id: made[0] ?? 0 }), null);
    });
  });
}
