/** Loads what the decisions about people taken over from elsewhere need besides what every command does. */
import type { AccountId } from "../../domain/account.ts";
import type { FieldId } from "../../domain/field.ts";
import type { ListId } from "../../domain/list.ts";
import type { BasicData, SubscriberId } from "../../domain/subscriber.ts";
import { DATA } from "../rows.ts";
import type { Connection } from "./connection.ts";
import { leaveOf, type WorkingSet } from "./working-set.ts";

/** An address that an import names, and the list that it is to be on. */
export interface Expected {
  readonly account: AccountId;
  readonly key: string;
  readonly list: ListId | null;
}
type Load = () => Promise<void>;

/** One statement each: to be sent together where the session can, else one after the other. */
export function importLoads(db: Connection, set: WorkingSet, people: readonly Expected[]): readonly Load[] {
  if (people.length === 0) return [];
  const onLists = people.filter(({ list }) => list !== null);
  return [
    () => loadData(db, set, people),
    () => loadValues(db, set, people),
    ...(onLists.length === 0 ? [] : [() => loadLeaves(db, set, onLists)]),
  ];
}

const accountsOf = (people: readonly Expected[]): readonly AccountId[] =>
  people.map(({ account }) => account);
const keysOf = (people: readonly Expected[]): readonly string[] => people.map(({ key }) => key);

async function loadData(db: Connection, set: WorkingSet, people: readonly Expected[]): Promise<void> {
  const rows = await db.all<BasicData & { readonly id: SubscriberId }>(
    `SELECT s.id, ${DATA} FROM unnest($1::bigint[], $2::text[]) AS n (account_id, address_key) JOIN subscriber AS s USING (account_id, address_key)`,
    accountsOf(people),
    keysOf(people),
  );
  for (const { id, ...data } of rows) set.data.set(id, data);
}

async function loadValues(db: Connection, set: WorkingSet, people: readonly Expected[]): Promise<void> {
  const rows = await db.all<{ person: SubscriberId; field: string; value: string }>(
    "SELECT v.subscriber_id AS person, v.field_id::text AS field, v.value FROM unnest($1::bigint[], $2::text[]) AS n (account_id, address_key) JOIN subscriber AS s USING (account_id, address_key) JOIN custom_value AS v ON v.account_id = s.account_id AND v.subscriber_id = s.id",
    accountsOf(people),
    keysOf(people),
  );
  for (const { person, field, value } of rows) {
    const values = set.values.get(person) ?? new Map<FieldId, string>();
    set.values.set(person, values.set(BigInt(field), value));
  }
}

/** What happened before the list was made concerns another one that had its id. */
async function loadLeaves(db: Connection, set: WorkingSet, people: readonly Expected[]): Promise<void> {
  const rows = await db.all<{ person: SubscriberId; list: ListId; at: number }>(
    "SELECT h.subscriber_id AS person, h.list_id AS list, max(h.at) AS at FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS n (account_id, address_key, list_id) JOIN subscriber AS s USING (account_id, address_key) JOIN history AS h ON h.account_id = s.account_id AND h.subscriber_id = s.id AND h.kind = 'left' AND h.list_id = n.list_id JOIN list AS l ON l.account_id = h.account_id AND l.id = h.list_id AND h.at >= l.created_at GROUP BY h.subscriber_id, h.list_id",
    accountsOf(people),
    keysOf(people),
    people.map(({ list }) => list),
  );
  for (const { person, list, at } of rows) set.leaves.set(leaveOf(person, list), at);
}
