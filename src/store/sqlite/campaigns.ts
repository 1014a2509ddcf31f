/** Campaigns and the lists they were sent to. */
import type { Campaign, TargetedList } from "../../domain/campaign.ts";
import type { List } from "../../domain/list.ts";
import type { Listings, Reads, Writes } from "../../domain/ports.ts";
import { type Cursor, type Page, pageOf } from "../paging.ts";
import { CAMPAIGN } from "../rows.ts";
import type { Connection } from "./connection.ts";
import { afterCursor } from "./keyset.ts";

export function recordCampaign(
  db: Connection,
  { account, name, lists, createdAt, sentAt }: Writes["recordCampaign"]["args"],
): Writes["recordCampaign"]["result"] {
  const targeted: List[] = [];
  for (const id of new Set(lists)) {
    const list = db.get<List>(
      "SELECT id, name, created_at AS createdAt FROM list WHERE id = ? AND account_id = ?",
      id,
      account,
    );
    if (list === undefined) return { unknownList: id };
    targeted.push(list);
  }
  const id = db.insert(
    "INSERT INTO campaign (account_id, name, created_at, sent_at) VALUES (?, ?, ?, ?)",
    account,
    name,
    createdAt,
    sentAt,
  );
  for (const list of targeted)
    db.run(
      "INSERT INTO campaign_list (account_id, campaign_id, list_id, name, list_created_at) VALUES (?, ?, ?, ?, ?)",
      account,
      id,
      list.id,
      list.name,
      list.createdAt,
    );
  return { id, name, createdAt, sentAt };
}

export const campaign = (db: Connection, { account, id }: Reads["campaign"]["args"]): Campaign | null =>
  db.get<Campaign>(`SELECT ${CAMPAIGN} FROM campaign WHERE id = ? AND account_id = ?`, id, account) ?? null;

export const lastSentCampaign = (
  db: Connection,
  { account }: Reads["lastSentCampaign"]["args"],
): Campaign | null =>
  db.get<Campaign>(
    `SELECT ${CAMPAIGN} FROM campaign WHERE account_id = ? AND sent_at IS NOT NULL ORDER BY sent_at DESC, id DESC LIMIT 1`,
    account,
  ) ?? null;

export const targetedLists = (
  db: Connection,
  { account, campaign }: Listings["targetedLists"]["args"],
  after: Cursor | null,
  size: number,
): Page<TargetedList, Cursor> =>
  pageOf(
    db.all<TargetedList>(
      `SELECT c.list_id AS id, c.name, c.list_created_at AS createdAt, coalesce(l.member_count, 0) AS members FROM campaign_list AS c LEFT JOIN list AS l ON l.id = c.list_id WHERE c.account_id = ? AND c.campaign_id = ? AND c.list_id > ? ORDER BY c.list_id LIMIT ${size}`,
      account,
      campaign,
      after?.[1] ?? 0,
    ),
    size,
    (row) => [0, row.id],
  );

const CAMPAIGNS = afterCursor(
  (condition) => `SELECT ${CAMPAIGN} FROM campaign WHERE account_id = ?1 AND ${condition}`,
  { time: ["created_at", "?2"], id: ["id", "?3"], comes: "earlier" },
);
export function campaigns(
  db: Connection,
  { account }: Listings["campaigns"]["args"],
  after: Cursor | null,
  size: number,
): Page<Campaign, Cursor> {
  const [time, id] = after ?? [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const rows = db.all<Campaign>(
    `${CAMPAIGNS} ORDER BY "createdAt" DESC, id DESC LIMIT ${size}`,
    account,
    time,
    id,
  );
  return pageOf(rows, size, (row) => [row.createdAt, row.id]);
}
