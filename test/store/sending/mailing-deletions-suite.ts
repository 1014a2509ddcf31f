/** What cannot be deleted while a campaign is sent, and what a deletion takes with it, in every store. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Store } from "#domain/ports/store.ts";
import { isDeletable, mailingStates, needsAudience } from "#domain/sending/mailing.ts";
import { stateNumber } from "#domain/sending/recipient.ts";
import { deleteAccount } from "#jobs/in-batches.ts";
import { STEP } from "#store/writes/step-limits.ts";
import { NOW } from "../actor.ts";
import { deletedOf, finish, leaseAt, purge } from "../job-steps.ts";
import { closeSound } from "../recount.ts";
import { newWorld, type Sql } from "./world.ts";

const tables = [
  "recipient",
  "recipient_reply",
  "recipient_retry",
  "recipient_earlier",
  "delivery_batch",
  "mailing",
  "campaign_content",
];

export function mailingDeletionsSuite(name: string, open: () => Promise<Store>, sql: Sql): void {
  describe(`deletions around composed campaigns in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => closeSound(store));

    /** Rows in every table of a campaign. */
    async function filled(w: Awaited<ReturnType<typeof newWorld>>, recipients: number) {
      const one = await w.draft();
      const { account, campaign } = one;
      await w.ledger(
        one,
        "cancelled",
        Array.from({ length: recipients }, (_, n) => [n + 1, "queued"]),
      );
      await sql(
        `INSERT INTO recipient_reply (account_id, campaign_id, subscriber_id, reply) VALUES (${account}, ${campaign}, 1, 'no')`,
      );
      await sql(
        `INSERT INTO recipient_retry (account_id, campaign_id, subscriber_id, due_at, attempts, since)
         VALUES (${account}, ${campaign}, 1, 1, 1, 1)`,
      );
      await sql(
        `INSERT INTO recipient_earlier (account_id, campaign_id, subscriber_id, state, at)
         VALUES (${account}, ${campaign}, 1, ${stateNumber("unknown")}, 1)`,
      );
      await sql(
        `INSERT INTO delivery_batch (account_id, campaign_id, owner, leased_until, members)
         VALUES (${account}, ${campaign}, 'x', 1, '[]')`,
      );
      return one;
    }

    test("a list that a campaign includes or excludes stays until the campaign has ended", async () => {
      const w = await newWorld(store, sql);
      const { account } = w;
      const { campaign } = await w.draft({ excludedLists: [w.other] });
      const deletion = { account, at: NOW, origin: { kind: "operator" }, lease: leaseAt(NOW) } as const;
      for (const state of mailingStates.filter(needsAudience)) {
        await sql(`UPDATE mailing SET state = '${state}' WHERE campaign_id = ${campaign}`);
        for (const id of [w.list, w.other]) {
          const refused = await store.lists.delete({ ...deletion, id });
          assert.ok(refused && "neededBy" in refused, `${state}`);
          assert.deepEqual([refused.neededBy.id, refused.neededBy.name], [campaign, "Spring"]);
          assert.equal((await store.lists.deletion({ account, id }))?.neededBy?.id, campaign);
        }
      }
      await sql(`UPDATE mailing SET state = 'finished' WHERE campaign_id = ${campaign}`);
      for (const id of [w.list, w.other]) deletedOf(await store.lists.delete({ ...deletion, id }));
    });

    test("a field and a campaign that a filter names stay until the campaign with that filter has ended", async () => {
      const w = await newWorld(store, sql);
      const { account } = w;
      const field = await w.createField("Town");
      assert.ok(typeof field === "object");
      const earlier = await w.draft({}, "Winter");
      await w.ledger(earlier, "finished", [[1, "sent"]]);
      const filter = [
        { about: { field: String(field.id) }, test: "is", value: "Berlin" },
        { about: { campaign: earlier.campaign }, test: "not received", value: "" },
      ] as const;
      const { campaign } = await w.draft({ filter });
      const of = { account, at: NOW, lease: leaseAt(NOW) };
      const deletions = {
        field: () => store.fields.delete({ ...of, id: field.id }),
        campaign: () => store.campaigns.delete({ ...of, id: earlier.campaign }),
      };
      const previews = {
        field: () => store.fields.withValueCount({ account, id: field.id, limit: 1 }),
        campaign: () => store.campaigns.toDelete({ account, id: earlier.campaign }),
      };
      for (const state of mailingStates.filter(needsAudience)) {
        await sql(`UPDATE mailing SET state = '${state}' WHERE campaign_id = ${campaign}`);
        for (const [what, ask] of Object.entries({ ...deletions, ...previews })) {
          const refused = await ask();
          assert.ok(refused && "neededBy" in refused, `${what}, ${state}`);
          assert.equal(refused.neededBy?.id, campaign, `${what}, ${state}`);
        }
      }
      assert.equal((await store.fields.byId({ account, id: field.id }))?.name, "Town");
      assert.equal(await w.count("recipient", earlier.campaign), 1);
      await sql(`UPDATE mailing SET state = 'finished' WHERE campaign_id = ${campaign}`);
      assert.equal((await previews.field())?.neededBy, null);
      for (const ask of Object.values(deletions)) assert.ok("job" in ((await ask()) ?? assert.fail()));
    });

    test("a ledger that a filter needs is not purged, and others are, until the campaign with that filter has ended", async () => {
      const w = await newWorld(store, sql);
      const [needed, other] = [await w.draft(), await w.draft()];
      for (const one of [needed, other]) await w.ledger(one, "finished", [[1, "sent"]]);
      await sql(
        `UPDATE mailing SET ended_at = 1 WHERE campaign_id IN (${needed.campaign}, ${other.campaign})`,
      );
      const filter = [{ about: { campaign: needed.campaign }, test: "not received", value: "" }] as const;
      const { campaign } = await w.draft({ filter });
      const left = async () => [
        await w.count("recipient", needed.campaign),
        await w.count("recipient", other.campaign),
      ];
      await sql(`UPDATE mailing SET state = 'paused' WHERE campaign_id = ${campaign}`);
      await purge(store, NOW);
      assert.deepEqual(await left(), [1, 0]);
      const { campaigns } = await store.mailings.knownToFilter({ account: w.account, filter });
      assert.deepEqual([...campaigns], [needed.campaign]);
      await sql(`UPDATE mailing SET state = 'draft' WHERE campaign_id = ${campaign}`);
      await purge(store, NOW);
      assert.deepEqual(await left(), [0, 0]);
    });

    test("a campaign is deleted as a draft or after its end, and stays otherwise", async () => {
      const w = await newWorld(store, sql);
      const { account } = w;
      for (const state of mailingStates) {
        const { campaign: id } = await w.draft();
        await sql(`UPDATE mailing SET state = '${state}' WHERE campaign_id = ${id}`);
        const deleted = await store.campaigns.delete({ account, id, at: NOW, lease: leaseAt(NOW) });
        assert.ok(deleted);
        assert.equal("mailing" in deleted, !isDeletable(state), state);
        assert.equal((await store.campaigns.byId({ account, id })) === null, isDeletable(state), state);
      }
    });

    test("a deleted campaign takes its content and its whole ledger with it, in batches", async () => {
      const w = await newWorld(store, sql);
      const { account, campaign: id } = await filled(w, 2 * STEP + 1);
      const kept = await filled(w, 1);
      const deleted = await store.campaigns.delete({ account, id, at: NOW, lease: leaseAt(NOW) });
      assert.ok(deleted && "job" in deleted && deleted.job);
      assert.equal(await w.count("recipient", id), STEP + 1, "a batch is bounded");
      assert.equal(await finish(store, deleted.job, NOW), 2);
      for (const table of tables) {
        assert.equal(await w.count(table, id), 0, table);
        assert.equal(await w.count(table, kept.campaign), 1, table);
      }
    });

    test("a deleted account stops sending at once, and takes every ledger with it", async () => {
      const w = await newWorld(store, sql);
      const { account } = w;
      const [running, ended] = [await w.draft(), await filled(w, STEP + 1)];
      await w.ledger(running, "sending", [[1, "queued"]]);
      const begun = await store.accounts.delete({ account, at: NOW, lease: leaseAt(NOW) });
      assert.ok(begun);
      const [row] = await sql(`SELECT state FROM mailing WHERE campaign_id = ${running.campaign}`);
      assert.equal(row?.state, "cancelled");
      await deleteAccount(store, { account, at: NOW });
      for (const table of tables)
        for (const { campaign } of [running, ended]) assert.equal(await w.count(table, campaign), 0, table);
    });
  });
}
