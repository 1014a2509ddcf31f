/** Limits of one account in every store: how much is kept of it, and how long others wait for it. */
import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import type { Retention } from "#domain/refused-call.ts";
import { actor, forEachOf, NOW, newAccount } from "./actor.ts";
import { purge } from "./job-steps.ts";
import { closeSound } from "./recount.ts";

const KEPT_BYTES = 100_000;

export function boundsSuite(name: string, open: (retention: Retention) => Promise<Store>): void {
  describe(`limits in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open({ days: 90, rows: 10_000, bytes: KEPT_BYTES });
    });
    after(() => closeSound(store));

    /** An account whose calls with these arguments are refused, one after the other. */
    async function newRefused() {
      const account = await newAccount(store);
      let at = NOW;
      const refuse = (args: string) => {
        at += 1;
        const recordedCall = { operation: "Op", args, isCut: false };
        return store.fields.add({
          account,
          at,
          origin: { kind: "operator" },
          recordedCall,
          field: null,
        });
      };
      const kept = async () =>
        (await collect(store.refusals.all.pages({ account }))).map(({ id, args }) => ({ id, args }));
      return { account, refuse, kept };
    }

    /** However slow the machine is, nothing has waited too long. */
    const stopTheClock = ({ mock }: TestContext): void => {
      const now = performance.now();
      mock.method(performance, "now", () => now);
    };

    test("reads a list of one account before the many queued ones of another", async (t) => {
      stopTheClock(t);
      const [reading, other] = [await newAccount(store), await newAccount(store)];
      const { field } = actor(store, reading);
      await forEachOf(Array.from({ length: 1000 }), (_, n) => field(`Field ${n}`));
      await store.lists.create({ account: other, name: "L", at: NOW });
      let [halfRead, mostHalfRead, done] = [0, 0, 0];
      const lists = Array.from({ length: 100 }, async () => {
        let rows = 0;
        for await (const page of store.fields.all.pages({ account: reading })) {
          rows += page.length;
          halfRead += rows === page.length ? 1 : -1;
          mostHalfRead = Math.max(mostHalfRead, halfRead);
        }
        done += 1;
        assert.equal(rows, 1000);
      });
      const doneBefore = collect(store.lists.all.pages({ account: other })).then(() => done);
      await Promise.all(lists);
      assert.ok((await doneBefore) < 20, `${await doneBefore} lists of the other account came first`);
      assert.ok(mostHalfRead < 90, `${mostHalfRead} lists were half read`);
    });

    test("shows every answered write to a call made after it, while many identical calls are in progress", async () => {
      const a = actor(store, await newAccount(store));
      const list = await a.list();
      const stop = new AbortController();
      const readers = Array.from({ length: 8 }, async () => {
        while (!stop.signal.aborted) await a.members(list);
      });
      for (let n = 1; n <= 40; n += 1) {
        assert.equal(await a.add(list, `p${n}@example.org`), "Done");
        assert.equal(await a.members(list), n);
        if (n % 10 > 0) continue;
        const campaign = await a.campaign([list], NOW, NOW + n);
        assert.equal((await store.campaigns.lastSent({ account: a.account }))?.id, campaign);
      }
      stop.abort();
      await Promise.all(readers);
    });

    test("drops the oldest refused calls beyond the number of bytes", async () => {
      const { refuse, kept } = await newRefused();
      const argsOf = (n: number) => String(n).padStart(10_000, "x");
      for (let n = 0; n < 15; n += 1) await refuse(argsOf(n));
      const left = (await kept()).map(({ args }) => Number(args.replaceAll("x", "")));
      assert.deepEqual(left, [14, 13, 12, 11, 10, 9, 8, 7, 6, 5]);
      await refuse("one more");
      assert.equal((await kept()).length, 10, "the oldest went for it");
    });

    test("counts refused calls in bytes of UTF-8, and a repeat only once", async () => {
      const { refuse, kept } = await newRefused();
      const argsOf = (n: number) => "é".repeat(5000 + n);
      for (let n = 0; n < 15; n += 1) for (let times = 0; times < 3; times += 1) await refuse(argsOf(n));
      assert.deepEqual(
        (await kept()).map(({ args }) => args.length - 5000),
        [14, 13, 12, 11, 10, 9, 8, 7, 6],
      );
    });

    test("keeps the limit in bytes for many concurrent refused calls", async () => {
      const { refuse, kept } = await newRefused();
      await forEachOf(Array.from({ length: 500 }), (_, n) => refuse(String(n).padStart(1000, "x")));
      const left = await kept();
      assert.equal(left.length, 100);
      assert.ok(left.every(({ args }) => Number(args.replaceAll("x", "")) >= 400));
    });

    test("frees the bytes of refused calls that are dismissed or purged", async () => {
      const { account, refuse, kept } = await newRefused();
      for (let n = 0; n < 10; n += 1) await refuse(String(n).padStart(10_000, "x"));
      const [newest] = await kept();
      assert.ok(newest);
      await store.refusals.dismiss({ account, id: newest.id });
      await refuse("y".repeat(10_000));
      assert.equal((await kept()).length, 10, "nothing had to go");
      await purge(store, NOW + 91 * 86_400_000);
      assert.deepEqual(await kept(), []);
      await refuse("y".repeat(99_999));
      assert.equal((await kept()).length, 1);
    });

    test("keeps nothing of a refused call that is larger than the limit", async () => {
      const { refuse, kept } = await newRefused();
      await refuse("small");
      await refuse("x".repeat(KEPT_BYTES + 1));
      assert.deepEqual(await kept(), []);
    });

    test("limits a new account to a thousand fields, or to what the operator sets", async () => {
      const a = actor(store, await newAccount(store));
      const limit = async () =>
        (await collect(store.accounts.all.pages({}))).find(({ id }) => id === a.account)?.limitFields;
      assert.equal(await limit(), 1000);
      await forEachOf(Array.from({ length: 1000 }), async (_, n) =>
        assert.equal(await a.field(`Field ${n}`), "Done"),
      );
      assert.equal(await a.field("One more"), "LimitReached");
      assert.equal(await a.field("FIELD 7"), "FieldExists");
      assert.equal(await a.createField("One more"), "LimitReached");
      await store.accounts.set({ id: a.account, settings: { limitFields: null } });
      assert.equal(await a.field("One more"), "Done");
      const names = (await collect(store.fields.all.pages({ account: a.account }))).map(
        (field) => field.name,
      );
      assert.equal(names.length, 1001);
      assert.equal(new Set(names).size, 1001);
      assert.equal(names.at(-1), "One more", "in the order of their creation");
    });

    test("executes a call of one account before the queued heavy ones of another", async (t) => {
      stopTheClock(t);
      const [a, b] = [actor(store, await newAccount(store)), actor(store, await newAccount(store))];
      const [ofA, ofB] = [await a.list(), await b.list()];
      await forEachOf(Array.from({ length: 1000 }), (_, n) => a.field(`Field ${n}`));
      const values = (await collect(store.fields.all.pages({ account: a.account }))).map(({ id }) => ({
        field: id,
        value: "value",
      }));
      const order: string[] = [];
      const heavy = Array.from({ length: 12 }, (_, n) =>
        a.addData(ofA, `p${n}@example.org`, { values }).then(() => order.push("heavy")),
      );
      const light = b.add(ofB, "ada@example.org").then(() => order.push("light"));
      await Promise.all([...heavy, light]);
      assert.equal(order.length, 13);
      assert.ok(order.indexOf("light") < 4, `after ${order.indexOf("light")} heavy ones`);
      assert.equal((await a.show("p11@example.org"))?.values.length, 1000);
    });
  });
}
