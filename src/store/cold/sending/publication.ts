/**
 * A campaign becomes visible to all callers with its first result: a recipient has the message, may have it,
 * or was refused by the relay. An attempt alone publishes nothing: while the relay is away, nothing was
 * delivered. But the lists are stored with the first attempt, so that its recipient can leave them without
 * delay.
 */
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import type { Db } from "../kit/db.ts";
import type { Dialect } from "../kit/dialect.ts";
import { boolean, change, statement } from "../kit/statement.ts";

/** Whether a column has the id of one of these lists. `$1` is the account; `campaign` is a parameter, too. */
export const isListOf = (
  { isInJson }: Dialect,
  column: string,
  lists: "included_lists" | "excluded_lists",
  campaign: string,
): string =>
  isInJson(
    column,
    `(SELECT ${lists} FROM campaign_content WHERE account_id = $1 AND campaign_id = ${campaign})`,
  );

const drafts = statement(
  { isDraft: boolean },
  'SELECT is_draft AS "isDraft" FROM campaign WHERE account_id = $1 AND id = $2 AND NOT is_deleting',
);
/**
 * Returns whether it is a draft, and then locks the account. To be called before the mailing is locked, if a
 * result may be stored: publishing needs both locks, in this order. What is visible stays so, and most
 * results need no such lock.
 */
export async function lockIfDraft(db: Db, { account, campaign }: OfMailing): Promise<boolean> {
  const isDraft = (await db.get(drafts, account, campaign))?.isDraft === true;
  if (isDraft) await db.lockAccount(account);
  return isDraft;
}

const publish = change(
  "UPDATE campaign SET sent_at = $3, is_draft = false WHERE account_id = $1 AND id = $2 AND is_draft",
);
const insertLists = change(
  (dialect) => `
   INSERT INTO campaign_list (account_id, campaign_id, list_id, name, list_created_at)
   SELECT account_id, $2, id, name, created_at
   FROM list
   WHERE account_id = $1 AND ${isListOf(dialect, "id", "included_lists", "$2")}
   ON CONFLICT DO NOTHING`,
);
/** With the names that they have now. The account must be locked. */
export const storeLists = (db: Db, { account, campaign }: OfMailing): Promise<number> =>
  db.run(insertLists, account, campaign);

/** If it is a draft, the account must be locked. */
export const publishDraft = (db: Db, { account, campaign, now }: OfMailing & { readonly now: number }) =>
  db.run(publish, account, campaign, now);
