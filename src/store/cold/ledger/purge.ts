/**
 * Deletes the rows of ledgers that are older than they are kept, in batches; the counters of their mailings
 * stay. Also deletes counts of what was handed over in periods that are over.
 */

import { DAY_MS } from "#domain/calendar.ts";
import { oldPeriods, TEST_SCOPE } from "#domain/sending/delivery.ts";
import { endedStates } from "#domain/sending/mailing.ts";
import { STEP } from "../../writes/step-limits.ts";
import type { Db } from "../kit/db.ts";
import type { Dialect } from "../kit/dialect.ts";
import { change, integer, statement } from "../kit/statement.ts";
import { campaignWithLedger } from "../sending/needed.ts";

/** One that was cancelled keeps the time of that while a retry sends it again. */
const HAS_ENDED = `state IN (${endedStates.map((state) => `'${state}'`).join(", ")})`;
const nextMailing = statement(
  { account: integer, campaign: integer },
  `SELECT account_id AS account, campaign_id AS campaign
   FROM mailing
   WHERE ended_at IS NOT NULL AND purged_at IS NULL AND ended_at < $1 AND ${HAS_ENDED}
   ORDER BY ended_at, campaign_id
   LIMIT 1 OFFSET $2`,
);
/** Under the lock of the account it is not started again. */
const isStillOver = statement(
  { id: integer },
  ({ lockRows }) => `
   SELECT campaign_id AS id
   FROM mailing AS m
   WHERE account_id = $1 AND campaign_id = $2 AND ended_at < $3 AND ${HAS_ENDED}
   ${lockRows("m")}`,
);
const someOf = (table: string) =>
  change(
    `DELETE FROM ${table}
     WHERE account_id = $1 AND campaign_id = $2 AND subscriber_id IN (
       SELECT subscriber_id
       FROM ${table}
       WHERE account_id = $1 AND campaign_id = $2
       ORDER BY subscriber_id
       LIMIT $3 + 0
     )`,
  );
export const dropSomeRetries = someOf("recipient_retry");
const drops = [dropSomeRetries, ...["recipient_reply", "recipient_earlier", "recipient"].map(someOf)];
export const dropBatches = change("DELETE FROM delivery_batch WHERE account_id = $1 AND campaign_id = $2");
/** From now on nobody can tell from the rows who got it. No process takes recipients of what has ended. */
export const PURGING = -1;
const markPurging = change(
  `UPDATE mailing SET taken_up_to = ${PURGING}
   WHERE account_id = $1 AND campaign_id = $2 AND taken_up_to <> ${PURGING}`,
);
const setPurged = change("UPDATE mailing SET purged_at = $3 WHERE account_id = $1 AND campaign_id = $2");

const key = ({ keysHaveAccount }: Dialect): string =>
  `${keysHaveAccount ? "account_id, " : ""}sender_id, scope, period`;
const dropCounts = change(
  (dialect) => `
   DELETE FROM handed_over
   WHERE (${key(dialect)}) IN (
     SELECT ${key(dialect)}
     FROM handed_over
     WHERE period < CASE scope
       WHEN 'second' THEN CAST($1 AS bigint)
       WHEN 'day' THEN CAST($2 AS bigint)
       WHEN '${TEST_SCOPE}' THEN CAST($3 AS bigint)
       ELSE CAST($4 AS bigint)
     END
     LIMIT $5 + 0
   )`,
);

/**
 * One step, which passes the first `passed` ledgers: the filter of a campaign that is scheduled or under way
 * needs them. Returns how many the next step passes; null: nothing is left.
 */
export async function purgeLedger(
  db: Db,
  now: number,
  passed: number,
  ledgerDays: number,
): Promise<number | null> {
  const before = now - ledgerDays * DAY_MS;
  const mailing = await db.get(nextMailing, before, passed);
  if (mailing === null) return (await purgeCounts(db, now)) ? passed : null;
  const { account, campaign } = mailing;
  await db.lockAccount(account);
  if ((await db.get(isStillOver, account, campaign, before)) === null) return passed;
  if ((await campaignWithLedger(db, account, campaign)) !== null) return passed + 1;
  await db.run(markPurging, account, campaign);
  for (const drop of drops) if ((await db.run(drop, account, campaign, STEP)) === STEP) return passed;
  await db.run(dropBatches, account, campaign);
  await db.run(setPurged, account, campaign, now);
  return passed;
}

async function purgeCounts(db: Db, now: number): Promise<boolean> {
  const { second, day, testHour, domain } = oldPeriods(now);
  return (await db.run(dropCounts, second, day, testHour, domain, STEP)) === STEP;
}
