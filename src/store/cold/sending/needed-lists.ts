/**
 * Which campaign needs a list: one that is scheduled or under way, and includes or excludes it. There are few
 * such campaigns at a time, and an index of them; the lists of each are read.
 */
import type { Campaign } from "#domain/campaign.ts";
import type { ListId } from "#domain/list.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import { mailingStates, needsLists } from "#domain/sending/mailing.ts";
import { campaign } from "#store/tables/entities.ts";
import type { Db } from "../kit/db.ts";
import { byIdOf } from "../kit/of-account.ts";
import { integer, json, statement } from "../kit/statement.ts";

/** As in the index `mailing_unended`. */
const NEEDING = mailingStates
  .filter(needsLists)
  .map((state) => `'${state}'`)
  .join(", ");
const unended = statement(
  {
    id: integer,
    lists: json<readonly ListId[]>(),
    excludedLists: json<readonly ListId[]>(),
  },
  ({ lookUp }) => `
   SELECT m.campaign_id AS id, c.included_lists AS lists, c.excluded_lists AS "excludedLists"
   FROM mailing AS m
   ${lookUp("campaign_content", "c", "c.account_id = m.account_id AND c.campaign_id = m.campaign_id")}
   WHERE m.account_id = $1 AND m.state IN (${NEEDING})
   ORDER BY m.campaign_id`,
);
const byId = byIdOf(campaign);

/** The first of them; null: none. */
export async function campaignThatNeeds(
  db: Db,
  { account, id }: OfAccount & { readonly id: ListId },
): Promise<Campaign | null> {
  const found = (await db.all(unended, account)).find(({ lists, excludedLists }) =>
    [...lists, ...excludedLists].includes(id),
  );
  return found === undefined ? null : await db.get(byId, account, found.id);
}
