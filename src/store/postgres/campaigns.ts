/** Campaigns and the lists they were sent to. */
import type { Campaign } from "../../domain/campaign.ts";
import type { List } from "../../domain/list.ts";
import type { Args, Result } from "../methods.ts";
import { CAMPAIGN } from "../rows.ts";
import type { Connection } from "./sessions/connection.ts";

export async function recordCampaign(
  db: Connection,
  { account, name, lists, createdAt, sentAt }: Args<"campaigns.record">,
): Promise<Result<"campaigns.record">> {
  const found = await db.all<Pick<List, "id">>(
    "SELECT id FROM list WHERE account_id = $1 AND id = ANY ($2::bigint[])",
    account,
    lists,
  );
  const ids = new Set(found.map(({ id }) => id));
  const unknownList = lists.find((id) => !ids.has(id));
  if (unknownList !== undefined) return { unknownList };
  const campaign = await db.get<Campaign>(
    `INSERT INTO campaign (account_id, name, created_at, sent_at) VALUES ($1, $2, $3, $4) RETURNING ${CAMPAIGN}`,
    account,
    name,
    createdAt,
    sentAt,
  );
  if (campaign === undefined) throw new Error("no row returned for a new campaign");
  await db.run(
    "INSERT INTO campaign_list (account_id, campaign_id, list_id, name, list_created_at) SELECT account_id, $2, id, name, created_at FROM list WHERE account_id = $1 AND id = ANY ($3::bigint[])",
    account,
    campaign.id,
    lists,
  );
  return campaign;
}

export const campaign = async (
  db: Connection,
  { account, id }: Args<"campaigns.byId">,
): Promise<Campaign | null> =>
  (await db.get<Campaign>(
    `SELECT ${CAMPAIGN} FROM campaign WHERE account_id = $1 AND id = $2`,
    account,
    id,
  )) ?? null;

export const lastSentCampaign = async (
  db: Connection,
  { account }: Args<"campaigns.lastSent">,
): Promise<Campaign | null> =>
  (await db.get<Campaign>(
    `SELECT ${CAMPAIGN} FROM campaign WHERE account_id = $1 AND sent_at IS NOT NULL ORDER BY sent_at DESC, id DESC LIMIT 1`,
    account,
  )) ?? null;
