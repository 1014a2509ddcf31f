/** Imports and exports of subscribers in every store. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Imported, ImportedPerson } from "#domain/import/rules.ts";
import { collect } from "#domain/paging.ts";
import type { Member } from "#domain/ports/lists.ts";
import type { Store } from "#domain/ports/store.ts";
import type { Retention } from "#domain/refused-call.ts";
import { deleteList } from "#jobs/in-batches.ts";
import { actor, addressOf, NOW, newAccount, newImport } from "./actor.ts";
import { closeSound } from "./recount.ts";

const THEN = Date.UTC(2019, 4, 1, 12);

const person = (email: string, more: Partial<ImportedPerson> = {}): ImportedPerson => ({
  address: addressOf(email),
  joinedAt: THEN,
  suppressions: {},
  data: {},
  values: [],
  ...more,
});
const said = (results: readonly Imported[] | null) =>
  results?.map(({ outcome, isNew }) => `${outcome}${isNew ? " new" : ""}`) ?? null;

/** An account that imports subscribers. */
async function importingAccount(store: Store) {
  const account = await newAccount(store);
  const a = actor(store, account);
  const active = async () =>
    (await collect(store.accounts.all.pages({}))).find(({ id }) => id === account)?.activeSubscribers;
  return {
    ...a,
    active,
    field: async (name: string) => {
      const made = await a.createField(name);
      assert.ok(typeof made === "object");
      return made.id;
    },
    take: async (
      list: number | null,
      people: readonly ImportedPerson[],
      at = NOW,
      { overwrite = false } = {},
    ) => {
      const { states, ...room } = await store.imports.states({
        account,
        list,
        addresses: people.map(({ address }) => address),
      });
      assert.equal(states.length, people.length);
      assert.equal(room.subscribers, await active());
      const importing = await newImport(store, account, list, overwrite);
      return said(await store.imports.add({ ...importing, at, people }));
    },
    exported: (list: number): Promise<readonly Member[]> =>
      collect(store.lists.members.pages({ account, list })),
  };
}

