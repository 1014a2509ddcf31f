/** Pages of listings in both directions, for every store. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { storedForm } from "#domain/access/key.ts";
import { noSuppressionCounts } from "#domain/import/batch.ts";
import { collect } from "#domain/paging.ts";
import { InvalidCursor } from "#domain/ports/errors.ts";
import type { Cursor, Listing, Page } from "#domain/ports/listing.ts";
import type { Store } from "#domain/ports/store.ts";
import type { RefusalFilter } from "#domain/refused-call.ts";
import { actor, NOW, newAccount } from "./actor.ts";

const LIMIT = 3;
const byName = ({ name }: { readonly name: string }): string => name;

/** The pages from the first to the last, and from the last to the first. */
async function bothWays<Args, Row>(listing: Listing<Args, Row>, args: Args, nameOf: (row: Row) => string) {
  const namesOf = ({ rows }: Page<Row>): string => rows.map(nameOf).join("");
  const [forward, backward]: [string[], string[]] = [[], []];
  let cursor: Cursor | null = null;
  do {
    const page: Page<Row> = await listing.page(args, { after: cursor, limit: LIMIT });
    assert.equal(page.previous === null, forward.length === 0);
    forward.push(namesOf(page));
    cursor = page.next;
  } while (cursor !== null);
  do {
    const page: Page<Row> = await listing.page(args, { before: cursor, limit: LIMIT });
    assert.equal(page.next === null, backward.length === 0);
    backward.push(namesOf(page));
    cursor = page.previous;
  } while (cursor !== null);
  return { forward, backward };
}

