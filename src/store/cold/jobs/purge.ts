/**
 * The periodic job that deletes what is older than it is kept, item by item of a list, each in bounded steps.
 */
import type { KeyId } from "#domain/access/key.ts";
import type { AccountId } from "#domain/account.ts";
import { dayOf } from "#domain/calendar.ts";
import { IDEMPOTENCY_MS } from "#domain/idempotency.ts";
import { KEPT_JOB_MS } from "#domain/job/job.ts";
import type { JobKinds } from "#domain/job/kinds.ts";
import { keptSince, type Retention } from "#domain/refused-call.ts";
import { CALLS_KEPT_DAYS } from "#domain/statistics.ts";
import { STEP } from "../../writes/step-limits.ts";
import { purgeKeys } from "../idempotency.ts";
import type { Db } from "../kit/db.ts";
import type { Context } from "../kit/feature.ts";
import { change, integer, statement } from "../kit/statement.ts";
import { purgeLedger } from "../ledger/purge.ts";
import { uncount } from "../refused-calls/refused-calls.ts";
import { purgePaces } from "../sending/paces.ts";
import { purgeEvents } from "../sending/webhooks.ts";
import { purgeUploads } from "../uploads.ts";
import { purgeSessions } from "../users/sessions.ts";

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
const dropRefused = statement(
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
  const dropped = await db.all(dropRefused, account, before, STEP, BATCH_BYTES);
  await uncount(db, account, dropped);
  return dropped.length;
}

/** Returns the last account that is finished; null if all are. */
async function purgeRefusals(db: Db, now: number, retention: Retention, after: AccountId) {
  const before = keptSince(now, retention);
  const account = await db.get(nextAccount, after, before);
  if (account === null) return null;
  await db.lockAccount(account.id);
  await dropRefusals(db, account.id, before);
  return account.id - 1;
}

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
const dropCalls = change(
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
async function purgeCalls(db: Db, now: number, after: KeyId): Promise<KeyId | null> {
  const before = dayOf(now) - CALLS_KEPT_DAYS;
  const key = await db.get(nextKey, after, before);
  if (key === null) return null;
  const dropped = await db.run(dropCalls, key.account, key.id, before, STEP);
  return dropped < STEP ? key.id : key.id - 1;
}

const dropEnded = change(
  `DELETE FROM job
   WHERE id IN (SELECT id FROM job WHERE ended_at IS NOT NULL AND ended_at < $1 ORDER BY ended_at LIMIT $2)`,
);

/** Does one step. Returns the position after which the next one continues; null: nothing is left. */
type Purge = (db: Db, now: number, after: number, context: Context) => Promise<number | null>;

/** For a step that finds by itself what is left. */
const again = (isLeft: boolean): number | null => (isLeft ? 0 : null);

/** In this order. The names are stored. */
const purges: Readonly<Record<string, Purge>> = {
  sessions: async (db, now) => again(await purgeSessions(db, now)),
  "idempotency keys": async (db, now) =>
    again(await purgeKeys(db, now - IDEMPOTENCY_MS, now + IDEMPOTENCY_MS)),
  "refused calls": (db, now, after, { retention }) => purgeRefusals(db, now, retention, after),
  "call statistics": (db, now, after) => purgeCalls(db, now, after),
  ledgers: (db, now, passed, { ledgerDays }) => purgeLedger(db, now, passed, ledgerDays),
  jobs: async (db, now) => again((await db.run(dropEnded, now - KEPT_JOB_MS, STEP)) === STEP),
  paces: async (db, now) => again(await purgePaces(db, now)),
  "provider events": async (db, now) => again(await purgeEvents(db, now)),
  // Last: the end of an import makes this job due, which may have begun.
  uploads: async (db, now) => again(await purgeUploads(db, now)),
};

type Progress = JobKinds["purge"]["progress"];

export async function purgeStep(
  db: Db,
  now: number,
  progress: Progress | null,
  context: Context,
): Promise<Progress | null> {
  const names = Object.keys(purges);
  const [first = ""] = names;
  const { of, after } = progress ?? { of: first, after: 0 };
  const purge = purges[of];
  // Stored by a version that has another list.
  if (purge === undefined) return { of: first, after: 0 };
  const position = await purge(db, now, after, context);
  if (position !== null) return { of, after: position };
  const next = names[names.indexOf(of) + 1];
  return next === undefined ? null : { of: next, after: 0 };
}
