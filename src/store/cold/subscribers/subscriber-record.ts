/** One subscriber with all stored data, with what happened or without it. */
import type { AccountId } from "#domain/account.ts";
import type { Address } from "#domain/address/address.ts";
import { importedNames } from "#domain/field/value-rules.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import type { SubscriberData, SubscriberRecord } from "#domain/ports/subscribers.ts";
import { isCounted } from "#domain/subscriber/membership.ts";
import { type SubscriberId, stateOf } from "#domain/subscriber/subscriber.ts";
import { BASICS, basicsRow, SUPPRESSIONS, suppressionRow, toData, toSuppressions } from "../../reads/rows.ts";
import { toStatus } from "../../reads/who-counts.ts";
import type { Db } from "../kit/db.ts";
import { bigint, integer, nullable, type RowOf, statement, text } from "../kit/statement.ts";
import { historyOf, resultsOf, toHistoryEntry } from "./subscriber-history.ts";

const person = { id: integer, address: text, knownSince: integer, ...basicsRow, ...suppressionRow };
const PERSON = `
  SELECT id, address, known_since AS "knownSince", ${BASICS}, ${SUPPRESSIONS}
  FROM subscriber
  WHERE account_id = $1`;
const personByAddress = statement(person, `${PERSON} AND address_key = $2`);
const personById = statement(person, `${PERSON} AND id = $2`);
const valuesOf = statement(
  {
    field: bigint,
    name: text,
    value: text,
    at: integer,
    key: nullable(integer),
    batch: nullable(integer),
  },
  `SELECT f.id AS field, f.name, v.value, v.given_at AS at, v.key_id AS key, v.import_id AS batch
   FROM custom_value AS v JOIN field AS f ON f.account_id = v.account_id AND f.id = v.field_id
   WHERE v.account_id = $1 AND v.subscriber_id = $2 AND NOT f.is_deleting
   ORDER BY f.created_at, f.id`,
);
const listsOf = statement(
  { id: integer, name: text, joinedAt: integer, status: integer },
  `SELECT l.id, l.name, m.joined_at AS "joinedAt", m.status
   FROM membership AS m JOIN list AS l ON l.account_id = m.account_id AND l.id = m.list_id
   WHERE m.account_id = $1 AND m.subscriber_id = $2
   ORDER BY l.id`,
);

type Named = OfAccount & ({ readonly address: Address } | { readonly id: SubscriberId });
const find = (db: Db, one: Named): Promise<RowOf<typeof person> | null> =>
  "address" in one
    ? db.get(personByAddress, one.account, one.address.key)
    : db.get(personById, one.account, one.id);

export async function findRecord(db: Db, one: Named): Promise<SubscriberRecord | null> {
  const found = await find(db, one);
  if (found === null) return null;
  return {
    ...(await dataOf(db, one.account, found)),
    history: (await db.all(historyOf, one.account, found.id)).map(toHistoryEntry),
    losses: await db.all(resultsOf, one.account, found.id),
  };
}
export async function findData(db: Db, one: Named): Promise<SubscriberData | null> {
  const found = await find(db, one);
  return found === null ? null : await dataOf(db, one.account, found);
}

async function dataOf(db: Db, account: AccountId, found: RowOf<typeof person>): Promise<SubscriberData> {
  const of = [account, found.id] as const;
  const suppressions = toSuppressions(found);
  return {
    id: found.id,
    address: found.address,
    state: stateOf(suppressions),
    suppressions,
    knownSince: found.knownSince,
    data: toData(found),
    imported: importedNames(found.imported),
    values: await db.all(valuesOf, ...of),
    lists: (await db.all(listsOf, ...of)).map((list) => {
      const status = toStatus(list.status);
      return { ...list, status, counts: isCounted(suppressions, status) };
    }),
  };
}
