/**
 * How many subscribers have a value of each field. No index leads to the values of a field, and the values of
 * a million subscribers are too many to count while somebody waits. So a bounded number of subscribers is
 * looked at, in order of address: unlike the oldest ones, they have values of new fields as often as others.
 */
import type { AccountId } from "../../domain/account.ts";
import type { FieldUsage } from "../../domain/ports/fields.ts";
import type { Db } from "./kit/db.ts";
import { bigint, integer, statement } from "./kit/statement.ts";

const FIRST = `
  SELECT id FROM subscriber WHERE account_id = $1 ORDER BY address_key LIMIT $2`;
const found = statement({ count: integer }, `SELECT count(*) AS count FROM (${FIRST}) AS s`);
const valuesByField = statement(
  { field: bigint, values: integer },
  ({ lookUp }) => `
   SELECT v.field_id AS field, count(*) AS "values"
   FROM (${FIRST}) AS s ${lookUp("custom_value", "v", "v.account_id = $1 AND v.subscriber_id = s.id")}
   GROUP BY v.field_id
   ORDER BY v.field_id`,
);

export async function fieldUsage(db: Db, account: AccountId, limit: number): Promise<FieldUsage> {
  const { count } = await db.one(found, account, limit + 1);
  const counts = await db.all(valuesByField, account, limit);
  return { subscribers: Math.min(count, limit), hasMore: count > limit, counts };
}
