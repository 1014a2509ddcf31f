/** Compares the version of a subscriber with the one that a command expects. */
import type { AccountId } from "#domain/account.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { requireVersion } from "#domain/version.ts";
import { BASICS, basicsRow, toData } from "../../reads/rows.ts";
import type { Db } from "../kit/db.ts";
import { bigint, statement, text } from "../kit/statement.ts";

const person = statement(
  { address: text, ...basicsRow },
  `SELECT address, ${BASICS} FROM subscriber WHERE account_id = $1 AND id = $2`,
);
/** As a record shows them: without values of a field that is being deleted. */
const valuesOf = statement(
  { field: bigint, value: text },
  `SELECT f.id AS field, v.value
   FROM custom_value AS v JOIN field AS f ON f.account_id = v.account_id AND f.id = v.field_id
   WHERE v.account_id = $1 AND v.subscriber_id = $2 AND NOT f.is_deleting`,
);

/** `id` is null if there is no such subscriber. Reads nothing if no version is expected. */
export async function requirePersonVersion(
  db: Db,
  account: AccountId,
  id: SubscriberId | null,
  expected: readonly string[] | undefined,
): Promise<void> {
  if (expected === undefined) return;
  const found = id === null ? null : await db.get(person, account, id);
  if (id === null || found === null) return requireVersion(expected, "subscriber", null);
  const values = await db.all(valuesOf, account, id);
  requireVersion(expected, "subscriber", { address: found.address, data: toData(found), values });
}
