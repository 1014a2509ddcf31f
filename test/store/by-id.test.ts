/** Subscribers by id: an id means one person, whatever happens to the address. On both databases. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Action, perform } from "#admin/kit/action.ts";
import { NotFound } from "#admin/kit/errors.ts";
import { setSubscriber } from "#admin/subscribers/correct.ts";
import { eraseSubscriber, exportSubscriber, showSubscriber } from "#admin/subscribers/record.ts";
import { addSubscriber, reactivate, removeSubscriber, unsubscribe } from "#admin/subscribers/subscribers.ts";
import type { Store } from "#domain/ports/store.ts";
import { finishJob } from "#jobs/foreground.ts";
import { erase } from "#jobs/in-batches.ts";
import { noData } from "../no-data.ts";
import { bothStores } from "../shared-postgres.ts";
import { actor, addressOf, NOW, newAccount } from "./actor.ts";
import { closeSound } from "./recount.ts";

const [ADA, NEW, BOB] = ["Ada@example.org", "ada@new.example", "bob@example.org"];

const noChange = {
  newEmail: null,
  firstName: null,
  lastName: null,
  gender: null,
  birthday: null,
  country: null,
};
const nothing = { ...noChange, values: [], clear: [], clearFields: [] };

for (const [name, open] of await bothStores())
  describe(`subscribers by id in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => closeSound(store));

    /** An account with Ada on a list, and her id. */
    async function accountWithAda() {
      const account = await newAccount(store);
      const a = actor(store, account);
      const list = await a.list();
      await a.add(list, ADA);
      const id = (await a.show(ADA))?.id ?? 0;
      const admin = (given: Store = store) => ({
        store: given,
        clock: () => NOW,
        actor: { origin: { kind: "operator" } as const, roleIn: () => "owner" as const },
        continueJob: finishJob(given.jobs),
      });
      const act = <Args extends object, Result>(action: Action<Args, Result>, args: Args, given?: Store) =>
        perform(admin(given), action, args);
      return { ...a, newList: a.list, list, id, act };
    }

    test("only the lists, keys and fields are read that a subscriber's record mentions", async () => {
      const { account, list, newList, act } = await accountWithAda();
      const [other, stranger] = [await newList("Other"), await actor(store, await newAccount(store)).list()];
      const found = await store.lists.some({ account, ids: [other, list, stranger, 999_999] });
      assert.deepEqual(
        found.map(({ id, name: called }) => [id, called]),
        [
          [list, "List"],
          [other, "Other"],
        ],
      );
      assert.deepEqual(await store.lists.some({ account, ids: [] }), []);
      const { names } = await act(showSubscriber, { account, email: ADA });
      assert.deepEqual(
        names.lists.map(({ id }) => id),
        [list],
      );
      assert.deepEqual([names.keys, [...names.fields]], [[], []]);
    });

    test("finds a subscriber and the whole record by id and by address", async () => {
      const a = await accountWithAda();
      const { account, id } = a;
      const waiting = await a.newList("Waiting");
      await a.addPending(waiting, ADA);
      const brief = {
        id,
        address: addressOf(ADA),
        suppressions: { blocked: null, complained: null, unsubscribed: null, bounced: null },
        pending: [waiting],
      };
      assert.deepEqual(await store.subscribers.find({ account, id }), brief);
      assert.deepEqual(
        await store.subscribers.find({ account, address: addressOf("ADA@example.org") }),
        brief,
      );
      assert.deepEqual(await store.subscribers.byId({ account, id }), await a.show(ADA));
    });

    test("does not find a subscriber of another account by id", async () => {
      const { id, act } = await accountWithAda();
      const other = await newAccount(store);
      assert.equal(await store.subscribers.find({ account: other, id }), null);
      assert.equal(await store.subscribers.byId({ account: other, id }), null);
      await assert.rejects(act(showSubscriber, { account: other, id }), {
        name: "NotFound",
        message: `there is no subscriber ${id}`,
      });
      await assert.rejects(act(unsubscribe, { account: other, id }), NotFound);
    });

    test("a command that means one subscriber changes nobody else at the same address", async () => {
      const a = await accountWithAda();
      const { account, list, id } = a;
      await a.move(ADA, NEW);
      await a.add(list, ADA);
      const before = await a.show(ADA);
      const about = {
        account,
        at: NOW + 1,
        origin: { kind: "operator" } as const,
        recordedCall: null,
        address: addressOf(ADA),
        subscriber: id,
      };
      const { subscribers } = store;
      const correction = { address: null, data: { firstName: "X" }, values: [] };
      for (const result of [
        await subscribers.add({ ...about, list: await a.newList("More") }),
        await subscribers.addWithData({ ...about, list, data: { ...noData, firstName: "X" } }),
        await subscribers.remove({ ...about, list }),
        await subscribers.unsubscribe(about),
        await subscribers.reactivate({ ...about, suppression: "bounced", reason: "x" }),
        await subscribers.correct({ ...about, correction }),
        await subscribers.erase(about),
        await subscribers.unsubscribe({ ...about, address: addressOf("nobody@example.org") }),
      ])
        assert.equal(result, "OtherSubscriber");
      assert.deepEqual(await a.show(ADA), before);
      assert.equal(await a.show("nobody@example.org"), null);
    });

    test("every action takes an id in place of an address", async () => {
      const { account, id, list, act, ...a } = await accountWithAda();
      const one = { account, id };
      const second = await a.newList("Second");
      assert.deepEqual(await act(addSubscriber, { ...one, list: second, values: [], firstName: "Ada" }), {
        outcome: "Done",
        id,
        address: ADA,
        isPending: false,
      });
      assert.equal((await act(removeSubscriber, { ...one, list })).id, id);
      const corrected = await act(setSubscriber, { ...nothing, ...one, newEmail: NEW, clear: ["firstName"] });
      assert.deepEqual(
        corrected.replaced.map(({ field }) => field),
        ["address", "firstName"],
      );
      assert.equal((await act(unsubscribe, one)).since, NOW);
      const asked = { ...one, suppression: "unsubscribed", reason: "asked" } as const;
      assert.equal((await act(reactivate, asked)).state, "active");
      const { record } = await act(showSubscriber, one);
      assert.deepEqual([record.address, record.lists.map((each) => each.id)], [NEW, [second]]);
      assert.equal((await act(exportSubscriber, one)).address, NEW);
      const erased = await act(eraseSubscriber, one);
      assert.deepEqual([erased.wasKnown, erased.formerAddresses], [true, [ADA]]);
      await assert.rejects(act(eraseSubscriber, one), NotFound);
    });

    /** A store in which something happens between the lookup of an id and the command, once. */
    function interrupted(meanwhile: () => Promise<unknown>): Store {
      let isDone = false;
      return {
        ...store,
        subscribers: {
          ...store.subscribers,
          find: async (args) => {
            const found = await store.subscribers.find(args);
            if (!isDone) await meanwhile();
            isDone = true;
            return found;
          },
        },
      };
    }
    test("an action follows a subscriber whose address is changed meanwhile", async () => {
      const { account, id, act, ...a } = await accountWithAda();
      const changed = interrupted(async () => {
        await a.move(ADA, NEW);
        await a.add(await a.newList(), ADA);
      });
      const { address } = await act(unsubscribe, { account, id }, changed);
      assert.equal(address, NEW);
      assert.equal((await a.show(NEW))?.state, "unsubscribed");
      assert.equal((await a.show(ADA))?.state, "active");
    });
    test("an action finds nobody if the subscriber is erased meanwhile, even if the address is added again", async () => {
      const { account, id, list, act, ...a } = await accountWithAda();
      const changed = interrupted(async () => {
        await erase(store, { account, address: addressOf(ADA), at: NOW });
        await a.add(list, ADA);
      });
      await assert.rejects(act(removeSubscriber, { account, id, list }, changed), NotFound);
      assert.equal((await a.show(ADA))?.lists.length, 1);
      assert.equal(await a.show(BOB), null);
    });
  });
