/** Campaigns and the lists they were sent to. */
import type { Campaign, TargetedList } from "../../domain/campaign.ts";
import type { List } from "../../domain/list.ts";
import type { Listings, Reads, Writes } from "../../domain/ports.ts";
import { type Cursor, type Page, pageOf } from "../paging.ts";
import { CAMPAIGN } from "../rows.ts";
import type { Connection } from "./sessions/connection.ts";

export async function recordCampaign(
  db: Connection,
  { account, name, lists, createdAt, sentAt }: Writes["recordCampaign"]["args"],
): Promise<Writes["recordCampaign"]["result"]> {
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
  { account, id }: Reads["campaign"]["args"],
): Promise<Campaign | null> =>
  (await db.get<Campaign>(
    `SELECT ${CAMPAIGN} FROM campaign WHERE account_id = $1 AND id = $2`,
    account,
    id,
  )) ?? null;

export const lastSentCampaign = async (
  db: Connection,
  { account }: Reads["lastSentCampaign"]["args"],
): Promise<Campaign | null> =>
  (await db.get<Campaign>(
    `SELECT ${CAMPAIGN} FROM campaign WHERE account_id = $1 AND sent_at IS NOT NULL ORDER BY sent_at DESC, id DESC LIMIT 1`,
    account,
  )) ?? null;

export const targetedLists = async (
  db: Connection,
  { account, campaign }: Listings["targetedLists"]["args"],
  after: Cursor | null,
  size: number,
): Promise<Page<TargetedList, Cursor>> =>
  pageOf(
    await db.all<TargetedList>(
      'SELECT c.list_id AS id, c.name, c.list_created_at AS "createdAt", coalesce(l.member_count, 0) AS members FROM campaign_list AS c LEFT JOIN list AS l ON l.account_id = c.account_id AND l.id = c.list_id WHERE c.account_id = $1 AND c.campaign_id = $2 AND c.list_id > $3 ORDER BY c.list_id LIMIT $4',
      account,
      campaign,
      after?.[1] ?? 0,
      size,
    ),
    size,
    (row) => [0, row.id],
  );

export async function campaigns(
  db: Connection,
  { account }: Listings["campaigns"]["args"],
  after: Cursor | null,
  size: number,
): Promise<Page<Campaign, Cursor>> {
  const [time, id] = after ?? [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const rows = await db.all<Campaign>(
    `SELECT ${CAMPAIGN} FROM campaign WHERE account_id = $1 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4`,
    account,
    time,
    id,
    size,
  );
  return pageOf(rows, size, (row) => [row.createdAt, row.id]);
}
