/** Drops days of calls that are older than they are kept, in batches of one key each. */
import type { KeyId } from "#domain/access/key.ts";
import { dayOf } from "#domain/calendar.ts";
import { CALLS_KEPT_DAYS } from "#domain/statistics.ts";
import { STEP } from "../../writes/step.ts";
import type { Db } from "../kit/db.ts";
import { change, integer, statement } from "../kit/statement.ts";

const nextKey = statement(
  { id: integer, account: integer },
  `SELECT k.id, k.account_id AS account
   FROM api_key AS k
   WHERE k.id > $1 AND EXISTS (
     SELECT 1 FROM call_day AS d WHERE d.account_id = k.account_id AND d.key_id = k.id AND d.day < $2
   )
   ORDER BY k.id
   LIMIT 1`,
);
const drop = change(
  `DELETE FROM call_day
   WHERE account_id = $1 AND key_id = $2 AND (day, program) IN (
     SELECT day, program
     FROM call_day
     WHERE account_id = $1 AND key_id = $2 AND day < $3
     ORDER BY day, program
     LIMIT $4
   )`,
);

/** Returns the last key that is finished; null if all are. */
export async function purgeCalls(db: Db, now: number, after: KeyId): Promise<KeyId | null> {
  const before = dayOf(now) - CALLS_KEPT_DAYS;
  const key = await db.get(nextKey, after, before);
  if (key === null) return null;
  const dropped = await db.run(drop, key.account, key.id, before, STEP);
  return dropped < STEP ? key.id : key.id - 1;
}
