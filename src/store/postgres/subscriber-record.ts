/** One person with everything known about them, for people to read. */
import type { AccountId } from "../../domain/account.ts";
import type { Gender } from "../../domain/gender.ts";
import type { Happening } from "../../domain/history.ts";
import type { Origin } from "../../domain/origin.ts";
import type { Reads, SubscriberRecord } from "../../domain/ports.ts";
import { type Facts, isActive, type SubscriberId, stateOf } from "../../domain/subscriber.ts";
import type { Connection } from "./connection.ts";
import { FACTS, toFacts } from "./facts.ts";

interface PersonRow extends Facts {
  readonly id: number;
  readonly address: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly gender: Gender | null;
  readonly birthday: string | null;
  readonly country: string | null;
  readonly knownSince: number;
}

export async function subscriber(
  db: Connection,
  { account, address }: Reads["subscriber"]["args"],
): Promise<SubscriberRecord | null> {
  const row = await db.get<PersonRow>(
    `SELECT id, address, first_name AS "firstName", last_name AS "lastName", gender, birthday, country, known_since AS "knownSince", ${FACTS} FROM subscriber AS s WHERE account_id = $1 AND address_key = $2`,
    account,
    address.key,
  );
  if (row === undefined) return null;
  const { id, firstName, lastName, gender, birthday, country, knownSince } = row;
  const facts = toFacts(row);
  return {
    address: row.address,
    state: stateOf(facts),
    facts,
    knownSince,
    data: { firstName, lastName, gender, birthday, country },
    values: await values(db, account, id),
    lists: await lists(db, account, id, isActive(facts)),
    history: await history(db, account, id),
    losses: await db.all<SubscriberRecord["losses"][number]>(
      'SELECT c.id AS campaign, c.name, e.event, e.at, e.joined_at AS "joinedAt" FROM campaign_event AS e JOIN campaign AS c ON c.account_id = e.account_id AND c.id = e.campaign_id WHERE e.account_id = $1 AND e.subscriber_id = $2 ORDER BY e.at, e.id',
      account,
      id,
    ),
  };
}

async function values(
  db: Connection,
  account: AccountId,
  id: SubscriberId,
): Promise<SubscriberRecord["values"]> {
  const rows = await db.all<Omit<SubscriberRecord["values"][number], "field"> & { readonly field: string }>(
    "SELECT f.id::text AS field, f.name, v.value, v.given_at AS at, v.key_id AS key FROM custom_value AS v JOIN field AS f ON f.account_id = v.account_id AND f.id = v.field_id WHERE v.account_id = $1 AND v.subscriber_id = $2 ORDER BY f.created_at, f.id",
    account,
    id,
  );
  return rows.map((row) => ({ ...row, field: BigInt(row.field) }));
}

async function lists(
  db: Connection,
  account: AccountId,
  id: SubscriberId,
  counts: boolean,
): Promise<SubscriberRecord["lists"]> {
  const rows = await db.all<Omit<SubscriberRecord["lists"][number], "counts">>(
    'SELECT l.id, l.name, m.joined_at AS "joinedAt" FROM membership AS m JOIN list AS l ON l.account_id = m.account_id AND l.id = m.list_id WHERE m.account_id = $1 AND m.subscriber_id = $2 ORDER BY l.id',
    account,
    id,
  );
  return rows.map((row) => ({ ...row, counts }));
}

interface HistoryRow extends Omit<Happening, "origin"> {
  readonly origin: Origin["kind"];
  readonly key: number | null;
}
/** Oldest first; entries of one moment in the order in which they were written. */
async function history(
  db: Connection,
  account: AccountId,
  id: SubscriberId,
): Promise<SubscriberRecord["history"]> {
  const rows = await db.all<HistoryRow>(
    "SELECT at, kind, origin, key_id AS key, campaign_id AS campaign, list_id AS list, detail FROM history WHERE account_id = $1 AND subscriber_id = $2 ORDER BY at, id",
    account,
    id,
  );
  return rows.map(({ origin, key, ...row }) => ({
    ...row,
    origin: origin === "key" ? { kind: "key", key: key ?? 0 } : { kind: origin },
  }));
}
