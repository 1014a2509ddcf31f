/** Erases a subscriber, and recognises an erased address. */
import type { AccountId } from "../../domain/account.ts";
import type { Address } from "../../domain/address.ts";
import { erasureHash, keptWhenErased, newErasureKey } from "../../domain/erasure.ts";
import type { Erasure } from "../../domain/ports/subscribers.ts";
import {
  isActive,
  type Known,
  type SubscriberId,
  type Suppressions,
  suppressionKinds,
} from "../../domain/subscriber.ts";
import type { Args } from "../methods.ts";
import { KNOWN, type KnownRow, SUPPRESSIONS, toKnown, toSuppressions } from "../rows.ts";
import { COUNTED_MEMBERSHIP, suppressionColumns } from "../who-counts.ts";
import { of, type WorkingSet } from "./hot/working-set.ts";
import { eraseFileNames } from "./import-batches.ts";
import type { Connection } from "./sessions/connection.ts";

/** An account that never erased anybody has no key and nothing to look up, so no statement is sent for it. */
export async function loadErased(
  db: Connection,
  set: WorkingSet,
  addresses: readonly { readonly account: AccountId; readonly key: string }[],
): Promise<void> {
  const wanted = new Map<
    string,
    { readonly account: AccountId; readonly key: string; readonly hash: Buffer }
  >();
  for (const { account, key } of addresses) {
    const secret = set.accounts.get(account)?.erasureKey ?? null;
    if (secret === null) continue;
    const hash = erasureHash(secret, { key });
    wanted.set(of(account, hash.toString("hex")), { account, key, hash });
  }
  if (wanted.size === 0) return;
  const named = [...wanted.values()];
  const rows = await db.all<Suppressions & { readonly account: AccountId; readonly hash: string }>(
    `SELECT s.account_id AS account, encode(s.hash, 'hex') AS hash, ${SUPPRESSIONS} FROM unnest($1::bigint[], $2::bytea[]) AS n (account_id, hash) JOIN erased AS s USING (account_id, hash)`,
    named.map(({ account }) => account),
    named.map(({ hash }) => hash),
  );
  for (const row of rows) {
    const found = wanted.get(of(row.account, row.hash));
    if (found !== undefined) set.erased.set(of(found.account, found.key), toSuppressions(row));
  }
}

const erasureKeyOf = async (db: Connection, account: AccountId): Promise<Uint8Array | null> =>
  (await db.get<{ key: Uint8Array | null }>("SELECT erasure_key AS key FROM account WHERE id = $1", account))
    ?.key ?? null;

/** Created on first use, and never replaced. */
async function requireErasureKey(db: Connection, account: AccountId): Promise<Uint8Array> {
  const found = await db.get<{ key: Uint8Array }>(
    "UPDATE account SET erasure_key = coalesce(erasure_key, $2) WHERE id = $1 RETURNING erasure_key AS key",
    account,
    newErasureKey(),
  );
  if (found === undefined) throw new Error(`no account ${account}`);
  return found.key;
}

/** What an earlier erasure of the address kept; this erasure stores it again. */
const takeErased = async (
  db: Connection,
  account: AccountId,
  hash: Uint8Array,
): Promise<Suppressions | null> => {
  const row = await db.get<Suppressions>(
    `DELETE FROM erased AS s WHERE account_id = $1 AND hash = $2 RETURNING ${SUPPRESSIONS}`,
    account,
    hash,
  );
  return row === undefined ? null : toSuppressions(row);
};

interface Found extends Known {
  readonly id: SubscriberId;
}

export async function eraseSubscriber(
  db: Connection,
  { account, address, at }: Args<"subscribers.erase">,
): Promise<Erasure> {
  const known = await find(db, account, address);
  const key = await erasureKeyOf(db, account);
  const kept = keptWhenErased({
    known,
    ownBlockAt: await dropBlock(db, account, address),
    erased: key === null ? null : await takeErased(db, account, erasureHash(key, address)),
  });
  if (kept !== null) await keep(db, account, address, at, kept);
  await eraseFileNames(db, account, address);
  return { ...(await remove(db, account, known)), kept };
}

async function find(db: Connection, account: AccountId, { key }: Address): Promise<Found | null> {
  const row = await db.get<KnownRow & { readonly id: SubscriberId }>(
    `SELECT s.id, ${KNOWN} FROM subscriber AS s WHERE account_id = $1 AND address_key = $2`,
    account,
    key,
  );
  return row === undefined ? null : { id: row.id, ...toKnown(row) };
}

const dropBlock = async (db: Connection, account: AccountId, { key }: Address): Promise<number | null> =>
  (
    await db.get<{ at: number }>(
      "DELETE FROM block WHERE account_id = $1 AND pattern = $2 RETURNING created_at AS at",
      account,
      key,
    )
  )?.at ?? null;

async function keep(
  db: Connection,
  account: AccountId,
  address: Address,
  at: number,
  kept: Suppressions,
): Promise<void> {
  await db.run(
    `INSERT INTO erased (account_id, hash, erased_at, ${suppressionColumns.join(", ")}) VALUES ($1, $2, $3, ${suppressionColumns.map((_, index) => `$${index + 4}`).join(", ")})`,
    account,
    erasureHash(await requireErasureKey(db, account), address),
    at,
    ...suppressionKinds.map((kind) => kept[kind]),
  );
}

async function remove(
  db: Connection,
  account: AccountId,
  known: Found | null,
): Promise<Omit<Erasure, "kept">> {
  if (known === null) return { wasKnown: false, values: 0, lists: 0, history: 0, losses: 0 };
  const { id, suppressions } = known;
  if (isActive(suppressions)) {
    await db.run("UPDATE account SET active_subscribers = active_subscribers - 1 WHERE id = $1", account);
    await db.run(
      `UPDATE list SET member_count = member_count - 1 WHERE account_id = $1 AND id IN (SELECT list_id FROM membership AS m WHERE account_id = $1 AND subscriber_id = $2 AND ${COUNTED_MEMBERSHIP})`,
      account,
      id,
    );
  }
  const drop = (table: string): Promise<number> =>
    db.run(`DELETE FROM ${table} WHERE account_id = $1 AND subscriber_id = $2`, account, id);
  const found = {
    wasKnown: true,
    values: await drop("custom_value"),
    lists: await drop("membership"),
    history: await drop("history"),
    losses: await drop("campaign_event"),
  };
  await db.run("DELETE FROM subscriber WHERE account_id = $1 AND id = $2", account, id);
  return found;
}

/** For an address that was on the block list when it was erased; false if there is none. */
export async function removeErasedBlock(
  db: Connection,
  account: AccountId,
  address: string,
): Promise<boolean> {
  const key = await erasureKeyOf(db, account);
  if (key === null) return false;
  const hash = erasureHash(key, { key: address });
  const wasBlocked =
    (await db.run(
      "UPDATE erased SET blocked_at = NULL WHERE account_id = $1 AND hash = $2 AND blocked_at IS NOT NULL",
      account,
      hash,
    )) > 0;
  await db.run(
    `DELETE FROM erased WHERE account_id = $1 AND hash = $2 AND coalesce(${suppressionColumns.join(", ")}) IS NULL`,
    account,
    hash,
  );
  return wasBlocked;
}
