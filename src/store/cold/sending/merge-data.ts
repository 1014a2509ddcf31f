/** What templates may use of subscribers: their basic values, and the values of fields by name. */
import type { AccountId } from "#domain/account.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { DATA, dataRow } from "../../reads/rows.ts";
import type { Db } from "../kit/db.ts";
import { integer, statement, text } from "../kit/statement.ts";
import { idRows, subscribersByIds } from "../subscribers/by-ids.ts";

const people = statement(
  { subscriber: integer, address: text, ...dataRow },
  (dialect) => `
   SELECT s.id AS subscriber, address, ${DATA}
   FROM ${subscribersByIds(dialect, "$2")}
   ORDER BY s.id`,
);
const values = statement(
  { subscriber: integer, name: text, value: text },
  ({ isIn, lookUp }) => `
   SELECT v.subscriber_id AS subscriber, f.name, v.value
   FROM custom_value AS v ${lookUp("field", "f", "f.account_id = v.account_id AND f.id = v.field_id")}
   WHERE v.account_id = $1 AND ${isIn("v.subscriber_id", "$2")} AND NOT f.is_deleting`,
);

/** In order of id. Subscribers who were erased are left out. */
export async function mergeDataOf(db: Db, account: AccountId, subscribers: readonly SubscriberId[]) {
  if (subscribers.length === 0) return [];
  const [found, given] = await Promise.all([
    db.all(people, account, idRows(subscribers)),
    db.all(values, account, subscribers),
  ]);
  const ofEach = Map.groupBy(given, ({ subscriber }) => subscriber);
  return found.map((person) => ({
    ...person,
    fields: Object.fromEntries((ofEach.get(person.subscriber) ?? []).map(({ name, value }) => [name, value])),
  }));
}
