/** Reads a ledger in parts: no index leads to the rows in a state. */
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import type { Db } from "../kit/db.ts";
import { integer, statement } from "../kit/statement.ts";

/** The most rows that one statement reads to find rows in a state. */
const VISITS = 5000;
/** The row of a table that is so many rows after a subscriber, in order of id. */
export const rowAfter = (table: string, of: string) =>
  statement(
    { id: integer },
    `SELECT subscriber_id AS id
     FROM ${table}
     WHERE account_id = $1 AND ${of} = $2 AND subscriber_id > $3
     ORDER BY subscriber_id
     LIMIT 1 OFFSET $4`,
  );
const last = rowAfter("recipient", "campaign_id");
/** The last of the next rows after one, in order of id. null: there are fewer than `most`. */
export const lastVisited = async (
  db: Db,
  { account, campaign }: OfMailing,
  after: SubscriberId,
  most = VISITS,
) => (await db.get(last, account, campaign, after, most - 1))?.id ?? null;