export function importSuite(name: string, open: (retention: Retention) => Promise<Store>): void {
  describe(`imports into ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open({ days: 90, rows: 5, bytes: 2 ** 28 });
    });
    after(() => closeSound(store));
    test("imports subscribers with their dates and data, and changes nothing when repeated", async () => {
      const a = await importingAccount(store);
      const [list, city] = [await a.list(), await a.field("City")];
      const people = [
        person("Ada@example.org", {
          data: { firstName: "Ada", gender: "F", birthday: "1985-12-10", country: "GB" },
          values: [{ field: city, value: "London" }],
        }),
        person("bob@example.org", { joinedAt: null }),
      ];
      assert.deepEqual(await a.take(list, people), ["Joined new", "Joined new"]);
      const ada = await a.show("ada@example.org");
      assert.equal(ada?.address, "Ada@example.org");
      assert.equal(ada.knownSince, THEN);
      assert.deepEqual(ada.lists, [
        { id: list, name: "List", joinedAt: THEN, status: "active", counts: true },
      ]);
      assert.deepEqual(ada.data, {
        firstName: "Ada",
        lastName: "",
        gender: "F",
        birthday: "1985-12-10",
        country: "GB",
      });
      assert.deepEqual(
        ada.values.map(({ value, at }) => [value, at]),
        [["London", NOW]],
      );
      assert.deepEqual(
        ada.history.map(({ at, kind, origin, list: on }) => [at, kind, origin.kind, on]),
        [[THEN, "joined", "import", list]],
      );
      assert.equal((await a.show("bob@example.org"))?.lists[0]?.joinedAt, NOW);
      assert.equal(await a.members(list), 2);
      assert.deepEqual(await a.take(list, people, NOW + 9), ["OnList", "OnList"]);
      assert.deepEqual(await a.show("ada@example.org"), ada, "not even when the value was given");
    });

    test("replaces what is given and erases nothing", async () => {
      const a = await importingAccount(store);
      const [list, city] = [await a.list(), await a.field("City")];
      const values = (value: string) => [{ field: city, value }];
      await a.take(list, [
        person("ada@example.org", { data: { firstName: "A", lastName: "L" }, values: values("Paris") }),
      ]);
      await a.take(
        list,
        [person("ADA@example.org", { data: { firstName: "Ada" }, values: values("London") })],
        NOW + 5,
      );
      const ada = await a.show("ada@example.org");
      assert.deepEqual([ada?.data.firstName, ada?.data.lastName], ["Ada", "L"]);
      assert.deepEqual([ada?.values[0]?.value, ada?.values[0]?.at], ["London", NOW + 5]);
    });

    test("imports opt-outs, bounces and complaints with their dates, and does not count those subscribers", async () => {
      const a = await importingAccount(store);
      const list = await a.list();
      const suppressions = { unsubscribed: THEN + 1, bounced: THEN + 2, complained: THEN + 3 };
      assert.deepEqual(
        await a.take(list, [
          person("out@example.org", { suppressions: { unsubscribed: THEN + 1 } }),
          person("all@example.org", { suppressions }),
          person("in@example.org"),
        ]),
        ["Suppressed new", "Suppressed new", "Joined new"],
      );
      assert.deepEqual([await a.members(list), await a.active()], [1, 1]);
      const all = await a.show("all@example.org");
      assert.deepEqual(all?.suppressions, { ...suppressions, blocked: null });
      assert.deepEqual(
        all.history.map(({ at, kind }) => [at - THEN, kind]),
        [
          [0, "joined"],
          [1, "unsubscribed"],
          [2, "bounced"],
          [3, "complained"],
        ],
      );
      for (const suppression of ["unsubscribed", "bounced", "complained"] as const)
        await a.reactivate("all@example.org", suppression);
      assert.equal(
        await a.members(list),
        2,
        "the membership is there again with the last suppression cleared",
      );
    });

    test("never clears an opt-out or a block, and keeps the first date", async () => {
      const a = await importingAccount(store);
      const list = await a.list();
      await a.unsubscribe("out@example.org");
      await a.block("@spam.example");
      const people = [
        person("out@example.org", { suppressions: { unsubscribed: THEN } }),
        person("new@spam.example"),
        person("fine@example.org"),
      ];
      assert.deepEqual(await a.take(list, people), ["Suppressed", "Suppressed new", "Joined new"]);
      assert.equal((await a.show("out@example.org"))?.suppressions.unsubscribed, NOW);
      assert.equal((await a.show("new@spam.example"))?.state, "blocked");
      assert.equal(await a.members(list), 1);
      await a.reactivate("out@example.org", "unsubscribed");
      await a.unblock("@spam.example");
      assert.equal(await a.members(list), 3);
    });

    test("applies an imported opt-out to an active subscriber on all lists", async () => {
      const a = await importingAccount(store);
      const [one, two] = [await a.list(), await a.list()];
      await a.take(one, [person("ada@example.org")]);
      assert.deepEqual(
        await a.take(two, [person("ada@example.org", { suppressions: { unsubscribed: THEN } })]),
        ["Suppressed"],
      );
      assert.deepEqual([await a.members(one), await a.members(two), await a.active()], [0, 0, 0]);
    });

    test("does not add subscribers who have left the list since, unless they joined elsewhere later", async () => {
      const a = await importingAccount(store);
      const [list, other] = [await a.list(), await a.list()];
      await a.take(list, [person("ada@example.org"), person("bob@example.org")]);
      for (const email of ["ada@example.org", "bob@example.org"]) await a.remove(list, email, NOW + 5);
      assert.deepEqual(
        await a.take(list, [
          person("ada@example.org"),
          person("ada@example.org", { joinedAt: null }),
          person("bob@example.org", { joinedAt: NOW + 6 }),
        ]),
        ["LeftSince", "LeftSince", "Joined"],
      );
      assert.deepEqual(await a.take(other, [person("ada@example.org")]), ["Joined"], "another list");
    });

    test("whoever left the list elsewhere leaves it, unless they joined it here afterwards, and is noted once", async () => {
      const a = await importingAccount(store);
      const list = await a.list();
      const left = (email: string, leftAt: number | null) => person(email, { leftAt });
      await a.take(list, [person("ada@example.org"), person("eve@example.org"), person("cyd@example.org")]);
      await a.add(list, "bob@example.org");
      const rows = [
        left("ada@example.org", THEN + 1),
        left("bob@example.org", THEN - 1),
        // The import says when she was put on the list here, and not that she came back.
        left("eve@example.org", THEN - 1),
        left("cyd@example.org", null),
        left("new@example.org", THEN),
        person("dan@example.org", { leftAt: THEN, suppressions: { unsubscribed: THEN } }),
      ];
      assert.deepEqual(await a.take(list, rows, NOW + 1), [
        ...["LeftSince", "OnList", "LeftSince", "LeftSince", "LeftSince new", "LeftSince new"],
      ]);
      assert.deepEqual([await a.members(list), await a.active()], [1, 5]);
      await a.take(list, rows, NOW + 2);
      const leftIn = async (email: string) =>
        ((await a.show(email))?.history ?? []).filter(({ kind }) => kind === "left").map(({ at }) => at);
      assert.deepEqual(
        [await leftIn("ada@example.org"), await leftIn("bob@example.org"), await leftIn("new@example.org")],
        [[NOW + 1], [], [NOW + 1]],
      );
      assert.deepEqual(await a.take(list, [person("new@example.org")], NOW + 3), ["LeftSince"]);
    });

    test("starts from scratch for a list that was deleted and created again with its id", async () => {
      const a = await importingAccount(store);
      const id = await a.list();
      await a.take(id, [person("ada@example.org")]);
      await deleteList(store, { account: a.account, id, at: NOW + 5, origin: { kind: "operator" } });
      await store.lists.adopt({ account: a.account, id, name: "L", at: NOW + 9 });
      assert.deepEqual(await a.take(id, [person("ada@example.org")]), ["Joined"]);
    });

    test("stops at the account's limit, to which suppressed subscribers do not count", async () => {
      const a = await importingAccount(store);
      const list = await a.list();
      await store.accounts.set({ id: a.account, settings: { limitSubscribers: 1 } });
      assert.deepEqual(
        await a.take(list, [
          person("a@example.org"),
          person("b@example.org"),
          person("c@example.org", { suppressions: { bounced: THEN } }),
          person("a@example.org"),
        ]),
        ["Joined new", "LimitReached", "Suppressed new", "OnList"],
      );
      assert.equal(await a.show("b@example.org"), null);
    });

    test("sees the effect of earlier rows of the same batch", async () => {
      const a = await importingAccount(store);
      const list = await a.list();
      assert.deepEqual(
        await a.take(list, [
          person("ada@example.org"),
          person("ADA@example.org"),
          person("ada@example.org", { suppressions: { unsubscribed: THEN } }),
        ]),
        ["Joined new", "OnList", "OnList"],
      );
      assert.equal(await a.members(list), 0);
    });

    test("takes the last of several rows about a subscriber, even if it repeats the stored value", async () => {
      const a = await importingAccount(store);
      const [list, city] = [await a.list(), await a.field("City")];
      const living = (firstName: string, value: string) =>
        person("ada@example.org", { data: { firstName }, values: [{ field: city, value }] });
      await a.take(list, [living("Ada", "London")]);
      await a.take(list, [living("Eva", "Paris"), living("Ada", "London")], NOW + 1);
      const ada = await a.show("ada@example.org");
      assert.equal(ada?.data.firstName, "Ada");
      assert.equal(ada.values[0]?.value, "London");
    });

    test("without a list remembers suppressions only", async () => {
      const a = await importingAccount(store);
      const gone = person("gone@example.org", { joinedAt: null, suppressions: { complained: THEN } });
      assert.deepEqual(await a.take(null, [gone, gone]), ["Recorded new", "NoOp"]);
      const record = await a.show("gone@example.org");
      assert.deepEqual([record?.state, record?.lists, record?.knownSince], ["complained", [], THEN]);
    });

    test("refuses a list of another account like one that does not exist", async () => {
      const [a, b] = [await importingAccount(store), await importingAccount(store)];
      const list = await a.list();
      const people = [person("ada@example.org")];
      const importing = await newImport(store, b.account, list);
      assert.equal(await store.imports.add({ ...importing, at: NOW, people }), null);
      assert.equal(await b.show("ada@example.org"), null);
      assert.deepEqual(await collect(store.lists.members.pages({ account: b.account, list })), []);
    });

    test("lists members page by page with all their data, suppressed ones included", async () => {
      const a = await importingAccount(store);
      const [list, city] = [await a.list(), await a.field("City")];
      const people = Array.from({ length: 1203 }, (_, n) =>
        person(`p${n}@example.org`, {
          joinedAt: THEN + n,
          data: { firstName: `P${n}` },
          values: n % 3 === 0 ? [{ field: city, value: `City ${n}` }] : [],
          suppressions: n === 7 ? { bounced: THEN } : {},
        }),
      );
      await a.take(list, people);
      const members = await a.exported(list);
      assert.deepEqual(
        members.map(({ address, joinedAt, data, values, suppressions }) => [
          address,
          joinedAt,
          data.firstName,
          values,
          suppressions.bounced,
        ]),
        people.map(({ address, joinedAt, data, values, suppressions }) => [
          address.text,
          joinedAt,
          data.firstName,
          values,
          suppressions.bounced ?? null,
        ]),
      );
      await a.remove(list, "p0@example.org", NOW);
      assert.equal((await a.exported(list)).length, 1202);
    });
  });
}
