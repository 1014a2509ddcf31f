/**
 * Reads subscribers with their memberships into a working set: one row per membership, or one row for a
 * subscriber on no list.
 */
import type { AccountId } from "#domain/account.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { integer, nullable, type RowOf, text } from "../../cold/kit/statement.ts";
import { KNOWN, knownRow, toHeld, toSuppressions } from "../../reads/rows.ts";
import type { Connection } from "../sessions/connection.ts";
import { statement } from "../statement.ts";
import { keysTable, type Load } from "./lookup-keys.ts";
import { of, type WorkingSet } from "./working-set.ts";

const person = {
  account: integer,
  id: integer,
  key: text,
  ...knownRow,
  list: nullable(integer),
  joinedAt: nullable(integer),
  status: nullable(integer),
  batch: nullable(integer),
  confirmedBy: nullable(integer),
};
const PERSON = `
  s.account_id AS account, s.id, s.address_key AS key, ${KNOWN},
  m.list_id AS list, m.joined_at AS "joinedAt", m.status,
  m.import_id AS batch, m.confirmed_by AS "confirmedBy"`;
const WITH_MEMBERSHIPS =
  "LEFT JOIN membership AS m ON m.account_id = s.account_id AND m.subscriber_id = s.id";
const BY_ADDRESS = statement(
  person,
  `SELECT ${PERSON}
   FROM ${keysTable("text", "address_key")}
   JOIN subscriber AS s USING (account_id, address_key)
   ${WITH_MEMBERSHIPS}`,
);
const BY_ID = statement(
  person,
  `SELECT ${PERSON}
   FROM subscriber AS s
   ${WITH_MEMBERSHIPS}
   WHERE s.account_id = $1 AND s.id = ANY ($2::bigint[])`,
);

export const loadPeople: Load<string> = async (db, set, { accounts, parts }) =>
  addPeople(set, await db.all(BY_ADDRESS, accounts, parts));

export async function loadPeopleById(
  db: Connection,
  set: WorkingSet,
  account: AccountId,
  ids: readonly SubscriberId[],
): Promise<void> {
  addPeople(set, await db.all(BY_ID, account, ids));
}

function addPeople(set: WorkingSet, rows: readonly RowOf<typeof person>[]): void {
  for (const row of rows) {
    const { account, id, key, since, list, joinedAt, status, batch, confirmedBy } = row;
    let person = set.people.get(of(account, key));
    if (person === undefined) {
      person = {
        account,
        id,
        key,
        since,
        createdBy: null,
        newAddress: null,
        suppressions: toSuppressions(row),
        isChanged: false,
        data: {},
        imported: null,
        membershipsBefore: new Map(),
        memberships: new Map(),
      };
      set.people.set(of(account, key), person);
    }
    if (list !== null && joinedAt !== null && status !== null) {
      const membership = toHeld({ status, batch, confirmedBy, joinedAt });
      person.membershipsBefore.set(list, membership);
      person.memberships.set(list, membership);
    }
  }
}
