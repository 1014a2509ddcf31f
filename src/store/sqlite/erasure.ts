/** Erases a subscriber. */
import type { AccountId } from "../../domain/account.ts";
import type { Address } from "../../domain/address.ts";
import { decideErasure, erasureHash, newErasureKey } from "../../domain/erasure.ts";
import type { Erasure } from "../../domain/ports/subscribers.ts";
import { type SubscriberId, type Suppressions, suppressionKinds } from "../../domain/subscriber.ts";
import type { Args } from "../methods.ts";
import { KNOWN, type KnownRow, toKnown } from "../rows.ts";
import { suppressionColumns } from "../who-counts.ts";
import type { Connection } from "./connection.ts";
import { erasedBy, erasureKeyOf } from "./erased.ts";
import type { SqliteUnitOfWork } from "./hot/work.ts";
import { eraseFileNames } from "./import-batches.ts";

/** Created on first use, and never replaced. */
function requireErasureKey(db: Connection, account: AccountId): Uint8Array {
  const made = newErasureKey();
  db.run("UPDATE account SET erasure_key = coalesce(erasure_key, ?) WHERE id = ?", made, account);
  const key = erasureKeyOf(db, account);
  if (key === null) throw new Error(`no account ${account}`);
  return key;
}

interface PersonRow extends KnownRow {
  readonly id: SubscriberId;
}

export function eraseSubscriber(
  work: SqliteUnitOfWork,
  { account, address, at }: Args<"subscribers.erase">,
): Erasure {
  const { db } = work;
  const row = db.get<PersonRow>(
    `SELECT id, ${KNOWN} FROM subscriber WHERE account_id = ? AND address_key = ?`,
    account,
    address.key,
  );
  const key = erasureKeyOf(db, account);
  const { kept, changes } = decideErasure({
    known: row === undefined ? null : toKnown(row),
    ownBlockAt: dropBlock(db, account, address),
    erased: key === null ? null : erasedBy(db, account, key, address),
  });
  if (key !== null)
    db.run("DELETE FROM erased WHERE account_id = ? AND hash = ?", account, erasureHash(key, address));
  if (kept !== null) keep(db, account, address, at, kept);
  eraseFileNames(db, account, address);
  const found = countRows(db, row?.id);
  if (row !== undefined) work.save(account, row.id, changes);
  return { ...found, kept };
}

const dropBlock = (db: Connection, account: AccountId, { key }: Address): number | null =>
  db.get<{ at: number }>(
    "DELETE FROM block WHERE account_id = ? AND pattern = ? RETURNING created_at AS at",
    account,
    key,
  )?.at ?? null;

function keep(db: Connection, account: AccountId, address: Address, at: number, kept: Suppressions): void {
  db.run(
    `INSERT INTO erased (account_id, hash, erased_at, ${suppressionColumns.join(", ")}) VALUES (?, ?, ?${", ?".repeat(suppressionColumns.length)})`,
    account,
    erasureHash(requireErasureKey(db, account), address),
    at,
    ...suppressionKinds.map((kind) => kept[kind]),
  );
}

function countRows(db: Connection, id: SubscriberId | undefined): Omit<Erasure, "kept"> {
  const none = { values: 0, lists: 0, history: 0, losses: 0 };
  if (id === undefined) return { wasKnown: false, ...none };
  const counted = db.get<typeof none>(
    `SELECT
       (SELECT count(*) FROM custom_value WHERE subscriber_id = ?1) AS "values",
       (SELECT count(*) FROM membership WHERE subscriber_id = ?1) AS lists,
       (SELECT count(*) FROM history WHERE subscriber_id = ?1) AS history,
       (SELECT count(*) FROM campaign_event WHERE subscriber_id = ?1) AS losses`,
    id,
  );
  return { wasKnown: true, ...none, ...counted };
}
