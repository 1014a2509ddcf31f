/**
 * Results of writes with an idempotency key, in the transaction of the write. For groups of writes on
 * PostgreSQL, `postgres/hot/idempotency.ts` does the same with one statement for all of them.
 */
import type { AccountId } from "#domain/account.ts";
import type { Idempotency } from "#domain/idempotency.ts";
import {
  ANYBODY,
  ERASED_FINGERPRINT,
  ERASED_RESULT,
  type Kept,
  type ResultSubject,
  readResult,
  serializeResult,
  storedResult,
} from "../writes/idempotency.ts";
import { STEP } from "../writes/step-limits.ts";
import type { Db } from "./kit/db.ts";
import { bytes, change, integer, statement } from "./kit/statement.ts";

/** Locks the row, new or not: a repeat on another node waits here until the first one is committed. */
const reserve = statement(
  { fingerprint: bytes },
  `INSERT INTO idempotency_key (owner_id, hash, fingerprint, at)
   VALUES ($1, $2, $3, $4)
   ON CONFLICT (owner_id, hash) DO UPDATE SET at = idempotency_key.at
   RETURNING fingerprint`,
);
const find = statement(
  { result: bytes },
  "SELECT result FROM idempotency_result WHERE owner_id = $1 AND hash = $2 AND ordinal = $3",
);
const keep = change(
  `INSERT INTO idempotency_result (owner_id, hash, ordinal, account_id, address_key, result)
   VALUES ($1, $2, $3, $4, $5, $6)`,
);

/** Executes a write, unless its result is stored. If it throws, its changes must be rolled back. */
export async function once(
  db: Db,
  { owner, hash, fingerprint, ordinal, at }: Idempotency,
  { kind, account, address }: ResultSubject,
  execute: () => unknown,
): Promise<Kept> {
  const reserved = await db.one(reserve, owner, hash, fingerprint, at);
  const found = await db.get(find, owner, hash, ordinal);
  const stored = storedResult(reserved.fingerprint, fingerprint, found?.result);
  if (stored !== null) return { value: readResult(kind, stored), isRepeat: true };
  const value = await execute();
  await db.run(keep, owner, hash, ordinal, account, address, serializeResult(kind, value));
  return { value, isRepeat: false };
}

/** A fingerprint that may still be compared is one of a request that concerns others, too. */
const eraseFingerprints = change(
  `UPDATE idempotency_key SET fingerprint = $3
   WHERE (owner_id, hash) IN (
     SELECT owner_id, hash FROM idempotency_result
     WHERE account_id = $1 AND address_key IN ($2, '${ANYBODY}')
   ) AND NOT EXISTS (
     SELECT 1 FROM idempotency_result AS r
     WHERE r.owner_id = idempotency_key.owner_id AND r.hash = idempotency_key.hash
       AND (r.account_id <> $1 OR r.address_key NOT IN ($2, '${ANYBODY}'))
   )`,
);
const eraseOfAddress = change(
  `UPDATE idempotency_result SET address_key = NULL, result = $3
   WHERE account_id = $1 AND address_key IN ($2, '${ANYBODY}')`,
);
const dropOfAccount = change(
  `DELETE FROM idempotency_result
   WHERE (owner_id, hash, ordinal) IN (
     SELECT owner_id, hash, ordinal FROM idempotency_result WHERE account_id = $1 LIMIT $2
   )`,
);
/** Erases the results about an address or an upload. A repeat of their requests is known to be one. */
export async function eraseResults(db: Db, account: AccountId, addressKey: string): Promise<void> {
  await db.run(eraseFingerprints, account, addressKey, ERASED_FINGERPRINT);
  await db.run(eraseOfAddress, account, addressKey, ERASED_RESULT);
}

/**
 * Deletes results of an account. Returns how many. The keys stay until they expire, so that a repeat of the
 * deletion is known to be one.
 */
export const dropResults = (db: Db, account: AccountId) => db.run(dropOfAccount, account, STEP);

const move = change(
  "UPDATE idempotency_result SET address_key = $3 WHERE account_id = $1 AND address_key = $2",
);
/** The results about a subscriber whose address changes. */
export const moveResults = (db: Db, account: AccountId, old: string, moved: string): Promise<number> =>
  db.run(move, account, old, moved);

/** A time that is far in the future was stored by a clock that was wrong. */
const expired = statement(
  { owner: integer, hash: bytes },
  ({ lockFreeRows }) => `
   SELECT k.owner_id AS owner, k.hash
   FROM idempotency_key AS k
   WHERE k.at < $1 OR k.at > $2
   ORDER BY k.at
   LIMIT $3
   ${lockFreeRows("k")}`,
);
const dropResultsOf = change("DELETE FROM idempotency_result WHERE owner_id = $1 AND hash = $2");
const dropKey = change("DELETE FROM idempotency_key WHERE owner_id = $1 AND hash = $2");

/** The most keys that a step deletes. */
export const EXPIRED_KEYS = 250;

/** Deletes keys of other times than these, with their results. Returns whether there may be more. */
export async function purgeKeys(db: Db, since: number, until: number): Promise<boolean> {
  const keys = await db.all(expired, since, until, EXPIRED_KEYS);
  let results = 0;
  for (const { owner, hash } of keys) {
    if (results >= STEP) return true;
    results += await db.run(dropResultsOf, owner, hash);
    await db.run(dropKey, owner, hash);
  }
  return keys.length === EXPIRED_KEYS;
}
