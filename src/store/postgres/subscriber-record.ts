/** Reads one subscriber with all stored data. */
import type { AccountId } from "../../domain/account.ts";
import type { SubscriberRecord } from "../../domain/ports/subscribers.ts";
import type { SubscriberId } from "../../domain/subscriber.ts";
import type { Args } from "../methods.ts";
import { HISTORY_ENTRY, type HistoryRow } from "../rows.ts";
import { PERSON, type PersonRow, type PersonsRows, recordOf } from "../subscriber-record.ts";
import type { Connection } from "./sessions/connection.ts";

export async function subscriber(
  db: Connection,
  { account, address }: Args<"subscribers.byAddress">,
): Promise<SubscriberRecord | null> {
  const person = await db.get<PersonRow>(
    `SELECT ${PERSON} FROM subscriber WHERE account_id = $1 AND address_key = $2`,
    account,
    address.key,
  );
  if (person === undefined) return null;
  const { id } = person;
  return recordOf(person, {
    values: await values(db, account, id),
    lists: await db.all<PersonsRows["lists"][number]>(
      'SELECT l.id, l.name, m.joined_at AS "joinedAt", m.status FROM membership AS m JOIN list AS l ON l.account_id = m.account_id AND l.id = m.list_id WHERE m.account_id = $1 AND m.subscriber_id = $2 ORDER BY l.id',
      account,
      id,
    ),
    // Oldest first; entries of the same time in the order in which they were written.
    history: await db.all<HistoryRow>(
      `SELECT ${HISTORY_ENTRY} FROM history WHERE account_id = $1 AND subscriber_id = $2 ORDER BY at, id`,
      account,
      id,
    ),
    losses: await db.all<SubscriberRecord["losses"][number]>(
      'SELECT c.id AS campaign, c.name, e.event, e.at, e.joined_at AS "joinedAt" FROM campaign_event AS e JOIN campaign AS c ON c.account_id = e.account_id AND c.id = e.campaign_id WHERE e.account_id = $1 AND e.subscriber_id = $2 ORDER BY e.at, e.id',
      account,
      id,
    ),
  });
}

async function values(
  db: Connection,
  account: AccountId,
  id: SubscriberId,
): Promise<SubscriberRecord["values"]> {
  const rows = await db.all<Omit<SubscriberRecord["values"][number], "field"> & { readonly field: string }>(
    "SELECT f.id::text AS field, f.name, v.value, v.given_at AS at, v.key_id AS key, v.import_id AS batch FROM custom_value AS v JOIN field AS f ON f.account_id = v.account_id AND f.id = v.field_id WHERE v.account_id = $1 AND v.subscriber_id = $2 ORDER BY f.created_at, f.id",
    account,
    id,
  );
  return rows.map((row) => ({ ...row, field: BigInt(row.field) }));
}
