/** Campaigns and the lists they were sent to. */
import type { Campaign } from "../../domain/campaign.ts";
import type { List } from "../../domain/list.ts";
import type { Args, Result } from "../methods.ts";
import { CAMPAIGN } from "../rows.ts";
import type { Connection } from "./connection.ts";

export function recordCampaign(
  db: Connection,
  { account, name, lists, createdAt, sentAt }: Args<"campaigns.record">,
): Result<"campaigns.record"> {
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

export const campaign = (db: Connection, { account, id }: Args<"campaigns.byId">): Campaign | null =>
  db.get<Campaign>(`SELECT ${CAMPAIGN} FROM campaign WHERE id = ? AND account_id = ?`, id, account) ?? null;

export const lastSentCampaign = (db: Connection, { account }: Args<"campaigns.lastSent">): Campaign | null =>
  db.get<Campaign>(
    `SELECT ${CAMPAIGN} FROM campaign WHERE account_id = ? AND sent_at IS NOT NULL ORDER BY sent_at DESC, id DESC LIMIT 1`,
    account,
  ) ?? null;
