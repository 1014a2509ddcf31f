/**
 * The common suite of all stores. The test file of a store calls it with a function that opens an empty one.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { contract } from "#contract/operations.ts";
import { hashKey, storedForm } from "#domain/access/key.ts";
import { parseAddress } from "#domain/address.ts";
import type { EventSubscriber } from "#domain/campaign.ts";
import { MAX_TEXT_LENGTH } from "#domain/field/custom-value.ts";
import type { RowForm } from "#domain/paging.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import type { Retention } from "#domain/refused-call.ts";
import { addBlock, deleteList } from "#jobs/in-batches.ts";
import { answerWriter } from "#soap/reply/encode.ts";
import { noData } from "../no-data.ts";
import { type Actor, actor, encodedList, eventPages, forEachOf, NOW, newAccount } from "./actor.ts";
import { deletedOf, leaseAt, purge } from "./job-steps.ts";
import { closeSound } from "./recount.ts";

const DAY = 86_400_000;

/** A list of more than one page, of which nothing has been read. */
export async function longList(store: Store) {
  const a = actor(store, await newAccount(store, "Long"));
  const campaign = await a.campaign([await a.list()]);
  const emails = Array.from({ length: 2501 }, (_, n) => `p${n}@example.org`);
  await forEachOf(emails, (email) => a.event(campaign, "bounced", email));
  return encodedList(store, a.account, campaign)[Symbol.asyncIterator]();
}

