/**
 * Which of some subscribers match a filter. Only what the conditions are about is read, and the rule of the
 * domain compares it: so text and numbers are compared alike on both databases.
 */
import type { AccountId } from "#domain/account.ts";
import { dateOf } from "#domain/calendar.ts";
import type { CampaignId } from "#domain/campaign.ts";
import { dataTypes } from "#domain/field/field.ts";
import { stateNumber } from "#domain/sending/recipient.ts";
import { type Filter, type Known, matcherOf, namedBy } from "#domain/subscriber/filter.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import type { Db } from "../kit/db.ts";
import { bigint, column, integer, nullable, oneOf, statement, text } from "../kit/statement.ts";
import { PURGING } from "../ledger/purge.ts";
import { idRows, subscribersByIds } from "./by-ids.ts";

const existingFields = statement(
  { id: bigint, type: column("data_type", oneOf(dataTypes)) },
  ({ table, lookUp }) => `
   SELECT f.id, f.data_type AS "type"
   FROM ${table("$2", { id: "bigint" })} AS n ${lookUp("field", "f", "f.account_id = $1 AND f.id = n.id")}
   WHERE NOT f.is_deleting`,
);
const MAX_ID = 2n ** 63n - 1n;
/** JSON whose numbers have 64 bits. */
const fieldRows = (ids: readonly string[]): string => `[${ids.map((id) => `{"id":${BigInt(id)}}`).join()}]`;
const existingLedgers = statement(
  { id: integer },
  ({ isIn, lookUp }) => `
   SELECT m.campaign_id AS id
   FROM mailing AS m ${lookUp("campaign", "c", "c.account_id = m.account_id AND c.id = m.campaign_id")}
   WHERE m.account_id = $1 AND ${isIn("m.campaign_id", "$2")}
     AND m.started_at IS NOT NULL AND m.purged_at IS NULL AND m.taken_up_to <> ${PURGING} AND NOT c.is_deleting`,
);
const basics = statement(
  { id: integer, firstName: text, lastName: text, country: nullable(text), knownSince: integer },
  (dialect) => `
   SELECT s.id, first_name AS "firstName", last_name AS "lastName", country, known_since AS "knownSince"
   FROM ${subscribersByIds(dialect, "$2")}`,
);
const valuesOf = statement(
  { id: integer, value: text },
  ({ isIn }) => `
   SELECT subscriber_id AS id, value
   FROM custom_value
   WHERE account_id = $1 AND ${isIn("subscriber_id", "$2")} AND field_id = $3`,
);
/** The states of those who have it, or may have it; a retry keeps beside them what somebody was before. */
const GOT = (["sending", "sent", "unknown"] as const).map(stateNumber).join(", ");
const gotIt = statement(
  { id: integer },
  ({ isIn }) => `
   SELECT subscriber_id AS id
   FROM recipient
   WHERE account_id = $1 AND campaign_id = $2 AND ${isIn("subscriber_id", "$3")} AND state IN (${GOT})
   UNION ALL
   SELECT subscriber_id AS id
   FROM recipient_earlier
   WHERE account_id = $1 AND campaign_id = $2 AND ${isIn("subscriber_id", "$3")}
     AND state = ${stateNumber("unknown")}`,
);

/** What of the things that the filter names still exists. */
export async function knownTo(db: Db, account: AccountId, filter: Filter): Promise<Known> {
  const { fields, campaigns } = namedBy(filter);
  const types =
    fields.length === 0
      ? []
      : await db.all(existingFields, account, fieldRows(fields.filter((id) => BigInt(id) <= MAX_ID)));
  const ledgers = campaigns.length === 0 ? [] : await db.all(existingLedgers, account, campaigns);
  return {
    types: new Map(types.map(({ id, type }) => [String(id), type])),
    campaigns: new Set(ledgers.map(({ id }) => id)),
  };
}

export type Matching = (ids: readonly SubscriberId[]) => Promise<ReadonlySet<SubscriberId>>;

/**
 * Who of some subscribers matches; everybody if the filter is empty. `known`: if it was looked up already.
 */
export async function matchingIn(
  db: Db,
  account: AccountId,
  filter: Filter,
  known: Known | null = null,
): Promise<Matching> {
  if (filter.length === 0) return async (ids) => new Set(ids);
  const matches = matcherOf(filter, known ?? (await knownTo(db, account, filter)));
  const { fields, campaigns } = namedBy(filter);
  const hasBasics = filter.some(({ about }) => typeof about === "string");
  const isAboutJoining = filter.some(({ about }) => about === "joined");

  return async (ids) => {
    if (ids.length === 0) return new Set();
    const [people, values, received] = await Promise.all([
      hasBasics ? db.all(basics, account, idRows(ids)) : [],
      Promise.all(
        fields.map(async (field) => [field, await db.all(valuesOf, account, ids, BigInt(field))] as const),
      ),
      Promise.all(campaigns.map(async (one) => [one, await db.all(gotIt, account, one, ids)] as const)),
    ]);
    const basicsOf = new Map(people.map((person) => [person.id, person]));
    const valuesBy = new Map<SubscriberId, Map<string, string>>();
    for (const [field, rows] of values)
      for (const { id, value } of rows)
        entry(valuesBy, id, () => new Map<string, string>()).set(field, value);
    const receivedBy = new Map<SubscriberId, Set<CampaignId>>();
    for (const [campaign, rows] of received)
      for (const { id } of rows) entry(receivedBy, id, () => new Set<CampaignId>()).add(campaign);
    const matching = ids.filter((id) => {
      const person = basicsOf.get(id);
      // Erased meanwhile.
      if (hasBasics && person === undefined) return false;
      return matches({
        firstName: person?.firstName ?? "",
        lastName: person?.lastName ?? "",
        country: person?.country ?? null,
        joined: isAboutJoining && person !== undefined ? dateOf(person.knownSince) : "",
        values: valuesBy.get(id) ?? NO_VALUES,
        received: receivedBy.get(id) ?? NO_CAMPAIGNS,
      });
    });
    return new Set(matching);
  };
}
const NO_VALUES: ReadonlyMap<string, string> = new Map();
const NO_CAMPAIGNS: ReadonlySet<CampaignId> = new Set();

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let found = map.get(key);
  if (found === undefined) {
    found = make();
    map.set(key, found);
  }
  return found;
}
