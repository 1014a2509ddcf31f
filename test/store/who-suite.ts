/** Who did it: what both stores keep about the person behind a change. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AuditEntry, AuditedBy } from "#domain/access/audit.ts";
import type { Origin } from "#domain/access/origin.ts";
import { collect } from "#domain/paging.ts";
import type { Page, PageRange } from "#domain/ports/listing.ts";
import type { Store } from "#domain/ports/store.ts";
import { addBlock, deleteList, erase } from "#jobs/in-batches.ts";
import { actor, addressOf, NOW, newAccount } from "./actor.ts";
import { deletedOf } from "./job-steps.ts";

export function whoSuite(name: string, open: () => Promise<Store>): void {
  describe(`who did it, in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    test("a history entry has the name of the operator or the id of the user, next to entries that have neither", async () => {
      const account = await newAccount(store);
      const list = await actor(store, account).list();
      const origins: readonly Origin[] = [
        { kind: "operator", name: "ada" },
        { kind: "key", key: 7 },
        { kind: "operator" },
        { kind: "link" },
        { kind: "user", user: 3 },
      ];
      const added = (origin: Origin, index: number) => ({
        account,
        at: NOW,
        origin,
        recordedCall: null,
        address: addressOf(`p${index}@example.org`),
      });
      // Together, so that they share a commit; then apart.
      await Promise.all(
        origins.map((origin, index) => store.subscribers.add({ ...added(origin, index), list })),
      );
      for (const [index, origin] of origins.entries())
        await store.subscribers.unsubscribe(added(origin, index));
      for (const [index, origin] of origins.entries()) {
        const person = await store.subscribers.byAddress(added(origin, index));
        assert.deepEqual(
          person?.history.map((entry) => [entry.kind, entry.origin]),
          [
            ["joined", origin],
            ["unsubscribed", origin],
          ],
        );
      }
    });

    const by = (action: string): AuditedBy => ({
      at: NOW,
      origin: { kind: "operator", name: "ada" },
      from: null,
      action,
    });
    const entriesOf = async (account: number) => {
      const pages = store.audit.all.pages({ account, action: null, since: null });
      return (await collect(pages)).map(({ action, about, before: was, after: is }) => [
        action,
        about.id,
        was,
        is,
      ]);
    };

    test("the audit log of an account is paged, newest first, by action and time", async () => {
      const [account, other] = [await newAccount(store), await newAccount(store)];
      for (const [index, action] of ["list.create", "x.other", "list.create"].entries())
        await store.lists.create({
          account,
          name: `L${index}`,
          at: NOW,
          audit: { ...by(action), at: NOW + index, from: "192.0.2.7" },
        });
      await store.lists.create({ account: other, name: "Theirs", at: NOW, audit: by("list.create") });
      const page = (filter: object, range: PageRange) =>
        store.audit.all.page({ account, action: null, since: null, ...filter }, range);
      const first = await page({}, { after: null, limit: 2 });
      const second = await page({}, { after: first.next, limit: 2 });
      const names = ({ rows }: Page<AuditEntry>) => rows.map((entry) => entry.after?.name);
      assert.deepEqual([names(first), names(second), second.next], [["L2", "L1"], ["L0"], null]);
      const all = { after: null, limit: 10 };
      assert.deepEqual(names(await page({ action: "list.create" }, all)), ["L2", "L0"]);
      assert.deepEqual(names(await page({ since: NOW + 1 }, all)), ["L2", "L1"]);
      const { rows } = await store.audit.ofInstallation.page({ action: null, since: null }, all);
      assert.deepEqual(
        rows.slice(0, 2).map((entry) => [entry.account, entry.after?.name]),
        [
          [other, "Theirs"],
          [account, "L2"],
        ],
      );
      assert.deepEqual(first.rows[0], {
        id: first.rows[0]?.id,
        account,
        at: NOW + 2,
        actor: { kind: "operator", name: "ada" },
        from: "192.0.2.7",
        action: "list.create",
        about: { kind: "list", id: first.rows[0]?.about.id },
        before: null,
        after: { name: "L2" },
      });
    });

    test("a list deletion that is continued leaves one entry", async () => {
      const account = await newAccount(store);
      const one = actor(store, account);
      const id = await one.list("News");
      await Promise.all(Array.from({ length: 300 }, (_, n) => one.add(id, `p${n}@example.org`)));
      const deletion = {
        account,
        id,
        at: NOW,
        origin: { kind: "operator" },
        audit: by("list.delete"),
      } as const;
      // The first batch only, as if the process had ended.
      const begun = await store.lists.delete({ ...deletion, lease: { owner: "x", until: 0 } });
      const { job } = deletedOf(begun);
      assert.ok(job);
      await deleteList(store, deletion);
      assert.deepEqual(await entriesOf(account), [["list.delete", `${id}`, { name: "News" }, null]]);
    });

    test("erasing a subscriber removes the address from the audit log, not that of others", async () => {
      const [account, other] = [await newAccount(store), await newAccount(store)];
      for (const [of, pattern] of [
        [account, "ada@example.org"],
        [account, "bob@example.org"],
        [other, "ada@example.org"],
      ] as const)
        await addBlock(store, {
          account: of,
          at: NOW,
          origin: { kind: "operator" },
          pattern,
          audit: by("block.add"),
        });
      const address = addressOf("Ada@example.org");
      const [change] = await store.audit.ofBlock({ account, pattern: address.key, most: 1000 });
      assert.deepEqual([change?.action, change?.actor.name], ["block.add", "ada"]);
      await erase(store, { account, address, at: NOW, audit: by("subscriber.erase") });
      assert.deepEqual(await entriesOf(account), [
        ["subscriber.erase", "(erased)", {}, null],
        ["block.add", "bob@example.org", null, {}],
        ["block.add", "(erased)", null, {}],
      ]);
      assert.deepEqual(await entriesOf(other), [["block.add", "ada@example.org", null, {}]]);
      assert.deepEqual(await store.audit.ofBlock({ account, pattern: address.key, most: 1000 }), []);
    });
  });
}