export function listingSuite(name: string, open: () => Promise<Store>): void {
  describe(`listings of ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    test("a listing by time and id is paged in both directions, through rows of one time", async () => {
      const account = await newAccount(store);
      const type = "STRING";
      for (const [at, names] of [
        [NOW + 1, "FGH"],
        [NOW, "ABCDE"],
      ] as const)
        for (const letter of names)
          await store.fields.create({
            account,
            id: null,
            at,
            field: { name: letter, type, isPrivate: false },
          });
      assert.deepEqual(await bothWays(store.fields.all, { account }, byName), {
        forward: ["ABC", "DEF", "GH"],
        backward: ["FGH", "CDE", "AB"],
      });
    });

    test("a listing with the newest first is paged in both directions", async () => {
      const account = await newAccount(store);
      for (const [index, letter] of [..."ABCDEFG"].entries()) {
        const createdAt = NOW + Math.floor(index / 4);
        await store.campaigns.record({ account, name: letter, lists: [], createdAt, sentAt: null });
      }
      assert.deepEqual(await bothWays(store.campaigns.all, { account }, byName), {
        forward: ["GFE", "DCB", "A"],
        backward: ["CBA", "FED", "G"],
      });
    });

    test("a listing by id is paged in both directions, and a full last page is the last", async () => {
      const account = await newAccount(store);
      await newAccount(store).then((other) => store.lists.create({ account: other, name: "X", at: NOW }));
      for (const letter of "ABCDEF") await store.lists.create({ account, name: letter, at: NOW });
      assert.deepEqual(await bothWays(store.lists.all, { account }, byName), {
        forward: ["ABC", "DEF"],
        backward: ["DEF", "ABC"],
      });
    });

    test("the keys of an account are paged in both directions, and no other account's", async () => {
      const [account, other] = [await newAccount(store), await newAccount(store)];
      const create = (owner: number, label: string) =>
        store.keys.create({
          ...storedForm(`${owner} ${label} ${NOW}`),
          account: owner,
          label,
          scope: "full",
          expiresAt: null,
          at: NOW,
        });
      for (const letter of "ABCDEFG") {
        await create(account, letter);
        await create(other, "X");
      }
      assert.deepEqual(await bothWays(store.keys.all, { account }, ({ label }) => label), {
        forward: ["ABC", "DEF", "G"],
        backward: ["EFG", "BCD", "A"],
      });
    });

    test("accounts are paged in both directions, all of them or some, while others are created", async () => {
      const made: number[] = [];
      for (const name of "ABCDEFG") made.push((await store.accounts.create({ name, at: NOW })).id);
      const ids = made.filter((_, index) => index !== 2);
      assert.deepEqual(await bothWays(store.accounts.some, { ids: ids.toReversed() }, byName), {
        forward: ["ABD", "EFG"],
        backward: ["EFG", "ABD"],
      });
      const none = { rows: [], previous: null, next: null };
      assert.deepEqual(await store.accounts.some.page({ ids: [] }, { after: null, limit: 3 }), none);
      const last = await store.accounts.all.page({}, { before: null, limit: 3 });
      assert.deepEqual(last.rows.map(byName), ["E", "F", "G"]);
      await store.accounts.create({ name: "H", at: NOW });
      const earlier = await store.accounts.all.page({}, { before: last.previous, limit: 3 });
      assert.deepEqual(earlier.rows.map(byName), ["B", "C", "D"]);
      const again = await store.accounts.all.page({}, { after: earlier.next, limit: 5 });
      assert.deepEqual(again.rows.map(byName), ["E", "F", "G", "H"]);
      assert.deepEqual((await collect(store.accounts.all.pages({}))).map(byName).slice(-8), [..."ABCDEFGH"]);
    });

    test("refused calls are paged in both directions, the one that was last repeated first", async () => {
      const account = await newAccount(store);
      const refuse = (args: string, at: number) =>
        store.fields.add({
          account,
          at,
          origin: { kind: "operator" },
          recordedCall: { operation: "Op", args, isCut: false },
          field: null,
        });
      for (const [index, letter] of [..."ABCDEFG"].entries())
        await refuse(letter, NOW + Math.floor(index / 4));
      await refuse("B", NOW + 2);
      assert.deepEqual(await bothWays(store.refusals.all, { account }, ({ args }) => args), {
        forward: ["BGF", "EDC", "A"],
        backward: ["DCA", "GFE", "B"],
      });
    });

    test("refused calls are found by operation, outcome and key", async () => {
      const account = await newAccount(store);
      const base = { account, origin: { kind: "operator" }, field: null } as const;
      for (const [index, letter] of [..."ABCDEFGH"].entries()) {
        const operation = index % 2 === 0 ? "Even" : "Odd";
        const recordedCall = { operation, args: letter, isCut: false };
        await store.fields.add({ ...base, at: NOW + Math.floor(index / 4), recordedCall });
      }
      const any = { account, operation: null, outcome: null, key: null };
      const found = (filter: Partial<RefusalFilter>) =>
        bothWays(store.refusals.search, { ...any, ...filter }, ({ args }) => args);
      assert.deepEqual(await found({}), { forward: ["HGF", "EDC", "BA"], backward: ["CBA", "FED", "HG"] });
      assert.deepEqual(await found({ operation: "Even" }), { forward: ["GEC", "A"], backward: ["ECA", "G"] });
      const outcome = "InvalidFieldName";
      assert.deepEqual(await found({ operation: "Odd", outcome }), {
        forward: ["HFD", "B"],
        backward: ["FDB", "H"],
      });
      assert.deepEqual(await found({ outcome: "Blocked" }), { forward: [""], backward: [""] });
      assert.deepEqual(await found({ key: 1 }), { forward: [""], backward: [""] });
      const page = await store.refusals.search.page(any, { after: null, limit: 1 });
      const other = { ...any, operation: "Even" };
      await assert.rejects(
        store.refusals.search.page(other, { after: page.next, limit: 1 }),
        InvalidCursor,
        "the cursor of another search",
      );
    });

    test("the events of a campaign are paged in both directions, of one kind and account only", async () => {
      const account = await newAccount(store);
      const recorded = { account, name: "Spring", lists: [], createdAt: NOW, sentAt: null };
      const campaign = await store.campaigns.record(recorded);
      assert.ok("id" in campaign);
      const { event } = actor(store, account);
      for (const [index, letter] of [..."abcdefg"].entries())
        await event(campaign.id, "complained", `${letter}@example.org`, NOW + Math.floor(index / 5));
      await event(campaign.id, "unsubscribed", "x@example.org", NOW);
      const complaints = { account, campaign: campaign.id, event: "complained" } as const;
      assert.deepEqual(
        await bothWays(store.campaigns.events, complaints, ({ address }) => address.charAt(0)),
        {
          forward: ["abc", "def", "g"],
          backward: ["efg", "bcd", "a"],
        },
      );
      const foreign = { ...complaints, account: await newAccount(store) };
      assert.deepEqual((await store.campaigns.events.page(foreign, { after: null, limit: LIMIT })).rows, []);
    });

    test("imports are paged in both directions, the newest first", async () => {
      const account = await newAccount(store);
      for (const fileName of "ABCD")
        await store.imports.start({
          account,
          list: null,
          fileName,
          startedBy: "tester",
          startedAt: NOW,
          counts: noSuppressionCounts,
        });
      assert.deepEqual(await bothWays(store.imports.all, { account }, ({ fileName }) => fileName), {
        forward: ["DCB", "A"],
        backward: ["CBA", "D"],
      });
    });

    test("rows that are completed from other tables are paged in both directions", async () => {
      const { account, ...of } = actor(store, await newAccount(store));
      const list = await of.list();
      await of.field("City");
      const { rows } = await store.fields.all.page({ account }, { after: null, limit: 1 });
      const field = rows[0]?.id ?? 0n;
      for (const letter of "abcd")
        await of.addData(list, `${letter}@example.org`, { values: [{ field, value: letter }] });
      const first = await store.lists.members.page({ account, list }, { after: null, limit: 3 });
      assert.deepEqual(
        first.rows.map(({ values }) => values),
        ["a", "b", "c"].map((value) => [{ field, value }]),
      );
      const last = await store.lists.members.page({ account, list }, { after: first.next, limit: 3 });
      assert.deepEqual(
        last.rows.map(({ address }) => address),
        ["d@example.org"],
      );
      const back = await store.lists.members.page({ account, list }, { before: last.previous, limit: 3 });
      assert.deepEqual(back, first);
    });

    test("an empty listing has one empty page", async () => {
      const account = await newAccount(store);
      const empty = { rows: [], previous: null, next: null };
      assert.deepEqual(await store.fields.all.page({ account }, { after: null, limit: 3 }), empty);
      assert.deepEqual(await store.fields.all.page({ account }, { before: null, limit: 3 }), empty);
    });

    test("a text that is no cursor of the listing is rejected", async () => {
      const account = await newAccount(store);
      const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
      const wrong = ["", "x", "\0", "{}", "W10", "x".repeat(100_000)];
      const values = [null, 5, [], [5], [5, 7], [5, "7", 7], ["5", "7"], [5, "7.5"], [5, ""], [1e300, "7"]];
      for (const cursor of [...wrong, ...values.map(encoded), encoded([0.5, "7"])])
        for (const range of [
          { after: cursor, limit: 3 },
          { before: cursor, limit: 3 },
        ])
          await assert.rejects(store.fields.all.page({ account }, range), InvalidCursor, cursor);
      const largest = encoded([Number.MAX_SAFE_INTEGER, "9999999999999999999"]);
      assert.deepEqual((await store.fields.all.page({ account }, { after: largest, limit: 3 })).rows, []);
    });
  });
}
