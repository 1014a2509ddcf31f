/** Erases a subscriber. */
import type { AccountId } from "../../domain/account.ts";
import type { Address } from "../../domain/address.ts";
import { decideErasure, erasureHash, newErasureKey } from "../../domain/erasure.ts";
import type { Erasure } from "../../domain/ports/subscribers.ts";
import { type SubscriberId, type Suppressions, suppressionKinds } from "../../domain/subscriber.ts";
import type { Args } from "../methods.ts";
import { SUPPRESSIONS, toSuppressions } from "../rows.ts";
import { suppressionColumns } from "../who-counts.ts";
import { loadAccount, loadPeople, Named } from "./hot/load-group.ts";
import { saveChanges } from "./hot/save-group.ts";
import { applyChanges } from "./hot/subscriber-changes.ts";
import { of, WorkingSet } from "./hot/working-set.ts";
import { eraseFileNames } from "./import-batches.ts";
import type { Connection } from "./sessions/connection.ts";

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

export async function eraseSubscriber(
  db: Connection,
  { account, address, at }: Args<"subscribers.erase">,
): Promise<Erasure> {
  const set = new WorkingSet();
  const named = new Named<string>();
  named.add(account, address.key);
  await loadAccount(db, set, account);
  await loadPeople(db, set, named);
  const known = set.people.get(of(account, address.key)) ?? null;
  const key = set.accounts.get(account)?.erasureKey ?? null;
  const { kept, changes } = decideErasure({
    known,
    ownBlockAt: await dropBlock(db, account, address),
    erased: key === null ? null : await takeErased(db, account, erasureHash(key, address)),
  });
  if (kept !== null) await keep(db, account, address, at, kept);
  await eraseFileNames(db, account, address);
  const found = await countRows(db, account, known?.id);
  applyChanges(set, account, known, changes);
  for (const { sql, values } of saveChanges(set)) await db.run(sql, ...values);
  return { ...found, kept };
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

async function countRows(
  db: Connection,
  account: AccountId,
  id: SubscriberId | undefined,
): Promise<Omit<Erasure, "kept">> {
  const none = { values: 0, lists: 0, history: 0, losses: 0 };
  if (id === undefined) return { wasKnown: false, ...none };
  const counted = await db.get<typeof none>(
    `SELECT
       (SELECT count(*) FROM custom_value WHERE account_id = $1 AND subscriber_id = $2) AS values,
       (SELECT count(*) FROM membership WHERE account_id = $1 AND subscriber_id = $2) AS lists,
       (SELECT count(*) FROM history WHERE account_id = $1 AND subscriber_id = $2) AS history,
       (SELECT count(*) FROM campaign_event WHERE account_id = $1 AND subscriber_id = $2) AS losses`,
    account,
    id,
  );
  return { wasKnown: true, ...none, ...counted };
}
