/** Reads a ledger in parts: no index leads to the rows in a state. */
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import type { Db } from "../kit/db.ts";
import { integer, statement } from "../kit/statement.ts";

/** The most rows that one statement reads to find rows in a state. */
const VISITS = 5000;
const last = statement(
  { id: integer },
  `SELECT subscriber_id AS id
   FROM recipient
   WHERE account_id = $1 AND campaign_id = $2 AND subscriber_id > $3
   ORDER BY subscriber_id
   LIMIT 1 OFFSET $4`,
);
/** The last of the next rows after one, in order of id. null: there are fewer than `most`. */
export const lastVisited = async (
  db: Db,
  { account, campaign }: OfMailing,
  after: SubscriberId,
  most = VISITS,
) => (await db.get(last, account, campaign, after, most - 1))?.id ?? null;
