/** Loads what the decisions about people taken over from elsewhere need besides what every command does. */
import type { AccountId } from "../../domain/account.ts";
import type { FieldId } from "../../domain/field.ts";
import type { ListId } from "../../domain/list.ts";
import type { BasicData, SubscriberId } from "../../domain/subscriber.ts";
import type { Connection } from "./connection.ts";
import { leaveOf, type WorkingSet } from "./working-set.ts";

export async function loadImport(
  db: Connection,
  set: WorkingSet,
  account: AccountId,
  list: ListId | null,
  keys: readonly string[],
): Promise<void> {
  await Promise.all([
    loadData(db, set, account, keys),
    loadValues(db, set, account, keys),
    list !== null && loadLeaves(db, set, account, list, keys),
  ]);
}

async function loadData(
  db: Connection,
  set: WorkingSet,
  account: AccountId,
  keys: readonly string[],
): Promise<void> {
  const rows = await db.all<BasicData & { readonly id: SubscriberId }>(
    'SELECT s.id, s.first_name AS "firstName", s.last_name AS "lastName", s.gender, s.birthday, s.country FROM unnest($2::text[]) AS n (key) JOIN subscriber AS s ON s.account_id = $1 AND s.address_key = n.key',
    account,
    keys,
  );
  for (const { id, ...data } of rows) set.data.set(id, data);
}

async function loadValues(
  db: Connection,
  set: WorkingSet,
  account: AccountId,
  keys: readonly string[],
): Promise<void> {
  const rows = await db.all<{ person: SubscriberId; field: string; value: string }>(
    "SELECT v.subscriber_id AS person, v.field_id::text AS field, v.value FROM unnest($2::text[]) AS n (key) JOIN subscriber AS s ON s.account_id = $1 AND s.address_key = n.key JOIN custom_value AS v ON v.account_id = s.account_id AND v.subscriber_id = s.id",
    account,
    keys,
  );
  for (const { person, field, value } of rows) {
    const values = set.values.get(person) ?? new Map<FieldId, string>();
    set.values.set(person, values.set(BigInt(field), value));
  }
}

/** What happened before the list was made concerns another one that had its id. */
async function loadLeaves(
  db: Connection,
  set: WorkingSet,
  account: AccountId,
  list: ListId,
  keys: readonly string[],
): Promise<void> {
  const rows = await db.all<{ person: SubscriberId; at: number }>(
    "SELECT h.subscriber_id AS person, max(h.at) AS at FROM unnest($3::text[]) AS n (key) JOIN subscriber AS s ON s.account_id = $1 AND s.address_key = n.key JOIN history AS h ON h.account_id = s.account_id AND h.subscriber_id = s.id JOIN list AS l ON l.account_id = h.account_id AND l.id = h.list_id WHERE h.kind = 'left' AND h.list_id = $2 AND h.at >= l.created_at GROUP BY h.subscriber_id",
    account,
    list,
    keys,
  );
  for (const { person, at } of rows) set.leaves.set(leaveOf(person, list), at);
}
