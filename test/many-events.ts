/** Many events of a campaign, written into a SQLite file that a store may have open. */
import { DatabaseSync } from "node:sqlite";
import type { CampaignEvent } from "#domain/campaign.ts";
import { storedEvent } from "#store/reads/event-row.ts";

/** Each event has a subscriber of its own, who is not stored. */
export function writeEvents(
  file: string,
  { campaign, event, count, at }: { campaign: number; event: CampaignEvent; count: number; at: number },
): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database
    .prepare(
      `WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ?1)
       INSERT INTO campaign_event (
         account_id, campaign_id, event, subscriber_id, at, joined_at, address, first_name, last_name
       )
       SELECT 1, ?2, ?3, 1000000 + n, ?4 + n, ?4, 'p' || n || '@example.org', '', '' FROM s`,
    )
    .run(count, campaign, storedEvent[event], at);
  database.close();
}
