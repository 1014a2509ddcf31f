/**
 * How many campaigns name a list. No index leads from a list to its campaigns, so those of the account
 * are walked, and each is looked up together with the list: a bounded number of them, the newest first.
 */
import type { ListId } from "#domain/list.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import type { ListDeletion } from "#domain/ports/lists.ts";
import type { Db } from "./kit/db.ts";
import { LIST, list } from "./kit/list-row.ts";
import { integer, statement } from "./kit/statement.ts";
import { campaignThatNeeds } from "./sending/needed-lists.ts";

/** The most campaigns that are looked at. */
export const MAX_CAMPAIGNS = 10_000;

const byId = statement(list, `SELECT ${LIST} FROM list WHERE account_id = $1 AND id = $2`);
const countCampaigns = statement(
  { visited: integer, campaigns: integer },
  ({ lookUp }) => `
   SELECT
     (SELECT count(*) FROM (
       SELECT id FROM campaign WHERE account_id = $1 ORDER BY created_at DESC, id DESC LIMIT $3 + 1
     ) AS v) AS visited,
     (SELECT count(*) FROM (
       SELECT id FROM campaign WHERE account_id = $1 ORDER BY created_at DESC, id DESC LIMIT $3 + 0
     ) AS c ${lookUp("campaign_list", "l", "l.account_id = $1 AND l.campaign_id = c.id AND l.list_id = $2")}
     ) AS campaigns`,
);

export async function listDeletion(
  db: Db,
  { account, id }: OfAccount & { readonly id: ListId },
  most = MAX_CAMPAIGNS,
): Promise<ListDeletion | null> {
  const found = await db.get(byId, account, id);
  if (found === null) return null;
  const { visited, campaigns } = await db.one(countCampaigns, account, id, most);
  const neededBy = await campaignThatNeeds(db, { account, id });
  return { list: found, campaigns, hasMoreCampaigns: visited > most, neededBy };
}
