/** Bounds how many rows of a ledger one statement reads: no index leads to those in a state. */
import type { OfMailing } from "../../../domain/ports/sending/mailings.ts";
import type { SubscriberId } from "../../../domain/subscriber/subscriber.ts";
import type { Db } from "../kit/db.ts";
import { integer, statement } from "../kit/statement.ts";

/** The most rows that one statement reads. */
const VISITS = 5000;
const last = statement(
  { id: integer },
  `SELECT subscriber_id AS id
   FROM recipient
   WHERE account_id = $1 AND campaign_id = $2 AND subscriber_id > $3
   ORDER BY subscriber_id
   LIMIT 1 OFFSET $4`,
);
/** The last row to read after one, in order of id. null: all that are left can be read. */
export const lastVisited = async (
  db: Db,
  { account, campaign }: OfMailing,
  after: SubscriberId,
): Promise<SubscriberId | null> => (await db.get(last, account, campaign, after, VISITS - 1))?.id ?? null;
