/** Subscriber lists. */

import type { Audited } from "#domain/access/audit.ts";
import type { List, ListId, ListValues } from "#domain/list.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import type { ListDeletion, Lists } from "#domain/ports/lists.ts";
import { changeable } from "#domain/version.ts";
import { list } from "../tables/entities.ts";
import { deleteList } from "./jobs/delete-list.ts";
import { auditing } from "./kit/auditing.ts";
import type { Db } from "./kit/db.ts";
import { command, feature, read } from "./kit/feature.ts";
import { allOf, byIdOf, byName, insertOf, someOf, updateOf } from "./kit/of-account.ts";
import { boolean, change, integer, statement } from "./kit/statement.ts";
import { campaignThatNeeds } from "./sending/needed.ts";
import { members } from "./subscribers/members.ts";

// How many campaigns name a list. No index leads from a list to its campaigns, so those of the account
// are walked, and each is looked up together with the list: a bounded number of them, the newest first.

/** The most campaigns that are looked at. */
const MAX_CAMPAIGNS = 10_000;

const byId = byIdOf(list);
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

const campaignWithList = (db: Db, { account, id }: OfAccount & { readonly id: ListId }) =>
  campaignThatNeeds(db, account, ({ lists, excludedLists }) => [...lists, ...excludedLists].includes(id));

export async function listDeletion(
  db: Db,
  { account, id }: OfAccount & { readonly id: ListId },
  most = MAX_CAMPAIGNS,
): Promise<ListDeletion | null> {
  const found = await db.get(byId, account, id);
  if (found === null) return null;
  const { visited, campaigns } = await db.one(countCampaigns, account, id, most);
  const neededBy = await campaignWithList(db, { account, id });
  return { list: found, campaigns, hasMoreCampaigns: visited > most, neededBy };
}

const insert = insertOf(list, "account_id", "created_at");
const insertWithId = insertOf(list, "account_id", "created_at", "id");
const update = updateOf(list);
/** A campaign keeps the names that its lists had when it was sent. */
const renameInUnsent = change(
  `UPDATE campaign_list SET name = $3
   WHERE account_id = $1 AND list_id = $2 AND campaign_id IN (
     SELECT id FROM campaign WHERE account_id = $1 AND sent_at IS NULL AND NOT is_draft
   )`,
);
const withState = statement(
  { ...list.row, isDeleting: boolean },
  `SELECT ${list.columns}, is_deleting AS "isDeleting" FROM list WHERE account_id = $1 AND id = $2`,
);
const targeted = statement(
  { id: integer },
  "SELECT list_id AS id FROM campaign_list WHERE list_id = $1 LIMIT 1",
);

const audited = auditing<List>("list", changeable.list);

export async function insertList(
  db: Db,
  { account, at, audit, ...values }: OfAccount & Audited & ListValues & { readonly at: number },
): Promise<List> {
  const created = await db.one(insert, account, at, ...list.parameters(values));
  await audited(db, { account, audit }, created.id, null, created);
  return created;
}

export const lists = feature<Lists>({
  all: allOf(list),
  named: byName(list, { order: "id DESC", names: ["name"] }),
  some: someOf(list),
  byId: read((db, { account, id }) => db.get(byId, account, id)),
  members,
  create: command(insertList),
  adopt: command(async (db, { account, id, at, audit, ...values }) => {
    const isTaken = (await db.get(targeted, id)) !== null || !(await db.reserveId("list", id));
    if (isTaken) return null;
    const created = await db.one(insertWithId, account, at, id, ...list.parameters(values));
    await audited(db, { account, audit }, id, null, created);
    return created;
  }),
  set: command(async (db, { account, id, audit, ...changes }) => {
    const before = await db.get(byId, account, id);
    if (before === null) return null;
    const changed = await db.one(update, account, id, ...list.parameters(before, changes));
    await db.run(renameInUnsent, account, id, changed.name);
    await audited(db, { account, audit }, id, before, changed);
    return changed;
  }),
  deletion: read((db, one) => listDeletion(db, one)),
  delete: command(async (db, deletion) => {
    const before = await db.get(withState, deletion.account, deletion.id);
    const neededBy = before?.isDeleting === false ? await campaignWithList(db, deletion) : null;
    if (neededBy !== null) return { neededBy };
    const deleted = await deleteList(db, deletion);
    // An interrupted deletion that is continued has its entry already.
    if (before?.isDeleting === false) await audited(db, deletion, deletion.id, before, null);
    return deleted;
  }),
});
