/**
 * Batches: the recipients that one process is sending to, under a lease. A member leaves the batch when its
 * result is stored, and the batch ends with its last member. The mailing must be locked, except to extend.
 */
import type { AccountId } from "#domain/account.ts";
import type { BatchId, Ledger } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import { type Attempts, noAttempts } from "#domain/sending/delivery.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import type { Db, Saves } from "../kit/db.ts";
import { change, integer, json, nullable, type RowOf, statement, text } from "../kit/statement.ts";

/**
 * Consecutive subscribers without earlier attempts, or one with them. The row is written with every group of
 * messages, so it must be short.
 */
type StoredMembers =
  | readonly [first: SubscriberId, last: SubscriberId]
  | readonly [id: SubscriberId, attempts: number, since: number];
export type Members = Map<SubscriberId, Attempts>;

/** No lease is given for so long. A lease that ends much later was given by a clock that was wrong. */
const LONGEST_LEASE_MS = 600_000;

const batch = {
  id: integer,
  owner: text,
  leasedUntil: integer,
  members: json<readonly StoredMembers[]>(),
  /**
   * How many results the mailing had when the batch was taken over from a process that died; null: it was
   * not, or has had a result since.
   */
  resultsBefore: nullable(integer),
};
const BATCH = `id, owner, leased_until AS "leasedUntil", members, results_before AS "resultsBefore"`;
const byId = statement(
  batch,
  `SELECT ${BATCH} FROM delivery_batch WHERE account_id = $1 AND campaign_id = $2 AND id = $3`,
);
const hasExpired = (now: string): string =>
  `(leased_until <= ${now} OR leased_until > ${now} + ${LONGEST_LEASE_MS})`;
const expired = statement(
  batch,
  `SELECT ${BATCH}
   FROM delivery_batch
   WHERE account_id = $1 AND campaign_id = $2 AND ${hasExpired("$3")}
   ORDER BY id
   LIMIT 1`,
);
/** Reads all batches: only campaigns that are being sent have any. */
const unattended = statement(
  { account: integer, campaign: integer },
  ({ lookUp }) => `
   SELECT DISTINCT b.account_id AS account, b.campaign_id AS campaign
   FROM delivery_batch AS b
   ${lookUp("mailing", "m", "m.account_id = b.account_id AND m.campaign_id = b.campaign_id")}
   WHERE ${hasExpired("$1")} AND m.state <> 'sending'`,
);
const some = statement(
  { id: integer },
  "SELECT id FROM delivery_batch WHERE account_id = $1 AND campaign_id = $2 ORDER BY id LIMIT 1",
);
const oldest = statement(
  { members: batch.members },
  "SELECT members FROM delivery_batch WHERE account_id = $1 AND campaign_id = $2 ORDER BY id LIMIT 4",
);
const insert = statement(
  { id: integer },
  `INSERT INTO delivery_batch (account_id, campaign_id, owner, leased_until, members, results_before)
   VALUES ($1, $2, $3, $4, $5, $6)
   RETURNING id`,
);
const update = change(
  `UPDATE delivery_batch SET leased_until = $3, members = $4, results_before = $5
   WHERE account_id = $1 AND id = $2`,
);
const drop = change("DELETE FROM delivery_batch WHERE account_id = $1 AND id = $2");
const extend = change(
  ({ isIn }) => `
   UPDATE delivery_batch SET leased_until = $3
   WHERE owner = $1 AND ${isIn("id", "$4")} AND leased_until > $2 AND leased_until < $3`,
);

export interface BatchRow extends Omit<RowOf<typeof batch>, "members"> {
  readonly members: Members;
}
const toBatch = (row: RowOf<typeof batch> | null): BatchRow | null =>
  row === null ? null : { ...row, members: toMembers(row.members) };

function toMembers(stored: readonly StoredMembers[]): Members {
  const members: Members = new Map();
  for (const [first, lastOrAttempts, since] of stored) {
    if (since !== undefined) members.set(first, { attempts: lastOrAttempts, since });
    else for (let id = first; id <= lastOrAttempts; id += 1) members.set(id, noAttempts);
  }
  return members;
}

function membersText(members: Members): string {
  const stored: StoredMembers[] = [];
  let run: [first: SubscriberId, last: SubscriberId] | null = null;
  for (const [id, { attempts, since }] of members) {
    if (attempts > 0 || since > 0) {
      stored.push([id, attempts, since]);
      run = null;
    } else if (run !== null && id === run[1] + 1) run[1] = id;
    else {
      run = [id, id];
      stored.push(run);
    }
  }
  return JSON.stringify(stored);
}

export const findBatch = async (db: Db, { account, campaign }: OfMailing, id: BatchId) =>
  toBatch(await db.get(byId, account, campaign, id));

export const expiredBatch = async (db: Db, { account, campaign }: OfMailing, now: number) =>
  toBatch(await db.get(expired, account, campaign, now));

/** Mailings that are not being sent, and have a batch that has expired. */
export const unattendedMailings = (db: Db, now: number) => db.all(unattended, now);

export const hasBatch = async (db: Db, { account, campaign }: OfMailing): Promise<boolean> =>
  (await db.get(some, account, campaign)) !== null;

/** Of some batches, which may have expired. Locks nothing. */
export const someMembers = async (db: Db, { account, campaign }: OfMailing) =>
  (await db.all(oldest, account, campaign)).flatMap(({ members }) => [...toMembers(members).keys()]);

export const insertBatch = async (
  db: Db,
  { account, campaign }: OfMailing,
  { owner, until }: { readonly owner: string; readonly until: number },
  members: Members,
  resultsBefore: number | null,
) => (await db.one(insert, account, campaign, owner, until, membersText(members), resultsBefore)).id;

export const dropBatch = (db: Saves, account: AccountId, id: BatchId) => db.run(drop, account, id);

/** Ends the batch if no member is left. */
export const saveBatch = (
  db: Saves,
  account: AccountId,
  { id, leasedUntil, members, resultsBefore }: BatchRow,
): Promise<unknown> =>
  members.size === 0
    ? dropBatch(db, account, id)
    : db.run(update, account, id, leasedUntil, membersText(members), resultsBefore);

export const extendLeases = (db: Db, { owner, batches, now, until }: Parameters<Ledger["extend"]>[0]) =>
  db.run(extend, owner, now, until, batches);
