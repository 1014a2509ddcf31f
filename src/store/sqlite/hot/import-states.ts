/** The stored state of each subscriber in an import. */
import type { AccountId } from "#domain/account.ts";
import type { Address } from "#domain/address.ts";
import type { FieldId } from "#domain/field/field.ts";
import type { StoredValue } from "#domain/field/value-rules.ts";
import type { ImportState } from "#domain/import/rules.ts";
import type { ListId } from "#domain/list.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { bigint, integer, nullable, text } from "../../cold/kit/statement.ts";
import type { Args, Result } from "../../methods.ts";
import { BASICS, basicsRow, KNOWN, knownRow, toData, toKnown } from "../../reads/rows.ts";
import type { Lookup } from "../../writes/unit-of-work.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { Lookups } from "./lookups.ts";

const PERSON = statement(
  { id: integer, ...knownRow, ...basicsRow },
  `SELECT id, ${KNOWN}, ${BASICS} FROM subscriber WHERE account_id = ? AND address_key = ?`,
);
const LEFT_AT = statement(
  { at: nullable(integer) },
  `SELECT max(at) AS at
   FROM history
   WHERE subscriber_id = ? AND kind = 'left' AND list_id = ? AND at >= ?`,
);
/** To be read exactly, for the ids of 64 bits. */
const VALUES = statement(
  { field: bigint, value: text, batch: nullable(bigint) },
  "SELECT field_id AS field, value, import_id AS batch FROM custom_value WHERE subscriber_id = ?",
);

export function findForImport(
  lookups: Lookups,
  account: AccountId,
  address: Address,
  list: ListId | null,
): Lookup<SubscriberId> & ImportState {
  const { db } = lookups;
  const blockedAt = lookups.blockedAt(account, address);
  const row = db.get(PERSON, account, address.key);
  if (row === undefined)
    return {
      person: null,
      known: null,
      blockedAt,
      erased: lookups.erased(account, address),
      membership: null,
      joinedAt: null,
      leftAt: null,
      stored: null,
    };
  const { id } = row;
  const held = list === null ? null : lookups.membership(id, list);
  return {
    person: id,
    known: toKnown(row),
    blockedAt,
    erased: null,
    membership: held?.status ?? null,
    fromImport: held?.fromImport ?? null,
    joinedAt: held?.joinedAt ?? null,
    leftAt: held !== null || list === null ? null : leftAt(db, id, list, lookups.listSince(account, list)),
    stored: { basics: { ...toData(row), imported: row.imported }, values: valuesOf(db, id) },
  };
}

/** Entries older than the list are ignored: they concern an earlier list with the same id. */
const leftAt = (db: Connection, id: SubscriberId, list: ListId, since: number | null): number | null =>
  db.get(LEFT_AT, id, list, since)?.at ?? null;

const valuesOf = (db: Connection, id: SubscriberId): ReadonlyMap<FieldId, StoredValue> =>
  new Map(
    db
      .allExact(VALUES, id)
      .map(({ field, value, batch }) => [field, { value, batch: batch === null ? null : Number(batch) }]),
  );

export function importStates(
  db: Connection,
  { account, list, addresses }: Args<"imports.states">,
): Result<"imports.states"> {
  const lookups = new Lookups(db);
  if (list !== null && !lookups.hasList(account, list)) throw new Error(`no list ${list}`);
  const { subscribers, subscriberLimit } = lookups.accountState(account);
  const states = addresses.map((address) => findForImport(lookups, account, address, list));
  return { subscribers, subscriberLimit, states };
}
