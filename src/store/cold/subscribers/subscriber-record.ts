/** One subscriber with all stored data. */
import type { AccountId } from "../../../domain/account.ts";
import type { Address } from "../../../domain/address.ts";
import { campaignEvents } from "../../../domain/campaign.ts";
import { type HistoryEntry, historyKinds } from "../../../domain/history.ts";
import { isCounted } from "../../../domain/membership.ts";
import { type Origin, originKinds } from "../../../domain/origin.ts";
import type { OfAccount } from "../../../domain/ports/command.ts";
import type { SubscriberRecord } from "../../../domain/ports/subscribers.ts";
import { type SubscriberId, stateOf } from "../../../domain/subscriber.ts";
import { importedNames } from "../../../domain/value-rules.ts";
import {
  BASICS,
  basicsRow,
  readReplaced,
  SUPPRESSIONS,
  suppressionRow,
  toData,
  toSuppressions,
} from "../../rows.ts";
import { toStatus } from "../../who-counts.ts";
import type { Db } from "../kit/db.ts";
import { bigint, integer, nullable, oneOf, type RowOf, statement, text } from "../kit/statement.ts";

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

const entry = {
  at: integer,
  kind: oneOf(historyKinds),
  origin: oneOf(originKinds),
  key: nullable(integer),
  batch: nullable(integer),
  operator: nullable(text),
  user: nullable(integer),
  campaign: nullable(integer),
  list: nullable(integer),
  detail: nullable(text),
  replaced: nullable(text),
};
/** Oldest first; entries of the same time in the order in which they were written. */
const historyOf = statement(
  entry,
  `SELECT
     at, kind, origin, key_id AS key, import_id AS batch, operator_name AS "operator",
     user_id AS "user", campaign_id AS campaign, list_id AS list, detail, replaced
   FROM history
   WHERE account_id = $1 AND subscriber_id = $2
   ORDER BY at, id`,
);
const lossesOf = statement(
  { campaign: integer, name: text, event: oneOf(campaignEvents), at: integer, joinedAt: integer },
  `SELECT c.id AS campaign, c.name, e.event, e.at, e.joined_at AS "joinedAt"
   FROM campaign_event AS e JOIN campaign AS c ON c.account_id = e.account_id AND c.id = e.campaign_id
   WHERE e.account_id = $1 AND e.subscriber_id = $2 AND NOT c.is_deleting
   ORDER BY e.at, e.id`,
);

const toHistoryEntry = ({
  origin,
  key,
  batch,
  operator,
  user,
  replaced,
  ...row
}: RowOf<typeof entry>): HistoryEntry => ({
  ...row,
  origin: toOrigin(origin, { key, batch, operator, user }),
  replaced: replaced === null ? null : readReplaced(replaced),
});
function toOrigin(
  kind: Origin["kind"],
  { key, batch, operator, user }: Pick<RowOf<typeof entry>, "key" | "batch" | "operator" | "user">,
): Origin {
  if (kind === "key") return { kind, key: key ?? 0 };
  if (kind === "import") return { kind, batch };
  if (kind === "user") return { kind, user: user ?? 0 };
  return kind === "operator" && operator !== null ? { kind, name: operator } : { kind };
}

export async function recordByAddress(
  db: Db,
  { account, address }: OfAccount & { readonly address: Address },
): Promise<SubscriberRecord | null> {
  const found = await db.get(personByAddress, account, address.key);
  return found === null ? null : await recordOf(db, account, found);
}
export async function recordById(
  db: Db,
  { account, id }: OfAccount & { readonly id: SubscriberId },
): Promise<SubscriberRecord | null> {
  const found = await db.get(personById, account, id);
  return found === null ? null : await recordOf(db, account, found);
}

async function recordOf(db: Db, account: AccountId, found: RowOf<typeof person>): Promise<SubscriberRecord> {
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
    history: (await db.all(historyOf, ...of)).map(toHistoryEntry),
    losses: await db.all(lossesOf, ...of),
  };
}
