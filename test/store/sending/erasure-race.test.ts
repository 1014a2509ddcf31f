/** A result that is stored while its recipient is being erased, on PostgreSQL: SQLite has one writer. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { PostgresStore } from "#store/postgres/store.ts";
import { sharedPostgres } from "../../shared-postgres.ts";
import { addressOf, NOW } from "../actor.ts";
import { batchOf, sentCampaign } from "./sent-campaign.ts";
import { postgresSql } from "./world.ts";

const ADA = "ada@example.org";
const server = await sharedPostgres();
const url = await server.newDatabase();
const store = await PostgresStore.open(url, { days: 90, rows: 100_000, bytes: 2 ** 28 });
const [rival, observer] = [await postgresSql(url), await postgresSql(url)];
after(async () => {
  await Promise.all([rival.end(), observer.end()]);
  await store.close();
});

const isWaiting = async (): Promise<boolean> =>
  (
    await observer.sql(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
  ).length > 0;

test("an erasure waits for a result that is being stored, and deletes its words", async () => {
  const c = await sentCampaign(store, [ADA]);
  const one = c.node("one");
  const batch = batchOf(await one.take());
  await one.start(batch, [ADA]);
  await rival.sql("BEGIN");
  await rival.sql(`SELECT state FROM mailing WHERE campaign_id = ${c.campaign} FOR UPDATE`);
  const erasing = store.subscribers.erase({ account: c.account, address: addressOf(ADA), at: NOW });
  for (let polls = 0; polls < 100 && !(await isWaiting()); polls += 1) await setTimeout(20);
  await rival.sql(
    `INSERT INTO recipient_reply (account_id, campaign_id, subscriber_id, reply)
     SELECT account_id, campaign_id, subscriber_id, '550 ${ADA} is full' FROM recipient
     WHERE campaign_id = ${c.campaign}`,
  );
  await rival.sql("COMMIT");
  await erasing;
  assert.deepEqual(await observer.sql("SELECT reply FROM recipient_reply"), []);
});
