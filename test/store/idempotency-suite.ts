/** Writes with an idempotency key in every store: executed once, answered as often as they are repeated. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { IDEMPOTENCY_MS } from "#domain/idempotency.ts";
import { collect } from "#domain/paging.ts";
import { IdempotencyKeyReused, ResultErased } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";
import { finishJob } from "#jobs/foreground.ts";
import { deleteAccount, erase } from "#jobs/in-batches.ts";
import { EXPIRED_KEYS } from "#store/cold/idempotency.ts";
import { actor, addressOf, NOW, newAccount } from "./actor.ts";
import { purge } from "./job-steps.ts";
import { closeSound } from "./recount.ts";

const fingerprintOf = (body: string): Buffer => createHash("sha256").update(body).digest();
/** Every request of these tests has a key of its own, unless it names one. */
let keys = 0;
export function request(body = "{}", key: string | null = null, owner = 1) {
  keys += 1;
  return { owner, key: key ?? `request-${keys}`, fingerprint: fingerprintOf(body), at: NOW };
}

interface Row {
  readonly account_id: number | null;
  readonly address_key: string | null;
}
interface Kept {
  readonly keys: number;
  readonly results: readonly Row[];
}

/** `rows` reads a table without the store. */
export function idempotencySuite(
  name: string,
  open: () => Promise<Store>,
  rows: (sql: string) => Promise<readonly object[]>,
): void {
  describe(`idempotency keys in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => closeSound(store));

    const listsOf = (account: number) => collect(store.lists.all.pages({ account }));
    const kept = async (owner: number): Promise<Kept> => ({
      keys: (await rows(`SELECT hash FROM idempotency_key WHERE owner_id = ${owner}`)).length,
      results: (
        (await rows(
          `SELECT account_id, address_key FROM idempotency_result WHERE owner_id = ${owner} ORDER BY ordinal`,
        )) as Row[]
      ).map(({ account_id, address_key }) => ({
        account_id: account_id === null ? null : Number(account_id),
        address_key,
      })),
    });

    test("answers a repeated admin command from its record, and does not execute it again", async () => {
      const account = await newAccount(store);
      const one = request();
      const first = store.idempotent(one);
      assert.deepEqual([first.isRepeat, await first.wasExecuted()], [false, false]);
      const made = await first.lists.create({ account, name: "News", at: NOW });
      assert.deepEqual([first.isRepeat, await first.wasExecuted()], [false, false], "by its own write");
      const again = store.idempotent(one);
      assert.equal(await again.wasExecuted(), true);
      assert.deepEqual(await again.lists.create({ account, name: "News", at: NOW + 5 }), made);
      assert.equal(again.isRepeat, true);
      assert.deepEqual(await listsOf(account), [made]);
    });

    test("answers a repeated call from its record, even if it would be refused by now", async () => {
      const account = await newAccount(store);
      const one = request();
      const list = await actor(store, account).list();
      assert.equal(await actor(store.idempotent(one), account).add(list, "ada@example.org"), "Done");
      assert.equal(await actor(store, account).unsubscribe("ada@example.org"), "Done");
      assert.equal(await actor(store.idempotent(one), account).add(list, "ada@example.org"), "Done");
      assert.equal((await actor(store, account).show("ada@example.org"))?.history.length, 2);
      assert.equal(
        await actor(store.idempotent(request()), account).add(list, "ada@example.org"),
        "Unsubscribed",
      );
    });

    test("returns ids of 64 bits exactly from a record", async () => {
      const account = await newAccount(store);
      const one = request();
      const id = 9_007_199_254_740_993n;
      const made = await actor(store.idempotent(one), account).createField("Town", id);
      assert.ok(typeof made === "object");
      assert.equal(made.id, id);
      assert.deepEqual(await actor(store.idempotent(one), account).createField("Town", id), made);
    });

    test("rejects a key that belongs to another request, and changes nothing", async () => {
      const account = await newAccount(store);
      const key = "the same key";
      await store.idempotent(request("A", key)).lists.create({ account, name: "A", at: NOW });
      const other = store.idempotent(request("B", key));
      await assert.rejects(other.lists.create({ account, name: "B", at: NOW }), IdempotencyKeyReused);
      const [list] = await listsOf(account);
      assert.ok(list);
      // Also in a later write, and in a group with others.
      const plain = actor(store, account);
      const results = await Promise.allSettled([
        plain.add(list.id, "ada@example.org"),
        actor(store.idempotent(request("C", key)), account).add(list.id, "bob@example.org"),
        plain.add(list.id, "eve@example.org"),
      ]);
      assert.deepEqual(
        results.map(({ status }) => status),
        ["fulfilled", "rejected", "fulfilled"],
      );
      assert.deepEqual([await plain.members(list.id), (await listsOf(account)).length], [2, 1]);
    });

    test("takes the same key of another user for another request", async () => {
      const account = await newAccount(store);
      for (const owner of [11, 12])
        await store.idempotent(request("A", "shared", owner)).lists.create({ account, name: "A", at: NOW });
      assert.equal((await listsOf(account)).length, 2);
    });

    test("stores nothing of a command that fails, so that its key can be used again", async () => {
      const account = await newAccount(store);
      const nowhere = 987_654;
      await assert.rejects(
        store.idempotent(request("A", "cold", 21)).lists.create({ account: nowhere, name: "A", at: NOW }),
      );
      await assert.rejects(
        actor(store.idempotent(request("A", "hot", 21)), nowhere).add(1, "ada@example.org"),
      );
      assert.deepEqual(await kept(21), { keys: 0, results: [] });
      const list = (
        await store.idempotent(request("B", "cold", 21)).lists.create({ account, name: "B", at: NOW })
      ).id;
      const hot = actor(store.idempotent(request("B", "hot", 21)), account);
      assert.equal(await hot.add(list, "ada@example.org"), "Done");
    });

    test("continues an interrupted request with the write that is missing", async () => {
      const account = await newAccount(store);
      const one = request();
      const create = (on: Store, name: string) => on.lists.create({ account, name, at: NOW });
      await create(store.idempotent(one), "first");
      const again = store.idempotent(one);
      await create(again, "first");
      await create(again, "second");
      assert.equal(again.isRepeat, true);
      assert.deepEqual(
        (await listsOf(account)).map((list) => list.name),
        ["first", "second"],
      );
    });

    test("fails if a repeat makes another write in the place of one that was made", async () => {
      const account = await newAccount(store);
      const [cold, hot] = [request(), request()];
      await actor(store.idempotent(cold), account).list();
      await assert.rejects(actor(store.idempotent(cold), account).createField("Town"), /lists.create before/);
      await actor(store.idempotent(hot), account).field("Town");
      await assert.rejects(
        actor(store.idempotent(hot), account).unsubscribe("a@example.org"),
        /fields.add before/,
      );
      assert.equal(await actor(store, account).show("a@example.org"), null);
    });

    test("executes a request once that is sent twice at the same time", async () => {
      const account = await newAccount(store);
      const list = await actor(store, account).list();
      const one = request();
      const twice = [store.idempotent(one), store.idempotent(one)];
      const made = await Promise.all(twice.map((on) => on.lists.create({ account, name: "A", at: NOW })));
      assert.equal(made[0]?.id, made[1]?.id);
      assert.notEqual(twice[0]?.isRepeat, twice[1]?.isRepeat);
      const same = request();
      const added = [store.idempotent(same), store.idempotent(same)].map((on) =>
        actor(on, account).event(12_345, "complained", "ada@example.org").then(String),
      );
      assert.deepEqual(await Promise.all(added), ["UnknownCampaign", "UnknownCampaign"]);
      assert.equal((await listsOf(account)).length, 2);
      assert.equal(await actor(store, account).members(list), 0);
    });

    test("gives each of 1,000 items its own result, in whatever order they are written", async () => {
      const account = await newAccount(store);
      const list = await actor(store, account).list();
      const batch = store.idempotent(request("batch", "batch", 31));
      const emails = Array.from({ length: 1000 }, (_, n) =>
        n % 10 === 3 ? "no address" : `p${n}@example.org`,
      );
      const expected = emails.map((email) => (email === "no address" ? "InvalidEmail" : "Done"));
      const write = async (on: typeof batch, order: readonly number[]) => {
        const results = new Map<number, string>();
        await Promise.all(
          order.map(async (n) => results.set(n, await actor(on.item(n), account).add(list, emails[n] ?? ""))),
        );
        return emails.map((_, n) => results.get(n));
      };
      const inOrder = emails.map((_, n) => n);
      // The first half only, as if the request had been interrupted.
      await write(batch, inOrder.slice(0, 500));
      await actor(store, account).unsubscribe("p0@example.org");
      const again = store.idempotent(request("batch", "batch", 31));
      assert.deepEqual(await write(again, inOrder.toReversed()), expected);
      assert.equal(again.item(0).isRepeat, false, "before its first write");
      assert.equal(await actor(store, account).members(list), 899);
      assert.equal((await kept(31)).keys, 1);
    });

    test("takes any key of 1 to 255 printable characters, and no other", async () => {
      const account = await newAccount(store);
      const good = ["x", "y".repeat(255), "'; DROP TABLE idempotency_key; --", '\\"$1 {}%00', "~ a b ~"];
      for (const key of good) {
        const one = request("{}", key, 41);
        const { id } = await store.idempotent(one).lists.create({ account, name: "A", at: NOW });
        const again = await store.idempotent(one).lists.create({ account, name: "A", at: NOW });
        assert.equal(again.id, id, key);
      }
      assert.equal((await listsOf(account)).length, good.length);
      for (const key of ["", "z".repeat(256), "a\nb", "tab\t", "nul\0", "é", "😀"])
        assert.throws(() => store.idempotent(request("{}", key)), RangeError, JSON.stringify(key));
      assert.throws(() => store.idempotent({ ...request(), fingerprint: Buffer.alloc(31) }), RangeError);
    });

    test("stores neither the key nor an unsalted fingerprint", async () => {
      const account = await newAccount(store);
      const one = request("body", "secret-key", 51);
      await store.idempotent(one).lists.create({ account, name: "A", at: NOW });
      const [row] = (await rows("SELECT hash, fingerprint FROM idempotency_key WHERE owner_id = 51")) as {
        hash: Uint8Array;
        fingerprint: Uint8Array;
      }[];
      assert.ok(row);
      assert.notDeepEqual(Buffer.from(row.fingerprint), one.fingerprint);
      assert.notDeepEqual(Buffer.from(row.hash), fingerprintOf("secret-key"));
    });

    test("erases the results about a person with the person, and no others", async () => {
      const account = await newAccount(store);
      const list = await actor(store, account).list();
      for (const email of ["ada@example.org", "bob@example.org"])
        await actor(store.idempotent(request(email, email, 61)), account).add(list, email);
      const moved = actor(store.idempotent(request("move", null, 61)), account);
      assert.equal(await moved.move("ada@example.org", "ada@new.example"), "Done");
      const blocked = actor(store.idempotent(request("block", null, 61)), account);
      assert.equal(await blocked.block("ada@new.example"), true);
      assert.deepEqual(
        (await kept(61)).results.map((row) => String(row.address_key)).sort(),
        ["ada@new.example", "ada@new.example", "ada@new.example", "bob@example.org"],
        "those from before the correction follow the person",
      );
      const erasing = store.idempotent(request("erase", null, 61));
      const result = await erase(erasing, { account, address: addressOf("ada@new.example"), at: NOW });
      const left = await kept(61);
      assert.equal(left.keys, 5);
      assert.deepEqual(left.results.map((row) => String(row.address_key)).sort(), [
        "bob@example.org",
        // Of the erasure: the refused calls, the subscriber, and the refused calls again.
        ...["null", "null", "null"],
        // That she was added, moved and blocked, without a result.
        ...["null", "null", "null"],
      ]);
      assert.equal(result.wasKnown, true);
      const again = actor(store.idempotent(request("ada@example.org", "ada@example.org", 61)), account);
      await assert.rejects(again.add(list, "ada@example.org"), ResultErased);
      assert.equal(await again.show("ada@example.org"), null);
    });

    test("erases the fingerprint of a request about nobody else, and executes nothing with its key", async () => {
      const account = await newAccount(store);
      const list = await actor(store, account).list();
      const [ada, bob, eve] = ["ada@example.org", "bob@example.org", "eve@example.org"] as const;
      const asked = (key: string, body = key) => actor(store.idempotent(request(body, key, 62)), account);
      await asked("ada").add(list, ada);
      const both = asked("both");
      for (const email of [ada, bob]) await both.add(list, email);
      const upload = store.idempotent(request("upload", "upload", 62));
      await upload.uploads.create({ account, name: "ada.csv", expectedSize: null, at: NOW });
      await asked("bob").add(list, bob);
      await erase(store, { account, address: addressOf(ada), at: NOW });
      const lengths = await rows(
        "SELECT length(fingerprint) AS bytes FROM idempotency_key WHERE owner_id = 62 ORDER BY length(fingerprint)",
      );
      assert.deepEqual(
        lengths.map((row) => Number(Object.values(row)[0])),
        [0, 0, 32, 32],
      );
      for (const body of ["ada", "another"])
        await assert.rejects(asked("ada", body).add(list, eve), ResultErased);
      const later = asked("ada");
      await assert.rejects(later.add(list, ada), ResultErased);
      await assert.rejects(later.add(list, eve), IdempotencyKeyReused);
      const repeated = asked("both");
      await assert.rejects(repeated.add(list, ada), ResultErased);
      assert.equal(await repeated.add(list, bob), "Done", "as the first time");
      for (const email of [ada, eve]) assert.equal(await actor(store, account).show(email), null);
    });

    test("deletes the results of an account with the account, and keeps the keys", async () => {
      const [account, other] = [await newAccount(store), await newAccount(store)];
      for (const id of [account, other]) {
        const on = store.idempotent(request(`${id}`, `${id}`, 71));
        await on.lists.create({ account: id, name: "A", at: NOW });
        await on.accounts.set({ id, settings: { name: "B" } });
      }
      assert.equal((await kept(71)).results.length, 4);
      await deleteAccount(store, { account, at: NOW }, finishJob(store.jobs));
      assert.deepEqual(await kept(71), {
        keys: 2,
        results: [
          { account_id: other, address_key: null },
          { account_id: other, address_key: null },
        ],
      });
    });

    test("keeps results for a day; then a job deletes them in batches", async () => {
      const account = await newAccount(store);
      const list = await actor(store, account).list();
      await Promise.all(
        Array.from({ length: EXPIRED_KEYS + 10 }, (_, n) =>
          actor(store.idempotent(request("old", `old ${n}`, 81)), account).add(list, `o${n}@example.org`),
        ),
      );
      const late = { ...request("new", "new", 81), at: NOW + 5000 };
      await store.idempotent(late).lists.create({ account, name: "A", at: NOW });
      await purge(store, NOW + IDEMPOTENCY_MS - 1000);
      assert.equal((await kept(81)).keys, EXPIRED_KEYS + 11);
      assert.ok((await purge(store, NOW + IDEMPOTENCY_MS + 1000)) >= 1, "in batches");
      assert.deepEqual(await kept(81), { keys: 1, results: [{ account_id: account, address_key: null }] });
    });
  });
}
