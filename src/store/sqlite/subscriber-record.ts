/** Reads one subscriber with all stored data. */
import type { SubscriberRecord } from "../../domain/ports/subscribers.ts";
import type { Args } from "../methods.ts";
import { HISTORY_ENTRY, type HistoryRow } from "../rows.ts";
import { PERSON, type PersonRow, type PersonsRows, recordOf } from "../subscriber-record.ts";
import type { Connection } from "./connection.ts";

export function subscriber(
  db: Connection,
  { account, address }: Args<"subscribers.byAddress">,
): SubscriberRecord | null {
  const person = db.get<PersonRow>(
    `SELECT ${PERSON} FROM subscriber WHERE account_id = ? AND address_key = ?`,
    account,
    address.key,
  );
  if (person === undefined) return null;
  const { id } = person;
  return recordOf(person, {
    values: values(db, id),
    lists: db.all<PersonsRows["lists"][number]>(
      "SELECT l.id, l.name, m.joined_at AS joinedAt, m.status FROM membership AS m JOIN list AS l ON l.id = m.list_id WHERE m.subscriber_id = ? ORDER BY l.id",
      id,
    ),
    // Oldest first; entries of the same time in the order in which they were written.
    history: db.all<HistoryRow>(
      `SELECT ${HISTORY_ENTRY} FROM history WHERE subscriber_id = ? ORDER BY at, id`,
      id,
    ),
    losses: db.all<SubscriberRecord["losses"][number]>(
      "SELECT c.id AS campaign, c.name, e.event, e.at, e.joined_at AS joinedAt FROM campaign_event AS e JOIN campaign AS c ON c.id = e.campaign_id WHERE e.subscriber_id = ? ORDER BY e.at, e.id",
      id,
    ),
  });
}

interface ValueRow {
  readonly field: bigint;
  readonly name: string;
  readonly value: string;
  readonly at: bigint;
  readonly key: bigint | null;
  readonly batch: bigint | null;
}
const values = (db: Connection, id: number): SubscriberRecord["values"] =>
  db
    .allExact<ValueRow>(
      "SELECT f.id AS field, f.name, v.value, v.given_at AS at, v.key_id AS key, v.import_id AS batch FROM custom_value AS v JOIN field AS f ON f.id = v.field_id WHERE v.subscriber_id = ? ORDER BY f.created_at, f.id",
      id,
    )
    .map((row) => ({ ...row, at: Number(row.at), key: toNumber(row.key), batch: toNumber(row.batch) }));
const toNumber = (id: bigint | null): number | null => (id === null ? null : Number(id));
