/** One person with everything known about them, for people to read. */
import type { Gender } from "../../domain/gender.ts";
import type { Happening, HappeningKind } from "../../domain/history.ts";
import type { Origin } from "../../domain/origin.ts";
import type { Reads, SubscriberRecord } from "../../domain/ports.ts";
import { type Facts, isActive, stateOf } from "../../domain/subscriber.ts";
import { LOSSES_OF_PERSON } from "./campaigns.ts";
import type { Connection } from "./connection.ts";
import { FACTS } from "./facts.ts";

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

export function subscriber(
  db: Connection,
  { account, address }: Reads["subscriber"]["args"],
): SubscriberRecord | null {
  const row = db.get<PersonRow>(
    `SELECT id, address, first_name AS firstName, last_name AS lastName, gender, birthday, country, known_since AS knownSince, ${FACTS} FROM subscriber WHERE account_id = ? AND address_key = ?`,
    account,
    address.key,
  );
  if (row === undefined) return null;
  const { id, firstName, lastName, gender, birthday, country, knownSince } = row;
  const { blocked, complained, unsubscribed, bounced } = row;
  const facts: Facts = { blocked, complained, unsubscribed, bounced };
  const counts = isActive(facts);
  return {
    address: row.address,
    state: stateOf(facts),
    facts,
    knownSince,
    data: { firstName, lastName, gender, birthday, country },
    values: values(db, id),
    lists: db
      .all<{ id: number; name: string; joinedAt: number }>(
        "SELECT l.id, l.name, m.joined_at AS joinedAt FROM membership AS m JOIN list AS l ON l.id = m.list_id WHERE m.subscriber_id = ? ORDER BY l.id",
        id,
      )
      .map((list) => ({ ...list, counts })),
    history: history(db, id),
    losses: db.all<SubscriberRecord["losses"][number]>(
      `SELECT c.id AS campaign, c.name, e.event, e.at, e.joined_at AS joinedAt FROM campaign_event AS e JOIN campaign AS c ON c.id = e.campaign_id WHERE ${LOSSES_OF_PERSON} ORDER BY e.at, e.id`,
      account,
      id,
    ),
  };
}

interface ValueRow {
  readonly field: bigint;
  readonly name: string;
  readonly value: string;
  readonly at: bigint;
  readonly key: bigint | null;
}
const values = (db: Connection, id: number): SubscriberRecord["values"] =>
  db
    .allExact<ValueRow>(
      "SELECT f.id AS field, f.name, v.value, v.given_at AS at, v.key_id AS key FROM custom_value AS v JOIN field AS f ON f.id = v.field_id WHERE v.subscriber_id = ? ORDER BY f.created_at, f.id",
      id,
    )
    .map((row) => ({ ...row, at: Number(row.at), key: row.key === null ? null : Number(row.key) }));

interface HistoryRow extends Omit<Happening, "origin"> {
  readonly kind: HappeningKind;
  readonly origin: Origin["kind"];
  readonly key: number | null;
}
/** Oldest first; entries of one moment in the order in which they were written. */
const history = (db: Connection, id: number): readonly Happening[] =>
  db
    .all<HistoryRow>(
      "SELECT at, kind, origin, key_id AS key, campaign_id AS campaign, list_id AS list, detail FROM history WHERE subscriber_id = ? ORDER BY at, id",
      id,
    )
    .map(({ origin, key, ...row }) => ({
      ...row,
      origin: origin === "key" ? { kind: "key", key: key ?? 0 } : { kind: origin },
    }));
