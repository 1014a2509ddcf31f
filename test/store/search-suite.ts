/** Searches for subscribers, for every store. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AuditEntry } from "#domain/access/audit.ts";
import type { AccountId } from "#domain/account.ts";
import { collect } from "#domain/paging.ts";
import { InvalidCursor } from "#domain/ports/errors.ts";
import type { Cursor, Page, PageRange } from "#domain/ports/listing.ts";
import type { Store } from "#domain/ports/store.ts";
import type { FoundSubscriber, SearchOf } from "#domain/ports/subscribers.ts";
import type { Refusal } from "#domain/refused-call.ts";
import { ordersOf, type SubscriberSearch } from "#domain/subscriber/search.ts";
import { auditSearch } from "#store/cold/audit.ts";
import type { Db } from "#store/cold/kit/db.ts";
import { refusalSearch } from "#store/cold/refused-calls/refused-calls.ts";
import { subscriberSearch } from "#store/cold/subscribers/subscriber-search.ts";
import { actor, addressOf, NOW, newAccount } from "./actor.ts";

export interface Opened {
  readonly store: Store;
  /** On another connection, which only reads. */
  readonly db: Db;
  readonly close: () => Promise<void>;
}
const anybody: SubscriberSearch = { address: null, name: null, state: null, list: null, filter: [] };
const localPart = ({ address }: FoundSubscriber): string => address.slice(0, address.indexOf("@"));
const localParts = ({ rows }: Page<FoundSubscriber>): string => rows.map(localPart).join(" ");

/** Whether the database chooses the order. */
const hasOwnOrder = ({ address, name, state, list, order }: Partial<SearchOf>): boolean =>
  order === undefined &&
  list === undefined &&
  (address ? "domain" in address : name !== undefined || state !== undefined);

