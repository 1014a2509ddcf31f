/** Drops refused calls whose retention time is over, in batches of one account each. */
import type { AccountId } from "#domain/account.ts";
import { keptSince, type Retention } from "#domain/refusal.ts";
import { STEP } from "../../writes/step.ts";
import type { Db } from "../kit/db.ts";
import { integer, statement } from "../kit/statement.ts";
import { uncount } from "../refusals/refusals.ts";

/** The most text that one transaction drops. */
const BATCH_BYTES = 4 * 2 ** 20;

const nextAccount = statement(
  { id: integer },
  `SELECT a.id
   FROM account AS a
   WHERE a.id > $1 AND EXISTS (SELECT 1 FROM refused AS r WHERE r.account_id = a.id AND r.last_at < $2)
   ORDER BY a.id
   LIMIT 1`,
);
const drop = statement(
  { bytes: integer },
  `DELETE FROM refused
   WHERE account_id = $1 AND id IN (
     SELECT id
     FROM (
       SELECT id, sum(bytes) OVER (ORDER BY last_at, id) - bytes AS bytes_before
       FROM (
         SELECT id, last_at, octet_length(args) AS bytes
         FROM refused
         WHERE account_id = $1 AND last_at < $2
         ORDER BY last_at, id
         LIMIT $3
       ) AS oldest
     ) AS summed
     WHERE bytes_before < $4
   )
   RETURNING octet_length(args) AS bytes`,
);

/** Drops the oldest refused calls of an account, whose counters change. Returns how many. */
export async function dropRefusals(db: Db, account: AccountId, before: number): Promise<number> {
  const dropped = await db.all(drop, account, before, STEP, BATCH_BYTES);
  await uncount(db, account, dropped);
  return dropped.length;
}

/** Returns the last account that is finished; null if all are. */
export async function purgeRefusals(
  db: Db,
  now: number,
  retention: Retention,
  after: AccountId,
): Promise<AccountId | null> {
  const before = keptSince(now, retention);
  const account = await db.get(nextAccount, after, before);
  if (account === null) return null;
  await db.lockAccount(account.id);
  await dropRefusals(db, account.id, before);
  return account.id - 1;
}