export function storeSuite(name: string, open: (retention: Retention) => Promise<Store>): void {
  describe(name, () => {
    let store: Store;
    before(async () => {
      store = await open({ days: 90, rows: 5, bytes: 2 ** 28 });
    });
    after(() => closeSound(store));
    const newActor = async (): Promise<Actor> => actor(store, await newAccount(store));

    describe("the first start", () => {
      test("creates an account, a key and a list once, and never again", async () => {
        const fresh = await open({ days: 90, rows: 5, bytes: 2 ** 28 });
        try {
          const key = {
            ...storedForm("K"),
            label: "",
            scope: "full",
            expiresAt: null,
            at: NOW,
          } as const;
          const made = await Promise.all([
            fresh.accounts.firstStart({ account: "A", list: "L", key }),
            fresh.accounts.firstStart({ account: "A", list: "L", key }),
          ]);
          assert.deepEqual(made, [{ account: 1, key: 1, list: 1 }, null]);
          assert.equal((await collect(fresh.accounts.all.pages({}))).length, 1);
        } finally {
          await fresh.close();
        }
      });
    });

    describe("memberships", () => {
      test("keeps one membership with the first date for two adds", async () => {
        const a = await newActor();
        const list = await a.list();
        assert.equal(await a.add(list, "ada@example.org", NOW), "Done");
        assert.equal(await a.add(list, "ADA@Example.org", NOW + 5), "Done");
        assert.equal(await a.members(list), 1);
        const person = await a.show("ada@example.org");
        assert.equal(person?.address, "ada@example.org");
        assert.deepEqual(person.lists, [
          { id: list, name: "List", joinedAt: NOW, status: "active", counts: true },
        ]);
      });
      test("ends a membership on a remove, and accepts a later add", async () => {
        const a = await newActor();
        const [one, two] = [await a.list(), await a.list()];
        await a.add(one, "ada@example.org");
        await a.add(two, "ada@example.org");
        assert.equal(await a.remove(one, "ada@example.org"), "Done");
        assert.equal(await a.remove(one, "ada@example.org"), "NotOnList");
        assert.deepEqual([await a.members(one), await a.members(two)], [0, 1]);
        assert.equal(await a.add(one, "ada@example.org", NOW + 9), "Done");
        assert.equal((await a.show("ada@example.org"))?.lists[0]?.joinedAt, NOW + 9);
      });
      test("suspends all memberships on an opt-out, and restores them on reactivation except one left meanwhile", async () => {
        const a = await newActor();
        const [one, two] = [await a.list(), await a.list()];
        for (const list of [one, two]) await a.add(list, "ada@example.org");
        assert.equal(await a.unsubscribe("ada@example.org", NOW + 1), "Done");
        assert.equal(await a.unsubscribe("ada@example.org", NOW + 2), "Done");
        assert.deepEqual([await a.members(one), await a.members(two)], [0, 0]);
        assert.equal((await a.show("ada@example.org"))?.suppressions.unsubscribed, NOW + 1, "the first date");
        assert.equal(await a.add(one, "ada@example.org"), "Unsubscribed");
        assert.equal(await a.remove(two, "ada@example.org"), "Done");
        assert.equal(await a.reactivate("ada@example.org", "unsubscribed"), "Done");
        assert.deepEqual([await a.members(one), await a.members(two)], [1, 0]);
        assert.equal((await a.show("ada@example.org"))?.lists[0]?.joinedAt, NOW);
      });
      test("restores memberships only when the last suppression is cleared", async () => {
        const a = await newActor();
        const list = await a.list();
        await a.add(list, "ada@example.org");
        const campaign = await a.campaign([list]);
        await a.event(campaign, "complained", "ada@example.org");
        await a.event(campaign, "bounced", "ada@example.org");
        assert.equal((await a.show("ada@example.org"))?.state, "complained");
        await a.reactivate("ada@example.org", "complained");
        assert.equal(await a.members(list), 0);
        assert.equal(await a.add(list, "ada@example.org"), "Bounced");
        await a.reactivate("ada@example.org", "bounced");
        assert.equal(await a.members(list), 1);
      });
      test("ends the memberships of a deleted list, and records that in the history", async () => {
        const a = await newActor();
        const list = await a.list("Old");
        await a.add(list, "ada@example.org");
        const { account } = a;
        const origin = { kind: "operator" } as const;
        const deleted = await deleteList(store, { account, id: list, at: NOW + 1, origin });
        assert.equal(deletedOf(deleted).list.name, "Old");
        const person = await a.show("ada@example.org");
        assert.deepEqual(person?.lists, []);
        assert.equal(person.state, "active");
        assert.equal(person.history.at(-1)?.detail, 'the list "Old" was deleted');
        assert.ok((await a.list()) > list, "an id is never used again");
      });
    });

    describe("ids from elsewhere", () => {
      test("adopts the id of a list, and assigns later ids above the highest", async () => {
        const a = await newActor();
        const before = await a.list();
        const high = before + 1000;
        assert.deepEqual(await a.adopt(high), { id: high, name: "Moved", createdAt: NOW, members: 0 });
        assert.equal(await a.add(high, "ada@example.org"), "Done");
        assert.equal(await a.members(high), 1);
        assert.equal((await a.adopt(before + 500))?.id, before + 500, "also below the highest");
        assert.equal(await a.list(), high + 1);
        assert.equal(await a.list(), high + 2);
      });
      test("refuses the id of a list that any account has, or that a campaign was sent to", async () => {
        const [a, b] = [await newActor(), await newActor()];
        const list = await a.list();
        assert.equal(await a.adopt(list), null);
        assert.equal(await b.adopt(list), null);
        const origin = { kind: "operator" } as const;
        await deleteList(store, { account: a.account, id: list, at: NOW, origin });
        assert.equal((await a.adopt(list))?.id, list, "made again after a mistake");
        await a.campaign([list]);
        await deleteList(store, { account: a.account, id: list, at: NOW, origin });
        assert.equal(await a.adopt(list), null);
      });
      test("records a campaign under a chosen id that no account has, and assigns later ids above it", async () => {
        const [a, b] = [await newActor(), await newActor()];
        const record = (of: typeof a, id: number | null) =>
          store.campaigns.record({
            ...{ account: of.account, id, name: "Old", lists: [], createdAt: NOW, sentAt: null },
          });
        const before = await record(a, null);
        assert.ok("id" in before);
        const id = before.id + 500;
        assert.deepEqual(await record(a, id), { id, name: "Old", createdAt: NOW, sentAt: null });
        assert.deepEqual([await record(a, id), await record(b, id)], [{ takenId: id }, { takenId: id }]);
        assert.deepEqual(await record(a, id - 1), { id: id - 1, name: "Old", createdAt: NOW, sentAt: null });
        const later = await record(b, null);
        assert.ok("id" in later && later.id > id);
      });
      test("adopts the id of a field with all its digits", async () => {
        const a = await newActor();
        const id = 9_007_199_254_740_993n;
        const made = await a.createField("City", id);
        assert.deepEqual(made, { id, name: "City", type: "STRING", isPrivate: false, createdAt: NOW });
        const list = await a.list();
        const values = [{ field: id, value: "London" }];
        assert.equal(await a.addData(list, "ada@example.org", { values }), "Done");
        assert.equal((await a.show("ada@example.org"))?.values[0]?.field, id);
        assert.equal(await a.field("Town"), "Done");
        const [town] = await collect(store.fields.all.pages({ account: a.account }));
        assert.ok(town?.name === "Town" && town.id < id, "later ids do not continue above it");
      });
      test("assigns ids of fields that are exact as floating-point numbers, whatever ids were chosen", async () => {
        const a = await newActor();
        const most = 2n ** 53n - 2n ** 32n;
        const idsOf = async (...names: readonly string[]) => {
          await Promise.all(names.map((name) => a.field(name)));
          const fields = await collect(store.fields.all.pages({ account: a.account }));
          const ids = fields.filter(({ name }) => names.includes(name)).map(({ id }) => id - most);
          return ids.sort((one, other) => Number(one - other));
        };
        const choose = async (above: bigint) => await a.createField(`Chosen ${above}`, most + above);
        for (const above of [1n, 2n, 5n]) await choose(above);
        assert.ok(((await idsOf("Before"))[0] ?? 0n) < 0n, "a higher id does not count");
        await choose(0n);
        assert.deepEqual(await idsOf("One", "Two", "Three"), [3n, 4n, 6n]);
        const made = await a.createField("Four");
        assert.equal(typeof made === "object" && made.id - most, 7n);
        assert.equal(await choose(3n), "IdTaken");
      });
      test("refuses the id of a field that any account has, a taken name, and a field beyond the limit", async () => {
        const [a, b] = [await newActor(), await newActor()];
        const made = await a.createField("City");
        assert.ok(typeof made === "object");
        assert.equal(await b.createField("City", made.id), "IdTaken");
        assert.equal(await a.createField("CITY", made.id + 100n), "FieldExists");
        await store.accounts.set({ id: a.account, settings: { limitFields: 1 } });
        assert.equal(await a.createField("Town"), "LimitReached");
        assert.equal((await collect(store.fields.all.pages({ account: b.account }))).length, 0);
      });
      test("adopts an id once for two concurrent commands", async () => {
        const [a, b] = [await newActor(), await newActor()];
        const id = (await a.list()) + 10;
        const adopted = await Promise.all([a.adopt(id), b.adopt(id), b.list(), a.adopt(id)]);
        assert.deepEqual(
          adopted.map((list) => (typeof list === "object" ? list !== null : list)),
          [true, false, id + 1, false],
        );
      });
    });

    describe("blocks", () => {
      test("keeps an address blocked until the last of overlapping blocks is removed", async () => {
        const a = await newActor();
        const list = await a.list();
        for (const email of [
          "ada@spam.example",
          "bob@spam.example",
          "eve@sub.spam.example",
          "x@notspam.example",
        ])
          await a.add(list, email);
        assert.equal(await a.block("@spam.example"), true);
        assert.equal(await a.block("@spam.example"), false);
        assert.equal(await a.block("ada@spam.example"), true);
        assert.equal(await a.members(list), 2, "neither subdomains nor domains that end alike");
        assert.equal(await a.add(list, "ada@spam.example"), "Blocked");
        assert.equal(await a.add(list, "new@spam.example"), "Blocked");
        assert.equal(await a.unblock("@spam.example"), true);
        assert.equal(await a.members(list), 3, "ada is blocked by her address still");
        assert.equal(await a.add(list, "new@spam.example"), "Done");
        assert.equal(await a.unblock("ada@spam.example"), true);
        assert.equal(await a.unblock("ada@spam.example"), false);
        assert.equal(await a.members(list), 5);
        const kinds = (await a.show("ada@spam.example"))?.history.map(({ kind }) => kind);
        assert.deepEqual(kinds, ["joined", "blocked", "unblocked"]);
      });
      test("refuse adds before they have been applied to the subscribers they cover, and the counts come right", async () => {
        const a = await newActor();
        const list = await a.list();
        const emails = Array.from({ length: 1001 }, (_, n) => `p${n}@spam.example`);
        await forEachOf(emails, (email) => a.add(list, email));
        // The last address comes after the first batch.
        await a.add(list, "zed@spam.example");
        const { account } = a;
        const command = { account, at: NOW, origin: { kind: "operator" }, pattern: "@spam.example" } as const;
        const { job } = await store.blocks.add({ ...command, lease: leaseAt(NOW) });
        assert.ok(job);
        assert.equal((await a.show("zed@spam.example"))?.state, "active");
        assert.equal(await a.add(list, "zed@spam.example"), "Blocked");
        await a.unsubscribe("zed@spam.example");
        await addBlock(store, command);
        assert.equal(await a.members(list), 0);
        assert.equal((await a.show("zed@spam.example"))?.state, "blocked");
      });
      test("applies a block, and the deletion of a list, to more subscribers than one batch holds", async () => {
        const a = await newActor();
        const list = await a.list();
        const emails = Array.from(
          { length: 900 },
          (_, n) => `p${n}@${n % 3 === 0 ? "other" : "spam"}.example`,
        );
        await forEachOf(emails, (email) => a.add(list, email));
        await a.block("@spam.example");
        assert.equal(await a.members(list), 300);
        await a.unblock("@spam.example");
        assert.equal(await a.members(list), 900);
        const { account } = a;
        await deleteList(store, { account, id: list, at: NOW, origin: { kind: "operator" } });
        assert.deepEqual((await a.show("p897@other.example"))?.lists, []);
      });
      test("takes the earliest date of the blocks that cover an address", async () => {
        const a = await newActor();
        await a.block("ada@spam.example", 9);
        await a.block("@spam.example", 7);
        await a.unsubscribe("ada@spam.example");
        assert.equal((await a.show("ada@spam.example"))?.suppressions.blocked, 7);
      });
      test("blocks a subscriber who is created by an opt-out", async () => {
        const a = await newActor();
        await a.block("@spam.example", 7);
        await a.unsubscribe("ada@spam.example");
        const person = await a.show("ada@spam.example");
        assert.equal(person?.state, "blocked");
        assert.equal(person.suppressions.blocked, 7);
        assert.equal(person.suppressions.unsubscribed, NOW);
        assert.deepEqual(
          person.history.map(({ at, kind }) => [at, kind]),
          [
            [7, "blocked"],
            [NOW, "unsubscribed"],
          ],
        );
        await a.unblock("@spam.example");
        assert.equal((await a.show("ada@spam.example"))?.state, "unsubscribed");
      });
    });

    describe("data", () => {
      test("stores data in one form, replaced by what is given and never erased", async () => {
        const a = await newActor();
        const list = await a.list();
        await a.field("City");
        await a.field("Score", "SCORE");
        const [city, score] = await collect(store.fields.all.pages({ account: a.account }));
        assert.ok(city && score);
        await a.addData(list, "ada@example.org", {
          firstName: "Ada",
          lastName: "L",
          gender: "female",
          birthday: "1985-12-10",
          countryNumber: 826,
          values: [
            { field: city.id, value: "London" },
            { field: score.id, value: "1.50" },
          ],
        });
        await a.addData(list, "ada@example.org", {
          firstName: "",
          lastName: "Lovelace",
          values: [{ field: city.id, value: "" }],
        });
        const person = await a.show("ada@example.org");
        assert.deepEqual(person?.data, {
          firstName: "Ada",
          lastName: "Lovelace",
          gender: "F",
          birthday: "1985-12-10",
          country: "GB",
        });
        assert.deepEqual(
          person.values.map(({ name, value }) => [name, value]),
          [
            ["City", "London"],
            ["Score", "1.5"],
          ],
        );
      });
      test("stores nothing of refused data", async () => {
        const a = await newActor();
        const list = await a.list();
        await a.field("Score", "SCORE");
        const [score] = await collect(store.fields.all.pages({ account: a.account }));
        assert.ok(score);
        const outcome = await a.addData(list, "ada@example.org", {
          firstName: "Ada",
          values: [{ field: score.id, value: "much" }],
        });
        assert.equal(outcome, "InvalidValue");
        assert.equal(await a.show("ada@example.org"), null);
        assert.equal(await a.members(list), 0);
      });
      test("records when and through which key a consent was given", async () => {
        const a = await newActor();
        const list = await a.list();
        await a.field("May mail", "CONSENT");
        const [consent] = await collect(store.fields.all.pages({ account: a.account }));
        assert.ok(consent);
        await store.subscribers.addWithData({
          account: a.account,
          at: NOW + 3,
          origin: { kind: "key", key: 42 },
          recordedCall: null,
          address: parseAddress("ada@example.org"),
          list,
          data: { ...noData, values: [{ field: consent.id, value: "yes" }] },
        });
        assert.deepEqual((await a.show("ada@example.org"))?.values, [
          { field: consent.id, name: "May mail", value: "true", at: NOW + 3, key: 42, batch: null },
        ]);
      });
    });

    describe("fields", () => {
      test("renames a field, also to another spelling of its name, and keeps its values", async () => {
        const [a, b] = [actor(store, await newAccount(store)), actor(store, await newAccount(store))];
        const list = await a.list();
        const made = await a.createField("Town");
        assert.ok(typeof made === "object");
        const { id } = made;
        assert.equal(await a.field("City"), "Done");
        await a.addData(list, "ada@example.org", { values: [{ field: id, value: "London" }] });
        const rename = (name: string, account = a.account) => store.fields.rename({ account, id, name });
        assert.deepEqual(await rename("TOWN"), { ...made, name: "TOWN" });
        assert.deepEqual(await rename("Place"), { ...made, name: "Place" });
        assert.equal(await rename("cITY"), "FieldExists");
        assert.equal(await rename("Mine", b.account), "UnknownField");
        const unknown = { account: a.account, id: id + 1000n, name: "City" };
        assert.equal(await store.fields.rename(unknown), "UnknownField");
        assert.equal(await a.field("Town"), "Done");
        const [value] = (await a.show("ada@example.org"))?.values ?? [];
        assert.deepEqual([value?.name, value?.value], ["Place", "London"]);
      });
      test("keeps field names unique ignoring case, in order of creation, up to the limit", async () => {
        const a = await newActor();
        assert.equal(await a.field("Straße"), "Done");
        assert.equal(await a.field("STRAßE"), "FieldExists");
        assert.equal(await a.field("Age", "REAL"), "Done");
        await store.accounts.set({ id: a.account, settings: { limitFields: 2 } });
        assert.equal(await a.field("Third"), "LimitReached");
        const fields = await collect(store.fields.all.pages({ account: a.account }));
        assert.deepEqual(
          fields.map(({ name, type, isPrivate }) => [name, type, isPrivate]),
          [
            ["Straße", "STRING", false],
            ["Age", "REAL", false],
          ],
        );
        assert.equal(typeof fields[0]?.id, "bigint");
      });
      test("keeps the limit and unique names for concurrent field adds", async () => {
        const a = await newActor();
        await store.accounts.set({ id: a.account, settings: { limitFields: 2 } });
        assert.deepEqual(await Promise.all(["City", "CITY", "Town", "Street"].map((name) => a.field(name))), [
          "Done",
          "FieldExists",
          "Done",
          "LimitReached",
        ]);
      });
    });

    describe("the limit of subscribers", () => {
      test("counts active subscribers, and frees a place when one opts out", async () => {
        const a = await newActor();
        const list = await a.list();
        await store.accounts.set({ id: a.account, settings: { limitSubscribers: 2 } });
        await a.add(list, "a@example.org");
        await a.unsubscribe("nobody@example.org");
        assert.equal(await a.add(list, "b@example.org"), "Done");
        assert.equal(await a.add(list, "c@example.org"), "LimitReached");
        await a.unsubscribe("b@example.org");
        assert.equal(await a.add(list, "c@example.org"), "Done");
      });
    });

    describe("campaigns", () => {
      test("keeps the names of a campaign's lists with today's counts, 0 for a deleted one", async () => {
        const a = await newActor();
        const [one, two] = [await a.list("One"), await a.list("Two")];
        const campaign = await a.campaign([two, one, one]);
        const { account } = a;
        await store.lists.set({ account, id: one, name: "Renamed" });
        await a.add(one, "ada@example.org");
        await a.add(two, "ada@example.org");
        await deleteList(store, { account, id: two, at: NOW, origin: { kind: "operator" } });
        assert.deepEqual(await collect(store.campaigns.targetedLists.pages({ account, campaign })), [
          { id: one, name: "One", createdAt: NOW, members: 1, isDeleted: false },
          { id: two, name: "Two", createdAt: NOW, members: 0, isDeleted: true },
        ]);
      });
      test("names the lists of a campaign that was not sent as they are named now", async () => {
        const a = await newActor();
        const { account } = a;
        const list = await a.list("One");
        const id = await a.campaign([list], NOW, null);
        const rename = (name: string) => store.lists.set({ account, id: list, name });
        const name = async () =>
          (await collect(store.campaigns.targetedLists.pages({ account, campaign: id })))[0]?.name;
        await rename("Two");
        assert.equal(await name(), "Two");
        await store.campaigns.set({ account, id, name: "C", createdAt: NOW, sentAt: NOW });
        await rename("Three");
        assert.equal(await name(), "Two");
      });
      test("lists campaigns newest first, and finds the last sent", async () => {
        const a = await newActor();
        const { account } = a;
        assert.equal(await store.campaigns.lastSent({ account }), null);
        const list = await a.list();
        const old = await a.campaign([list], NOW - 9, NOW + 50);
        const twin = await a.campaign([list], NOW - 9, NOW + 1);
        const unsent = await a.campaign([list], NOW, null);
        const ids = [];
        for await (const page of store.campaigns.all.pages({ account }))
          ids.push(...page.map(({ id }) => id));
        assert.deepEqual(ids, [unsent, twin, old]);
        assert.equal((await store.campaigns.lastSent({ account }))?.id, old);
        const later = await a.campaign([list], NOW - 99, NOW + 50);
        assert.equal((await store.campaigns.lastSent({ account }))?.id, later, "of two at once the newer");
      });
      test("records no campaign with a list of another account", async () => {
        const [a, b] = [await newActor(), await newActor()];
        const foreign = await b.list();
        const made = await store.campaigns.record({
          account: a.account,
          name: "C",
          lists: [await a.list(), foreign],
          createdAt: NOW,
          sentAt: null,
        });
        assert.deepEqual(made, { unknownList: foreign });
      });
      test("lists unsubscribes, bounces and complaints of a campaign, oldest first, once each, with current names", async () => {
        const a = await newActor();
        const [one, two] = [await a.list(), await a.list()];
        await a.add(one, "ada@example.org", NOW + 20);
        await a.add(two, "ada@example.org", NOW + 10);
        await a.add(one, "bob@example.org", NOW + 5);
        const [first, second] = [await a.campaign([one, two]), await a.campaign([one, two])];
        await a.event(first, "bounced", "ada@example.org", NOW + 200);
        await a.event(first, "bounced", "bob@example.org", NOW + 100);
        await a.event(first, "bounced", "bob@example.org", NOW + 300);
        await a.event(second, "bounced", "bob@example.org", NOW + 400);
        await a.event(first, "bounced", "new@example.org", NOW + 500);
        await a.remove(one, "bob@example.org");
        const rows = await a.lost(first, "bounced");
        assert.deepEqual(
          rows.map(({ address, joinedAt, at }) => [address, joinedAt - NOW, at - NOW]),
          [
            ["bob@example.org", 5, 100],
            ["ada@example.org", 10, 200],
            ["new@example.org", 500, 500],
          ],
        );
        assert.equal((await a.lost(second, "bounced")).length, 1);
        assert.deepEqual(await a.lost(first, "unsubscribed"), []);
      });
      test("attributes an opt-out to its campaign, even after a reactivation", async () => {
        const a = await newActor();
        const list = await a.list();
        await a.add(list, "ada@example.org");
        const [first, second] = [await a.campaign([list]), await a.campaign([list])];
        await a.event(first, "unsubscribed", "ada@example.org", NOW + 1);
        await a.event(second, "unsubscribed", "ada@example.org", NOW + 2);
        await a.reactivate("ada@example.org", "unsubscribed");
        assert.equal((await a.lost(first, "unsubscribed")).length, 1);
        assert.equal((await a.lost(second, "unsubscribed")).length, 0);
      });
      test("reads campaign results of several pages without a gap", async () => {
        const a = await newActor();
        const campaign = await a.campaign([await a.list()]);
        const emails = Array.from({ length: 1203 }, (_, n) => `p${n}@example.org`);
        await forEachOf(emails, (email, n) => a.event(campaign, "bounced", email, NOW + (n % 7)));
        const rows = await a.lost(campaign, "bounced");
        assert.equal(new Set(rows.map(({ address }) => address)).size, 1203);
        assert.deepEqual(
          rows.map(({ at }) => at),
          rows.map(({ at }) => at).sort((x, y) => x - y),
        );
      });
    });

    describe("pre-encoded lists", () => {
      const toRecord = ({ firstName, lastName, address, joinedAt, at }: EventSubscriber) => ({
        FirstName: firstName,
        LastName: lastName,
        EMail: address,
        SubscribedDate: joinedAt,
        UnsubscribedDate: at,
      });
      const names = Object.keys(toRecord({} as EventSubscriber));
      const sources: readonly (keyof EventSubscriber)[] = [
        "firstName",
        "lastName",
        "address",
        "joinedAt",
        "at",
      ];
      const writer = answerWriter(
        "Campaign.GetHardBouncesList",
        contract.operations["Campaign.GetHardBouncesList"],
      );
      const { form } = writer;
      assert.ok(form);
      const asked: RowForm<EventSubscriber> = {
        ...form,
        fields: form.fields.map((field) => ({
          ...field,
          name: sources[names.indexOf(field.name)] ?? "address",
        })),
      };

      const part = fc.constantFrom(
        "&",
        "<",
        ">",
        "\r",
        "\n",
        "\t",
        '"',
        "'",
        "]]>",
        "&amp;",
        "é",
        "😀",
        "x",
        " ",
      );
      const name = fc.oneof(
        fc.constant(""),
        fc.array(part, { maxLength: 8 }).map((parts) => parts.join("").trim()),
        fc.constant("&".repeat(MAX_TEXT_LENGTH)),
      );
      const time = fc.oneof(
        fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2030, 0) }),
        fc.constantFrom(
          0,
          1,
          -1,
          10,
          100,
          -100,
          999,
          1000,
          Date.parse("0001-01-01"),
          Date.UTC(9999, 11, 31) + DAY - 1,
        ),
        fc.integer({ min: Date.parse("0001-01-01"), max: Date.UTC(9999, 11, 31) + DAY - 1 }),
      );
      const people = fc.array(
        fc.record({
          firstName: name,
          lastName: name,
          local: fc.constantFrom("p", "o'p", "a&p"),
          joinedAt: time,
          at: time,
        }),
        { maxLength: 40 },
      );
      test("encodes the same bytes as the SOAP encoder, whatever the texts and times", async () => {
        const a = await newActor();
        const list = await a.list();
        let last = 0;
        await fc.assert(
          fc.asyncProperty(people, async (given) => {
            const campaign = await a.campaign([list]);
            const rows = given.map(({ local, ...row }) => {
              last += 1;
              return { ...row, address: `${local}${last}@example.org` };
            });
            const outcomes = [
              ...(await Promise.all(
                rows.map(({ address, firstName, lastName, joinedAt }) =>
                  a.addData(list, address, { firstName, lastName }, joinedAt),
                ),
              )),
              ...(await Promise.all(
                rows.map(({ address, at }) => a.event(campaign, "bounced", address, at)),
              )),
            ];
            assert.ok(outcomes.every((outcome) => outcome === "Done"));
            const { account } = a;
            let written = "";
            for await (const { bytes } of store.campaigns.subscribersByEvent(
              { account, campaign, event: "bounced" },
              asked,
            ))
              written += Buffer.from(bytes).toString();
            const inOrder = rows.toSorted((one, other) => one.at - other.at);
            assert.equal(written, writer.rows(inOrder.map(toRecord)));
          }),
          { numRuns: 15 },
        );
      });

      test("encodes lists of every length completely, and marks the last page", async () => {
        const a = await newActor();
        const campaign = await a.campaign([await a.list()]);
        const args = { account: a.account, campaign, event: "bounced" } as const;
        const emails: string[] = [];
        for (const length of [0, 1, 499, 500, 501, 1499, 1500, 1501, 2501, 4501]) {
          const more = Array.from(
            { length: length - emails.length },
            (_, n) => `p${emails.length + n}@x.org`,
          );
          await forEachOf(more, (email) => a.event(campaign, "bounced", email));
          emails.push(...more);
          const pages = await eventPages(store, args);
          assert.deepEqual(
            pages.flatMap(({ rows }) => rows.map(({ address }) => address)),
            emails,
          );
          assert.deepEqual(
            pages.map(({ isLast }) => isLast),
            pages.map((_, n) => n === pages.length - 1),
          );
          assert.equal(pages[0]?.rows.length ?? 0, Math.min(length, 500));
          assert.ok(pages.every(({ rows }) => rows.length <= 4000));
        }
      });

      test("blocks no other call while a list is only partly read", async () => {
        const a = await newActor();
        const campaign = await a.campaign([await a.list()]);
        const emails = Array.from({ length: 501 }, (_, n) => `p${n}@example.org`);
        await forEachOf(emails, (email) => a.event(campaign, "bounced", email));
        const args = { account: a.account, campaign, event: "bounced" } as const;
        for await (const page of store.campaigns.subscribersByEvent(args, asked)) {
          assert.equal(page.isLast, false);
          break;
        }
        assert.equal(await a.event(campaign, "bounced", "late@example.org"), "Done");
        assert.equal((await a.lost(campaign, "bounced")).length, 502);
      });

      test("rejects escapes for characters that rows are not marked for", () => {
        const foreign = { ...asked, escapes: [["x", "y"]] } as const;
        assert.throws(
          () => store.campaigns.subscribersByEvent({ account: 1, campaign: 1, event: "complained" }, foreign),
          /needs_escape does not mark rows with "x"/,
        );
      });
    });

    describe("accounts", () => {
      test("isolates accounts: treats ids of another account as unknown", async () => {
        const [a, b] = [await newActor(), await newActor()];
        const list = await a.list();
        const campaign = await a.campaign([list]);
        await a.add(list, "ada@example.org");
        await a.field("City");
        const [city] = await collect(store.fields.all.pages({ account: a.account }));
        assert.ok(city);
        assert.equal(await b.add(list, "eve@example.org"), "UnknownList");
        assert.equal(await b.remove(list, "ada@example.org"), "UnknownList");
        assert.equal(
          await b.addData(await b.list(), "eve@example.org", { values: [{ field: city.id, value: "x" }] }),
          "UnknownField",
        );
        assert.equal(await b.event(campaign, "complained", "ada@example.org"), "UnknownCampaign");
        assert.equal(await b.show("ada@example.org"), null);
        const { account } = b;
        assert.equal(await store.campaigns.byId({ account, id: campaign }), null);
        assert.deepEqual(await collect(store.campaigns.targetedLists.pages({ account, campaign })), []);
        assert.deepEqual(await b.lost(campaign, "bounced"), []);
        assert.equal(await store.lists.set({ account, id: list, name: "Mine" }), null);
        assert.equal(
          await deleteList(store, { account, id: list, at: NOW, origin: { kind: "operator" } }),
          null,
        );
        await b.unsubscribe("ada@example.org");
        assert.equal(await a.members(list), 1, "the same address in two accounts is two people");
      });
    });

    describe("keys", () => {
      const key = (text: string, account: number) =>
        ({
          account,
          ...storedForm(text),
          label: "l",
          scope: "read",
          expiresAt: null,
          at: NOW,
        }) as const;
      test("finds keys by their hash, and keeps them unique", async () => {
        const a = await newActor();
        const made = await store.keys.create(key("ONE", a.account));
        assert.equal(await store.keys.create(key("ONE", a.account)), null);
        assert.deepEqual(await store.keys.byHash({ hash: hashKey("ONE") }), made);
        assert.equal(await store.keys.byHash({ hash: hashKey("TWO") }), null);
      });
      test("stores the length of a key, or none where it is not known", async () => {
        const a = await newActor();
        const unknown = { ...key("OLD KEY", a.account), length: null };
        assert.equal((await store.keys.create(key("NINE CHAR", a.account)))?.length, 9);
        assert.equal((await store.keys.create(unknown))?.length, null);
        const kept = await collect(store.keys.all.pages({ account: a.account }));
        assert.deepEqual(
          kept.map(({ length }) => length),
          [9, null],
        );
      });
      test("lists the hashes of recently used or created keys with their networks, the latest first, without revoked ones", async () => {
        const a = await newActor();
        const later = NOW + 1_000_000;
        const create = async (text: string, at: number): Promise<number> => {
          const made = await store.keys.create({ ...key(text, a.account), at });
          assert.ok(made);
          return made.id;
        };
        await create("RECENT: OLD", later - 1);
        const used = await create("RECENT: OLD BUT USED", later - 1);
        const revoked = await create("RECENT: REVOKED", later + 5);
        await create("RECENT: NEW", later);
        await store.keys.touch({ uses: [{ id: used, at: later + 2, network: "192.0.2.0/24" }] });
        await store.keys.revoke({ account: a.account, id: revoked, at: later + 6 });
        const recent = async (limit: number) =>
          (await store.keys.recent({ since: later, limit })).map(({ hash, ...rest }) => ({
            hash: Buffer.from(hash).toString("hex"),
            ...rest,
          }));
        const first = {
          hash: hashKey("RECENT: OLD BUT USED").toString("hex"),
          at: later + 2,
          network: "192.0.2.0/24",
        };
        const second = { hash: hashKey("RECENT: NEW").toString("hex"), at: later, network: null };
        assert.deepEqual(await recent(10), [first, second]);
        assert.deepEqual(await recent(1), [first]);
      });
      test("revokes a key once, by its own account only", async () => {
        const [a, b] = [await newActor(), await newActor()];
        const made = await store.keys.create(key("THREE", a.account));
        assert.ok(made);
        assert.equal(await store.keys.revoke({ account: b.account, id: made.id, at: NOW }), null);
        const revoke = (at: number) => store.keys.revoke({ account: a.account, id: made.id, at });
        assert.equal((await revoke(NOW + 1))?.revokedAt, NOW + 1);
        assert.equal((await revoke(NOW + 2))?.revokedAt, NOW + 1);
      });
      test("stores the last use of a key and its network, which only move forward", async () => {
        const a = await newActor();
        const made = await store.keys.create(key("FOUR", a.account));
        assert.ok(made);
        for (const [at, network] of [
          [NOW + 5, "192.0.2.0/24"],
          [NOW + 3, "198.51.100.0/24"],
        ] as const)
          await store.keys.touch({ uses: [{ id: made.id, at, network }] });
        assert.equal((await collect(store.keys.all.pages({ account: a.account })))[0]?.lastUsedAt, NOW + 5);
        const uses = await store.keys.recent({ since: NOW + 5, limit: 1000 });
        const use = uses.find(({ hash }) => hashKey("FOUR").equals(hash));
        assert.equal(use?.network, "192.0.2.0/24", "the network is that of the time");
      });
    });

    describe("refused calls", () => {
      const refuse = (a: Actor, email: string, at = NOW, list = 0, operation = "Op") =>
        store.subscribers.add({
          account: a.account,
          at,
          origin: { kind: "key", key: 9 },
          recordedCall: { operation, args: JSON.stringify({ email }), isCut: false },
          address: parseAddress(email),
          list,
        });
      const kept = (a: Actor) => collect(store.refusals.all.pages({ account: a.account }));
      test("stores refused calls, with repeats as a count", async () => {
        const a = await newActor();
        await refuse(a, "bad", NOW);
        await refuse(a, "bad", NOW + 5);
        await refuse(a, "worse", NOW + 1);
        const rows = await kept(a);
        assert.deepEqual(
          rows.map(({ args, outcome, count, key, firstAt, lastAt }) => [
            args,
            outcome,
            count,
            key,
            firstAt,
            lastAt,
          ]),
          [
            ['{"email":"bad"}', "InvalidEmail", 2, 9, NOW, NOW + 5],
            ['{"email":"worse"}', "InvalidEmail", 1, 9, NOW + 1, NOW + 1],
          ],
        );
      });
      test("stores refused calls with another outcome separately, and nothing of successful calls", async () => {
        const a = await newActor();
        const list = await a.list();
        await refuse(a, "ada@example.org");
        await a.unsubscribe("ada@example.org");
        await refuse(a, "ada@example.org", NOW, list);
        await refuse(a, "bob@example.org", NOW, list);
        assert.deepEqual((await kept(a)).map(({ outcome }) => outcome).sort(), [
          "UnknownList",
          "Unsubscribed",
        ]);
      });
      test("drops the oldest refused calls beyond the number of rows", async () => {
        const a = await newActor();
        for (let n = 0; n < 5; n += 1) await refuse(a, `bad${n}`, NOW + n);
        await refuse(a, "bad0", NOW + 5);
        for (let n = 6; n < 9; n += 1) await refuse(a, `bad${n}`, NOW + n);
        assert.deepEqual(
          (await kept(a)).map(({ args }) => args),
          [8, 7, 6, 0, 4].map((n) => `{"email":"bad${n}"}`),
        );
      });
      test("purges refused calls that are older than the retention, counted from the last repeat", async () => {
        const a = await newActor();
        await refuse(a, "old", NOW - 91 * DAY);
        await refuse(a, "repeated", NOW - 91 * DAY);
        await refuse(a, "repeated", NOW - DAY);
        await refuse(a, "repeated", NOW - 95 * DAY);
        await refuse(a, "young", NOW - 89 * DAY);
        await purge(store, NOW);
        assert.deepEqual(
          (await kept(a)).map(({ args }) => args),
          ['{"email":"repeated"}', '{"email":"young"}'],
        );
      });
      test("reads and dismisses single refused calls, by their own account only", async () => {
        const [a, b] = [await newActor(), await newActor()];
        await refuse(a, "bad");
        const id = (await kept(a))[0]?.id ?? 0;
        assert.equal((await store.refusals.byId({ account: a.account, id }))?.outcome, "InvalidEmail");
        assert.equal(await store.refusals.byId({ account: b.account, id }), null);
        assert.equal(await store.refusals.dismiss({ account: b.account, id }), false);
        assert.equal(await store.refusals.dismiss({ account: a.account, id }), true);
        assert.deepEqual(await kept(a), []);
      });
      test("counts no-ops instead of storing them", async () => {
        const a = await newActor();
        const list = await a.list();
        for (const email of ["a@example.org", "b@example.org"])
          await store.subscribers.remove({
            account: a.account,
            at: NOW,
            origin: { kind: "operator" },
            recordedCall: { operation: "Remove", args: "{}", isCut: false },
            address: parseAddress(email),
            list,
          });
        assert.deepEqual(await kept(a), []);
        assert.deepEqual(await store.refusals.noOps({ account: a.account }), [
          { operation: "Remove", outcome: "NotOnList", count: 2 },
        ]);
      });
    });

    describe("history", () => {
      test("records history entries, oldest first, with cause, origin and campaign", async () => {
        const a = await newActor();
        const list = await a.list();
        await a.add(list, "ada@example.org", NOW);
        const campaign = await a.campaign([list]);
        await a.event(campaign, "unsubscribed", "ada@example.org", NOW + 1);
        await a.event(campaign, "bounced", "ada@example.org", NOW + 2);
        await a.reactivate("ada@example.org", "unsubscribed");
        const person = await a.show("ada@example.org");
        assert.deepEqual(
          person?.history.map(({ at, kind, campaign: by, list: on }) => [at - NOW, kind, by, on]),
          [
            [0, "joined", null, list],
            [0, "reactivated", null, null],
            [1, "unsubscribed", campaign, null],
            [2, "bounced", campaign, null],
          ],
        );
        assert.equal(person.history[1]?.detail, "no longer unsubscribed: asked");
        assert.deepEqual(person.history[0]?.origin, { kind: "operator" });
      });
    });

    describe("concurrency", () => {
      test("keeps exact counts for a thousand concurrent adds of a hundred subscribers", async () => {
        const a = await newActor();
        const lists = [await a.list(), await a.list()];
        const outcomes = await Promise.all(
          Array.from({ length: 1000 }, (_, n) => a.add(lists[n % 2] ?? 0, `p${n % 100}@example.org`)),
        );
        assert.ok(outcomes.every((outcome) => outcome === "Done"));
        assert.deepEqual([await a.members(lists[0] ?? 0), await a.members(lists[1] ?? 0)], [50, 50]);
        const account = (await collect(store.accounts.all.pages({}))).find(({ id }) => id === a.account);
        assert.equal(account?.activeSubscribers, 100);
      });
      test("fails only the command of a group that cannot be executed", async () => {
        const a = await newActor();
        const list = await a.list();
        const ghost = actor(store, 999_999);
        const results = await Promise.allSettled([
          a.add(list, "a@example.org"),
          a.add(list, "b@example.org"),
          ghost.add(list, "c@example.org"),
          a.add(list, "d@example.org"),
        ]);
        assert.deepEqual(
          results.map(({ status }) => status),
          ["fulfilled", "fulfilled", "rejected", "fulfilled"],
        );
        assert.equal(await a.members(list), 3);
      });
    });

    test("answers pings, and passes the integrity check", async () => {
      assert.equal(await store.health.ping(), store.schemaVersion);
      assert.deepEqual(await store.health.integrity(), []);
    });
  });
}