export function searchSuite(name: string, open: () => Promise<Opened>): void {
  describe(`searches of ${name}`, () => {
    let opened: Opened;
    before(async () => {
      opened = await open();
    });
    after(() => opened.close());

    const newActor = async () => actor(opened.store, await newAccount(opened.store));
    /** All that are found, in pages of two, which are the same from the end. */
    async function found(account: AccountId, search: Partial<SearchOf>): Promise<string> {
      const listing = opened.store.subscribers.search;
      const args = { account, ...anybody, ...search };
      const forward: string[] = [];
      let next: Cursor | null = null;
      do {
        const one: Page<FoundSubscriber> = await listing.page(args, { after: next, limit: 2 });
        assert.equal(one.previous === null, next === null);
        forward.push(...one.rows.map(localPart));
        next = one.next;
      } while (next !== null);
      const backward: string[] = [];
      let previous: Cursor | null = null;
      do {
        const one: Page<FoundSubscriber> = await listing.page(args, { before: previous, limit: 2 });
        assert.equal(one.next === null, previous === null);
        backward.unshift(...one.rows.map(localPart));
        previous = one.previous;
      } while (previous !== null);
      assert.deepEqual(backward, forward);
      return (hasOwnOrder(search) ? forward.toSorted() : forward).join(" ");
    }

    test("finds one address, addresses by their beginning, and addresses of a domain", async () => {
      const { account, ...of } = await newActor();
      const list = await of.list();
      for (const email of ["Ada@example.org", "adam@example.com", "bob@Example.org", "adb@sub.example.org"])
        await of.add(list, email);
      assert.equal(await found(account, {}), "Ada adam adb bob");
      assert.equal(await found(account, { address: { is: "ada@example.org" } }), "Ada");
      assert.equal(await found(account, { address: { is: "ada@example.or" } }), "");
      assert.equal(await found(account, { address: { startsWith: "ad" } }), "Ada adam adb");
      assert.equal(await found(account, { address: { startsWith: "ada" } }), "Ada adam");
      assert.equal(await found(account, { address: { startsWith: "ada@" } }), "Ada");
      assert.equal(await found(account, { address: { startsWith: "da" } }), "");
      assert.equal(await found(account, { address: { domain: "example.org" } }), "Ada bob");
      assert.equal(await found(account, { address: { domain: "ample.org" } }), "");
    });

    test("lists in each order that a search can have, whatever other accounts have added in between", async () => {
      const [one, other] = [await newActor(), await newActor()];
      const { account } = one;
      const [list, foreign] = [await one.list(), await other.list()];
      for (const local of "cadbfe") {
        await one.addData(list, `${local}@example.${local < "d" ? "org" : "com"}`, { lastName: "Doe" });
        for (const count of [1, 2]) await other.add(foreign, `${local}${count}@example.org`);
      }
      for (const local of "bf") await one.unsubscribe(`${local}@example.${local === "b" ? "org" : "com"}`);
      const orderOf = async (search: Partial<SubscriberSearch>) => {
        const orders = ordersOf({ ...anybody, ...search });
        const listed = orders.map(
          async (order) => [order, await found(account, { ...search, order })] as const,
        );
        return Object.fromEntries(await Promise.all(listed));
      };
      assert.deepEqual(await orderOf({}), {
        ...{ address: "a b c d e f", "address-desc": "f e d c b a" },
        ...{ oldest: "c a d b f e", newest: "e f b d a c" },
      });
      assert.deepEqual(await orderOf({ state: "active" }), {
        ...{ address: "a c d e", "address-desc": "e d c a", oldest: "c a d e", newest: "e d a c" },
      });
      const added = (oldest: string) => ({ oldest, newest: oldest.split(" ").toReversed().join(" ") });
      assert.deepEqual(await orderOf({ state: "unsubscribed" }), added("b f"));
      assert.deepEqual(await orderOf({ list }), added("c a d b f e"));
      assert.deepEqual(await orderOf({ name: "doe" }), added("c a d b f e"));
      assert.deepEqual(await orderOf({ address: { domain: "example.org" } }), added("c a b"));
      assert.deepEqual(await orderOf({ address: { startsWith: "a" } }), {
        ...{ address: "a", "address-desc": "a" },
      });
    });

    test("has those whom a search finds with their data, as members of the list that it names", async () => {
      const { account, ...of } = await newActor();
      const [list, other] = [await of.list(), await of.list()];
      assert.equal(await of.field("Town"), "Done");
      const [{ id: field } = { id: 0n }] = await collect(opened.store.fields.all.pages({ account }));
      await of.addData(list, "ada@example.org", { lastName: "Lovelace", values: [{ field, value: "Bath" }] });
      for (const one of [list, other]) await of.add(one, "bob@example.org", NOW + 5);
      await of.unsubscribe("bob@example.org");
      await of.addPending(other, "cia@example.org", NOW + 7);
      await of.addPending(list, "cia@example.org", NOW + 9);
      const { subscribers, lists } = opened.store;
      const all = await collect(subscribers.found.pages({ account, ...anybody }));
      assert.deepEqual(
        all.map(({ address, data, values }) => [address, data.lastName, values]),
        [
          ["ada@example.org", "Lovelace", [{ field, value: "Bath" }]],
          ["bob@example.org", "", []],
          ["cia@example.org", "", []],
        ],
      );
      assert.deepEqual(
        all.map(({ joinedAt, status, suppressions }) => [
          joinedAt,
          status,
          suppressions.unsubscribed === null,
        ]),
        [
          [NOW, "active", true],
          [NOW + 5, "active", false],
          [NOW + 7, "active", true],
        ],
      );
      const onList = await collect(subscribers.found.pages({ account, ...anybody, list }));
      assert.deepEqual(onList, await collect(lists.members.pages({ account, list })));
      assert.deepEqual(
        onList.map(({ joinedAt, status }) => [joinedAt, status]),
        [
          [NOW, "active"],
          [NOW + 5, "active"],
          [NOW + 9, "pending"],
        ],
      );
      const suppressed = { account, ...anybody, state: "unsubscribed" } as const;
      assert.deepEqual(await collect(subscribers.found.pages(suppressed)), all.slice(1, 2));
    });

    test("finds names by their beginning, ignoring case, also beyond ASCII", async () => {
      const { account, ...of } = await newActor();
      const list = await of.list();
      for (const [local, firstName, lastName] of [
        ["a", "Ada", "Lovelace"],
        ["b", "ADAM", "Åkesson"],
        ["c", "Åse", "Adams"],
        ["d", "", "Élodie"],
        ["e", "Анна", "Петрова"],
        ["f", "%", "_"],
      ] as const)
        await of.addData(list, `${local}@example.org`, { firstName, lastName });
      await of.add(list, "nameless@example.org");
      for (const [prefix, expected] of [
        ["ada", "a b c"],
        ["ADA L", "a"],
        ["love", "a"],
        ["ovelace", ""],
        ["åk", "b"],
        ["ÅSE", "c"],
        ["élo", "d"],
        ["анна пет", "e"],
        ["ПЕТР", "e"],
        ["%", "f"],
        ["_", "f"],
      ] as const)
        assert.equal(await found(account, { name: prefix }), expected, prefix);
    });

    test("combines address, name, state and list", async () => {
      const { account, ...of } = await newActor();
      const [one, two] = [await of.list("One"), await of.list("Two")];
      for (const local of ["d", "c", "b", "a"])
        await of.addData(one, `${local}@example.org`, { firstName: "Ada" });
      await of.addData(two, "b@example.org", {});
      await of.addPending(two, "e@example.com");
      await of.unsubscribe("b@example.org");
      await of.unsubscribe("c@example.org");
      await of.block("c@example.org");
      assert.equal(await found(account, { state: "active" }), "a d e");
      assert.equal(await found(account, { state: "unsubscribed" }), "b");
      assert.equal(await found(account, { state: "blocked" }), "c");
      assert.equal(await found(account, { state: "bounced" }), "");
      assert.equal(await found(account, { list: one }), "d c b a");
      assert.equal(await found(account, { list: two }), "b e");
      assert.equal(await found(account, { list: two, address: { startsWith: "b" } }), "b");
      assert.equal(await found(account, { list: two, address: { is: "a@example.org" } }), "");
      assert.equal(await found(account, { list: one, address: { domain: "example.org" } }), "d c b a");
      assert.equal(await found(account, { list: one, state: "active", name: "ada" }), "d a");
      assert.equal(await found(account, { address: { domain: "example.com" }, name: "ada" }), "");
    });

    test("finds whom a filter matches, with any other condition, in each order that is possible", async () => {
      const { account, ...of } = await newActor();
      const list = await of.list();
      assert.equal(await of.field("Town"), "Done");
      const [{ id: field } = { id: 0n }] = await collect(opened.store.fields.all.pages({ account }));
      for (const [index, local] of [..."hgfedcba"].entries())
        await of.addData(
          index < 6 ? list : await of.list(),
          `${local}@example.${index < 4 ? "org" : "com"}`,
          {
            lastName: index % 2 === 0 ? "Doe" : "",
            values: index % 4 === 1 ? [] : [{ field, value: index < 3 ? "Bath" : "Bonn" }],
          },
        );
      await of.unsubscribe("f@example.org");
      const inBonn = { about: { field: String(field) }, test: "is", value: "BONN" } as const;
      const unnamed = { about: "last name", test: "is empty", value: "" } as const;
      const filter = [inBonn];
      assert.equal(await found(account, { filter, order: "oldest" }), "e d b a");
      assert.equal(await found(account, { filter, order: "newest" }), "a b d e");
      assert.equal((await found(account, { filter })).split(" ").toSorted().join(" "), "a b d e");
      assert.equal(await found(account, { filter: [inBonn, unnamed], order: "oldest" }), "e a");
      assert.equal(await found(account, { filter, list }), "e d");
      assert.equal(await found(account, { filter, name: "doe", order: "oldest" }), "d b");
      assert.equal(await found(account, { filter, address: { domain: "example.org" } }), "e");
      assert.equal(await found(account, { filter, address: { startsWith: "b" } }), "b");
      const notInBonn = { ...inBonn, test: "is not" } as const;
      assert.equal(await found(account, { filter: [notInBonn], state: "unsubscribed" }), "f");
      assert.equal(await found(account, { filter, state: "unsubscribed" }), "");
      const gone = { about: { field: "999999" }, test: "is empty", value: "" } as const;
      assert.equal(await found(account, { filter: [gone] }), "");
      const other = await newActor();
      await other.addData(await other.list(), "z@example.org", { lastName: "Doe" });
      assert.equal(await found(other.account, { filter: [unnamed] }), "");
      assert.deepEqual(ordersOf({ ...anybody, filter }), ["oldest", "newest"]);
    });

    test("compares names, the country, and the day on which somebody became a subscriber", async () => {
      const { account, ...of } = await newActor();
      const list = await of.list();
      const names = { firstName: "Ada", lastName: "Byron", countryNumber: 276 };
      await of.addData(list, "ada@example.org", names, NOW);
      await of.add(list, "bob@example.org", NOW - 86_400_000);
      for (const [about, test, value, expected] of [
        ["first name", "is", "ADA", "ada"],
        ["first name", "is empty", "", "bob"],
        ["last name", "starts with", "by", "ada"],
        ["last name", "is empty", "", "bob"],
        ["country", "is", "DE", "ada"],
        ["country", "is not", "DE", "bob"],
        ["joined", "is on or after", "2026-11-14", "ada"],
        ["joined", "is before", "2026-11-14", "bob"],
      ] as const)
        assert.equal(
          await found(account, { filter: [{ about, test, value }] }),
          expected,
          `${about} ${test}`,
        );
    });

    test("finds nobody by a field that does not exist, or belongs to another account", async () => {
      const [{ account, ...of }, other] = [await newActor(), await newActor()];
      await of.add(await of.list(), "ada@example.org");
      const foreign = await other.createField("Town");
      assert.ok(typeof foreign === "object");
      const filterOf = (field: string) => [{ about: { field }, test: "is empty", value: "" }] as const;
      for (const field of ["999999", String(foreign.id)])
        assert.equal(await found(account, { filter: filterOf(field) }), "", field);
      // Of more than 64 bits.
      for (const field of [String(foreign.id), String(2n ** 63n), "9".repeat(40)]) {
        const known = await opened.store.mailings.knownToFilter({ account, filter: filterOf(field) });
        assert.equal(known.types.size, 0, field);
      }
    });

    test("reads further than the rows that are compared at a time, and keeps their order", async () => {
      const { account, ...of } = await newActor();
      const list = await of.list();
      const adds = Array.from({ length: 1100 }, (_, n) =>
        of.addData(list, `p${n}@example.org`, { lastName: n % 150 === 7 ? "Rare" : "Usual" }),
      );
      await Promise.all(adds);
      const filter = [{ about: "last name", test: "is", value: "rare" }] as const;
      for (const where of [{ order: "oldest" }, { order: "newest" }, { list, order: "oldest" }] as const)
        assert.equal(
          await found(account, { ...where, filter }),
          await found(account, { ...where, name: "rare" }),
        );
      assert.equal((await found(account, { filter })).split(" ").length, 8);
    });

    test("returns each subscriber with names, state and the number of lists", async () => {
      const { account, ...of } = await newActor();
      const [one, two] = [await of.list("One"), await of.list("Two")];
      await of.addData(one, "Ada@example.org", { firstName: "Ada", lastName: "Lovelace" });
      await of.add(two, "ada@example.org", NOW + 5);
      await of.unsubscribe("ada@example.org");
      const page = await opened.store.subscribers.search.page(
        { account, ...anybody },
        { after: null, limit: 5 },
      );
      const [row] = page.rows;
      assert.deepEqual(page, {
        rows: [
          {
            id: row?.id,
            address: "Ada@example.org",
            firstName: "Ada",
            lastName: "Lovelace",
            state: "unsubscribed",
            knownSince: NOW,
            lists: 2,
            membership: null,
          },
        ],
        previous: null,
        next: null,
        visited: 1,
      });
    });

    test("returns the membership on the list that is searched, and none without a list", async () => {
      const { account, ...of } = await newActor();
      const [one, two] = [await of.list("One"), await of.list("Two")];
      await of.add(one, "ada@example.org", NOW);
      await of.addPending(two, "ada@example.org", NOW + 7);
      const memberships = async (search: Partial<SubscriberSearch>) => {
        const args = { account, ...anybody, ...search };
        const { rows } = await opened.store.subscribers.search.page(args, { after: null, limit: 5 });
        return rows.map(({ membership }) => membership);
      };
      assert.deepEqual(await memberships({}), [null]);
      assert.deepEqual(await memberships({ list: one }), [{ joinedAt: NOW, status: "active" }]);
      for (const address of [null, { startsWith: "a" }])
        assert.deepEqual(await memberships({ list: two, address }), [
          { joinedAt: NOW + 7, status: "pending" },
        ]);
    });

    test("finds nobody of another account, also through its list", async () => {
      const [{ account }, other] = [await newActor(), await newActor()];
      const list = await other.list();
      await other.add(list, "ada@example.org");
      for (const search of [{}, { list }, { address: { is: "ada@example.org" } }])
        assert.equal(await found(account, search), "");
      assert.equal(await found(other.account, { list }), "ada");
    });

    test("takes patterns and quotes literally", async () => {
      const { account, ...of } = await newActor();
      const list = await of.list();
      for (const local of ["%", "_x", "'", "*", "plain"]) await of.add(list, `${local}@example.org`);
      for (const [prefix, expected] of [
        ["%", "%"],
        ["_", "_x"],
        ["'", "'"],
        ["*", "*"],
        ["\\", ""],
        ['"', ""],
        ["p_", ""],
        ["' OR 1=1 --", ""],
        ["\u{1f600}", ""],
      ] as const) {
        assert.equal(await found(account, { address: { startsWith: prefix } }), expected, prefix);
        assert.equal(await found(account, { name: prefix }), "", prefix);
        assert.equal(await found(account, { address: { domain: prefix } }), "", prefix);
      }
    });

    test("ends a page after the most visits, with a cursor and what it has", async () => {
      const { account, ...of } = await newActor();
      const list = await of.list();
      for (const local of "abcdefgh")
        await of.addData(list, `${local}@example.org`, { lastName: "dh".includes(local) ? "Rare" : "" });
      const search = subscriberSearch(3);
      const filter = [{ about: "last name", test: "is", value: "rare" }] as const;
      for (const where of [{}, { list }, { name: null, filter }]) {
        const page = (range: PageRange): Promise<Page<FoundSubscriber>> =>
          search.page(opened.db, { account, ...anybody, name: "rare", ...where }, range);
        const first = await page({ after: null, limit: 5 });
        assert.deepEqual([first.rows, first.previous === null, first.next === null], [[], true, false]);
        const second = await page({ after: first.next, limit: 5 });
        assert.equal(localParts(second), "d");
        const third = await page({ after: second.next, limit: 5 });
        assert.deepEqual([localParts(third), third.next], ["h", null]);
        const back = await page({ before: third.previous, limit: 5 });
        assert.equal(localParts(back), "d");
        const start = await page({ before: back.previous, limit: 5 });
        assert.deepEqual([localParts(start), start.previous === null], ["", false]);
        const last = await page({ before: null, limit: 5 });
        assert.deepEqual([localParts(last), last.next], ["h", null]);
      }
    });

    test("ends a page of refused calls after the most visits, with a cursor and what it has", async () => {
      const account = await newAccount(opened.store);
      const base = { account, origin: { kind: "operator" }, field: null } as const;
      for (const [index, letter] of [..."ABCDEFGH"].entries()) {
        const recordedCall = { operation: "DH".includes(letter) ? "Rare" : "Op", args: letter, isCut: false };
        await opened.store.fields.add({ ...base, at: NOW + index, recordedCall });
      }
      const args = { account, operation: "Rare", outcome: null, key: null };
      const page = (range: PageRange) => refusalSearch(3).page(opened.db, args, range);
      const letters = ({ rows }: Page<Refusal>): string => rows.map((row) => row.args).join("");
      const first = await page({ after: null, limit: 5 });
      const second = await page({ after: first.next, limit: 5 });
      const third = await page({ after: second.next, limit: 5 });
      assert.deepEqual([first, second, third].map(letters), ["H", "D", ""]);
      assert.deepEqual([first.previous, third.next], [null, null]);
      assert.equal(letters(await page({ before: third.previous, limit: 5 })), "D");
    });

    test("ends a page of the audit log after the most visits, with a cursor and what it has", async () => {
      const [account, other] = [await newAccount(opened.store), await newAccount(opened.store)];
      for (const [index, name] of [..."ABCDEFGH"].entries()) {
        const by = { origin: { kind: "operator" }, from: null } as const;
        const action = "DH".includes(name) ? "rare" : "usual";
        const audit = { ...by, at: NOW + index, action };
        await opened.store.lists.create({ account, name, at: NOW, audit });
        await opened.store.lists.create({ account: other, name: "Theirs", at: NOW, audit });
      }
      const args = { account, action: "rare", since: null };
      const page = (range: PageRange) => auditSearch(3).all.page(opened.db, args, range);
      const names = ({ rows }: Page<AuditEntry>): string => rows.map((entry) => entry.after?.name).join("");
      const first = await page({ after: null, limit: 5 });
      const second = await page({ after: first.next, limit: 5 });
      const third = await page({ after: second.next, limit: 5 });
      assert.deepEqual([first, second, third].map(names), ["H", "D", ""]);
      assert.deepEqual([first.previous, third.next], [null, null]);
      assert.equal(names(await page({ before: third.previous, limit: 5 })), "D");
      const ofAll = auditSearch(3).ofInstallation;
      const since = { action: null, since: NOW + 7 };
      assert.equal(names(await ofAll.page(opened.db, since, { after: null, limit: 5 })), "TheirsH");
      await assert.rejects(ofAll.page(opened.db, since, { after: first.next, limit: 5 }), InvalidCursor);
    });

    test("names what the audit log is about, and nothing of another account", async () => {
      const [one, other] = [await newActor(), await newActor()];
      const [list, foreign] = [await one.list("Mine"), await other.list("Theirs")];
      const field = await other.createField("Their town");
      assert.ok(typeof field === "object");
      const campaign = await other.campaign([foreign]);
      const ids = {
        ...{ list: [list, foreign, 999_999].map(String), field: [String(field.id)] },
        ...{ campaign: [String(campaign)], sender: [] },
      };
      const namesOf = ({ account }: { readonly account: AccountId }) =>
        opened.store.audit.namesOf({ account, ids });
      assert.deepEqual(await namesOf(one), [{ kind: "list", id: String(list), name: "Mine" }]);
      assert.deepEqual(
        (await namesOf(other)).map(({ name: called }) => called),
        ["Theirs", "Their town", "Campaign"],
      );
    });

    test("neither skips nor repeats a subscriber while others come and go", async () => {
      const { account, ...of } = await newActor();
      const list = await of.list();
      for (const local of "bdfhjl") await of.add(list, `${local}@example.org`);
      const listing = opened.store.subscribers.search;
      const args = { account, ...anybody };
      const first = await listing.page(args, { after: null, limit: 2 });
      assert.equal(localParts(first), "b d");
      for (const local of "ace") await of.add(list, `${local}@example.org`);
      // The last one of the page is gone, too.
      for (const email of ["d@example.org", "f@example.org"])
        await opened.store.subscribers.erase({ account, address: addressOf(email), at: NOW });
      const second = await listing.page(args, { after: first.next, limit: 2 });
      assert.equal(localParts(second), "e h");
      assert.equal(localParts(await listing.page(args, { before: second.previous, limit: 9 })), "a b c");
      assert.equal(localParts(await listing.page(args, { after: second.next, limit: 9 })), "j l");
    });

    test("counts the subscribers in each state, whatever leads to it or out of it", async () => {
      const { account, ...of } = await newActor();
      const list = await of.list();
      for (const local of "abcdef") await of.add(list, `${local}@example.org`);
      const none = { active: 0, blocked: 0, bounced: 0, complained: 0, unsubscribed: 0 };
      const counts = () => opened.store.subscribers.countStates({ account });
      await of.unsubscribe("b@example.org");
      await of.unsubscribe("e@example.org");
      await of.unsubscribe("new@example.org");
      await of.block("c@example.org");
      // Somebody who is blocked, too, is counted as blocked, and again as unsubscribed after that.
      await of.block("e@example.org");
      assert.deepEqual(await counts(), { ...none, active: 3, unsubscribed: 2, blocked: 2 });
      await of.unblock("e@example.org");
      for (const local of "bd")
        await opened.store.subscribers.erase({
          account,
          address: addressOf(`${local}@example.org`),
          at: NOW,
        });
      assert.deepEqual(await counts(), { ...none, active: 2, unsubscribed: 2, blocked: 1 });
      // What an erasure has kept is in force again.
      await of.event(await of.campaign([list]), "bounced", "b@example.org");
      assert.deepEqual(await counts(), { ...none, active: 2, unsubscribed: 3, blocked: 1 });
      await of.block("@example.org");
      assert.deepEqual(await counts(), { ...none, blocked: 6 });
      assert.equal(await opened.store.subscribers.countStates({ account: 999_999 }), null);
    });

    test("finds the blocks that cover an address, of itself and of its domain, in its account", async () => {
      const { account, ...of } = await newActor();
      for (const pattern of ["ada@example.org", "@example.org", "@example.net", "ida@example.org"])
        await of.block(pattern);
      const covering = async (email: string, where = account) =>
        (await opened.store.blocks.covering({ account: where, address: addressOf(email) })).map(
          ({ pattern }) => pattern,
        );
      assert.deepEqual((await covering("Ada@Example.ORG")).toSorted(), ["@example.org", "ada@example.org"]);
      assert.deepEqual(await covering("eve@example.org"), ["@example.org"]);
      assert.deepEqual(await covering("eve@mail.example.org"), []);
      assert.deepEqual(await covering("ada@example.org", await newAccount(opened.store)), []);
    });

    test("refuses the cursor of another search, and a text that is none", async () => {
      const [{ account, ...of }, other] = [await newActor(), await newAccount(opened.store)];
      const list = await of.list();
      for (const local of "abc") await of.add(list, `${local}@example.org`);
      const listing = opened.store.subscribers.search;
      const { next } = await listing.page({ account, ...anybody }, { after: null, limit: 1 });
      assert.ok(next);
      const [fingerprint] = JSON.parse(Buffer.from(next, "base64url").toString()) as [string];
      const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
      const forged = [5, null, {}, "\0", "\ud800"].map((key) => encoded([fingerprint, key]));
      const refused: readonly (readonly [object, string])[] = [
        [{ state: "active" }, next],
        [{ name: "a" }, next],
        [{ filter: [{ about: "country", test: "is", value: "DE" }] }, next],
        [{ list }, next],
        [{ address: { startsWith: "a" } }, next],
        [{ account: other }, next],
        ...["", "x", "{}", encoded([]), encoded(null), encoded(["x", "a"]), ...forged].map(
          (cursor) => [{}, cursor] as const,
        ),
      ];
      for (const [search, cursor] of refused)
        for (const range of [
          { after: cursor, limit: 1 },
          { before: cursor, limit: 1 },
        ])
          await assert.rejects(
            listing.page({ account, ...anybody, ...search }, range),
            InvalidCursor,
            cursor,
          );
      const outside = encoded([fingerprint, "\u{10ffff}".repeat(1000)]);
      assert.deepEqual((await listing.page({ account, ...anybody }, { after: outside, limit: 1 })).rows, []);
    });
  });
}
