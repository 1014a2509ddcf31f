/** Loads rows that a group or an admin command names into a working set: one statement per kind. */
import type { AccountId } from "#domain/account.ts";
import { type DataType, dataTypes } from "#domain/field/field.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import {
  bytes,
  column,
  integer,
  nullable,
  oneOf,
  type RowOf,
  selectList,
  text,
} from "../../cold/kit/statement.ts";
import { eventColumn } from "../../reads/event-row.ts";
import type { Connection } from "../sessions/connection.ts";
import { statement } from "../statement.ts";
import { keysTable, type Load } from "./lookup-keys.ts";
import { lossOf, of, type WorkingSet } from "./working-set.ts";

const account = {
  id: integer,
  country: nullable(text),
  limitSubscribers: nullable(integer),
  limitFields: nullable(integer),
  subscribers: column("active_subscribers", integer),
  erasureKey: nullable(bytes),
};
const ACCOUNT = selectList(account, "a");
const ACCOUNT_BY_ID = statement(account, `SELECT ${ACCOUNT} FROM account AS a WHERE a.id = $1`);
const LOCKED_ACCOUNTS = statement(
  { ...account, schema: integer },
  `SELECT ${ACCOUNT}, (SELECT max(number) FROM schema_migration) AS schema
   FROM account AS a
   WHERE a.id = ANY ($1::bigint[])
   ORDER BY a.id
   FOR KEY SHARE`,
);
function addAccounts(set: WorkingSet, rows: readonly RowOf<typeof account>[]): void {
  for (const { id, country, limitSubscribers, limitFields, subscribers, erasureKey } of rows)
    set.accounts.set(id, {
      country,
      limitSubscribers,
      limitFields,
      erasureKey,
      subscribersBefore: subscribers,
      subscribersAdded: 0,
    });
}

/** Without a lock. */
export async function loadAccount(db: Connection, set: WorkingSet, id: AccountId): Promise<void> {
  addAccounts(set, await db.all(ACCOUNT_BY_ID, id));
}

/** Locks them against admin commands. */
export async function loadAccounts(
  db: Connection,
  set: WorkingSet,
  ids: readonly AccountId[],
): Promise<void> {
  const rows = await db.all(LOCKED_ACCOUNTS, ids);
  set.schema = rows[0]?.schema ?? 0;
  addAccounts(set, rows);
}

const NEW_IDS = statement(
  { id: integer },
  "SELECT nextval('subscriber_id') AS id FROM generate_series(1, $1)",
);
export async function reserveIds(db: Connection, count: number, freeIds: SubscriberId[]): Promise<void> {
  const rows = await db.all(NEW_IDS, count);
  // Ids are taken from the end: earlier subscribers get the lower ids.
  freeIds.unshift(...rows.map(({ id }) => id).reverse());
}

const BLOCKS = statement(
  { account: integer, pattern: text, at: integer },
  `SELECT b.account_id AS account, b.pattern, b.created_at AS at
   FROM ${keysTable("text", "pattern")}
   JOIN block AS b USING (account_id, pattern)`,
);
export const loadBlocks: Load<string> = async (db, set, { accounts, parts }) => {
  for (const { account, pattern, at } of await db.all(BLOCKS, accounts, parts))
    set.blocks.set(of(account, pattern), at);
};

const LISTS = statement(
  { account: integer, id: integer },
  `SELECT l.account_id AS account, l.id
   FROM ${keysTable("bigint", "id")}
   JOIN list AS l USING (account_id, id)
   WHERE NOT l.is_deleting`,
);
export const loadLists: Load<number> = async (db, set, { accounts, parts }) => {
  for (const { account, id } of await db.all(LISTS, accounts, parts)) set.lists.add(of(account, id));
};

/** The id of a field has 64 bits: it is read as text. */
const FIELD_TYPES = statement(
  { account: integer, id: text, type: oneOf(dataTypes) },
  `SELECT f.account_id AS account, f.id::text AS id, f.data_type AS type
   FROM ${keysTable("bigint", "id")}
   JOIN field AS f USING (account_id, id)
   WHERE NOT f.is_deleting`,
);
export const loadFieldTypes: Load<bigint> = async (db, set, { accounts, parts }) => {
  for (const { account, id, type } of await db.all(FIELD_TYPES, accounts, parts)) {
    const types = set.fieldTypes.get(account) ?? new Map<bigint, DataType>();
    set.fieldTypes.set(account, types.set(BigInt(id), type));
  }
};

const FIELD_NAMES = statement(
  { account: integer, key: text },
  `SELECT f.account_id AS account, f.name_key AS key
   FROM ${keysTable("text", "name_key")}
   JOIN field AS f USING (account_id, name_key)`,
);
const FIELD_COUNTS = statement(
  { account: integer, count: integer },
  `SELECT account_id AS account, count(*) AS count
   FROM field
   WHERE account_id = ANY ($1::bigint[]) AND NOT is_deleting
   GROUP BY account_id`,
);
/** Which of the names exist, and how many fields each account has. */
export const loadFieldNames: Load<string> = async (db, set, { accounts, parts }) => {
  const [names, counts] = await Promise.all([
    db.all(FIELD_NAMES, accounts, parts),
    db.all(FIELD_COUNTS, [...new Set(accounts)]),
  ]);
  for (const { account, key } of names) set.fieldNames.add(of(account, key));
  for (const { account, count } of counts) set.fieldCounts.set(account, count);
};

const CAMPAIGNS = statement(
  { account: integer, id: integer, list: nullable(integer) },
  `SELECT c.account_id AS account, c.id, t.list_id AS list
   FROM ${keysTable("bigint", "id")}
   JOIN campaign AS c USING (account_id, id)
   LEFT JOIN campaign_list AS t ON t.account_id = c.account_id AND t.campaign_id = c.id
   WHERE NOT c.is_deleting`,
);
export const loadCampaigns: Load<number> = async (db, set, { accounts, parts }) => {
  for (const { account, id, list } of await db.all(CAMPAIGNS, accounts, parts)) {
    const lists = set.campaigns.get(of(account, id)) ?? [];
    set.campaigns.set(of(account, id), list === null ? lists : [...lists, list]);
  }
};

const LOSSES = statement(
  { campaign: integer, event: text, person: integer },
  `SELECT e.campaign_id AS campaign, e.event, e.subscriber_id AS person
   FROM ${keysTable("text", "address_key")}
   JOIN subscriber AS s USING (account_id, address_key)
   JOIN campaign_event AS e ON e.account_id = s.account_id AND e.subscriber_id = s.id`,
);
/** All events of these subscribers; they have few, so the lookup goes by subscriber. */
export const loadLosses: Load<string> = async (db, set, { accounts, parts }) => {
  for (const { campaign, event, person } of await db.all(LOSSES, accounts, parts))
    set.losses.add(lossOf(person, campaign, eventColumn.fromText(event)));
};
