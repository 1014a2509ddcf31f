/** Senders, in every store. `execute` changes the database behind the store's back. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AuditedBy } from "#domain/access/audit.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import type { MailingState } from "#domain/sending/mailing.ts";
import { actor, NOW, newAccount } from "./actor.ts";
import { closeSound } from "./recount.ts";
import { PASSWORD, PRIVATE_KEY, senderValues } from "./sender-values.ts";

const audit = (action: string): AuditedBy => ({ at: NOW, origin: { kind: "operator" }, from: null, action });
const { dkimKey: _, relays: __, ...publicValues } = senderValues;
const shownRelays = [
  { url: "smtp://shop@127.0.0.1:587", weight: 3 },
  { url: "smtps://127.0.0.1", weight: 1 },
];

export function sendersSuite(
  name: string,
  open: () => Promise<Store>,
  execute: (sql: string) => Promise<unknown>,
): void {
  describe(`senders in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => closeSound(store));
    const create = async (account: number) =>
      await store.senders.create({ ...senderValues, account, createdAt: NOW, audit: audit("sender.create") });
    const entriesOf = (account: number) =>
      collect(store.audit.all.pages({ account, action: null, since: null }));
    const campaignOf = async (account: number, sender: number, state: MailingState) => {
      const campaign = await actor(store, account).campaign([]);
      await execute(
        `INSERT INTO campaign_content (
           campaign_id, account_id, sender_id, subject, preheader, included_lists, excluded_lists
         ) VALUES (${campaign}, ${account}, ${sender}, '', '', '[]', '[]')`,
      );
      await execute(
        `INSERT INTO mailing (campaign_id, account_id, state) VALUES (${campaign}, ${account}, '${state}')`,
      );
      return campaign;
    };

    test("returns the values of a sender without its secrets, and with them only for sending", async () => {
      const account = await newAccount(store);
      const created = await create(account);
      assert.deepEqual(created, { ...publicValues, id: created.id, createdAt: NOW, relays: shownRelays });
      const one = { account, id: created.id };
      assert.deepEqual(await store.senders.byId(one), created);
      assert.deepEqual(await collect(store.senders.all.pages({ account })), [created]);
      assert.deepEqual(await store.senders.toSendWith(one), {
        ...created,
        relays: senderValues.relays,
        dkimKey: PRIVATE_KEY,
      });
    });

    test("changes what is given, and keeps the rest with its secrets", async () => {
      const account = await newAccount(store);
      const { id } = await create(account);
      const changed = await store.senders.set({ account, id, fromName: "Store", perDay: null });
      assert.deepEqual(
        { ...publicValues, fromName: "Store", perDay: null, id, createdAt: NOW, relays: shownRelays },
        changed,
      );
      const secret = await store.senders.toSendWith({ account, id });
      assert.deepEqual([secret?.dkimKey, secret?.relays], [PRIVATE_KEY, senderValues.relays]);
    });

    test("records who changed a sender, and that a secret changed, but no secret", async () => {
      const account = await newAccount(store);
      const { id } = await create(account);
      const relays = [{ url: `smtp://shop:another-${PASSWORD}@127.0.0.1:587`, weight: 3 }];
      await store.senders.set({ account, id, relays, audit: audit("sender.set") });
      await store.senders.set({ account, id, dkimKey: "another", audit: audit("sender.newKey") });
      await store.senders.set({ account, id, fromName: "Shop", audit: audit("nothing changes") });
      await store.senders.delete({ account, id, audit: audit("sender.delete") });
      const entries = await entriesOf(account);
      assert.deepEqual(
        entries.map(({ action, before: from, after: to }) => ({ action, from, to })).reverse(),
        [
          {
            action: "sender.create",
            from: null,
            to: {
              ...publicValues,
              relays: ["smtp://shop@127.0.0.1:587 (weight 3)", "smtps://127.0.0.1"],
              secrets: null,
            },
          },
          {
            action: "sender.set",
            from: {
              relays: ["smtp://shop@127.0.0.1:587 (weight 3)", "smtps://127.0.0.1"],
              secrets: null,
            },
            to: { relays: ["smtp://shop@127.0.0.1:587 (weight 3)"], secrets: "changed" },
          },
          { action: "sender.newKey", from: { secrets: null }, to: { secrets: "changed" } },
          {
            action: "sender.delete",
            from: {
              ...publicValues,
              relays: ["smtp://shop@127.0.0.1:587 (weight 3)"],
              secrets: null,
            },
            to: null,
          },
        ],
      );
      assert.doesNotMatch(JSON.stringify(entries), new RegExp(`${PASSWORD}|PRIVATE KEY`));
    });

    test("a sender of another account is not found, changed or deleted", async () => {
      const [account, other] = [await newAccount(store), await newAccount(store)];
      const { id } = await create(other);
      assert.equal(await store.senders.byId({ account, id }), null);
      assert.equal(await store.senders.toSendWith({ account, id }), null);
      assert.equal(await store.senders.set({ account, id, fromName: "B" }), null);
      assert.equal(await store.senders.delete({ account, id }), null);
      assert.equal((await store.senders.byId({ account: other, id }))?.fromName, "Shop");
    });

    test("a campaign that has not ended keeps its sender from being deleted", async () => {
      const account = await newAccount(store);
      const { id } = await create(account);
      const ended = await campaignOf(account, id, "finished");
      const draft = await campaignOf(account, id, "draft");
      const paused = await campaignOf(account, id, "paused");
      assert.deepEqual(await store.senders.delete({ account, id }), { usedBy: [paused, draft] });
      assert.ok(await store.senders.byId({ account, id }));
      await execute(`UPDATE mailing SET state = 'cancelled' WHERE campaign_id <> ${ended}`);
      const deleted = await store.senders.delete({ account, id });
      assert.equal(deleted !== null && "id" in deleted && deleted.id, id);
      assert.equal(await store.senders.byId({ account, id }), null);
    });
  });
}
