/**
 * The changes of a working set as statements: one per kind of change, whatever their number; none if nothing
 * changed.
 */
import type { AccountId } from "../../../domain/account.ts";
import { batchOf, keyOf } from "../../../domain/origin.ts";
import type { Retention } from "../../../domain/refusal.ts";
import { writeReplaced } from "../../rows.ts";
import { saveRefusals } from "../refusals.ts";
import type { Statement, Value } from "../sessions/connection.ts";
import type { Person, WorkingSet } from "./working-set.ts";

type Columns<Row> = readonly ((row: Row) => string | number | bigint | boolean | null)[];

function statement<Row>(rows: readonly Row[], sql: string, columns: Columns<Row>): readonly Statement[] {
  return rows.length === 0 ? [] : [{ sql, values: columns.map((column): Value => rows.map(column)) }];
}

/** Counters come last, because other groups wait for them: the rest can be saved side by side. */
export const saveGroup = (set: WorkingSet, retention: Retention): readonly Statement[] => [
  ...saveSubscribers(set),
  ...saveImportCounts(set),
  ...saveFields(set),
  ...lockCounters(set),
  ...saveCounters(set),
  ...saveRefusals(set, retention),
];

/** For an admin command, which has locked the whole account. */
export const saveChanges = (set: WorkingSet): readonly Statement[] => [
  ...saveSubscribers(set),
  ...saveCounters(set),
];

const saveSubscribers = (set: WorkingSet): readonly Statement[] => [
  ...savePeople([...set.changedPeople]),
  ...saveMemberships([...set.changedPeople]),
  ...saveValues(set),
  ...saveHistory(set),
  ...saveLosses(set),
];

/** The accounts whose counters, refused calls or no-ops change, in order of id. */
function lockCounters({ accounts, membersAdded, refusals, noOps }: WorkingSet): readonly Statement[] {
  const counted = new Set<AccountId>();
  for (const [id, { subscribersAdded }] of accounts) if (subscribersAdded !== 0) counted.add(id);
  for (const { account } of [...membersAdded.values(), ...refusals.values(), ...noOps.values()])
    counted.add(account);
  return statement(
    [...counted].sort((one, other) => one - other),
    "SELECT 1 FROM account WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE",
    [(id) => id],
  );
}

const saveCounters = (set: WorkingSet): readonly Statement[] => [
  ...statement(
    [...set.accounts].filter(([, { subscribersAdded }]) => subscribersAdded !== 0),
    "UPDATE account SET active_subscribers = active_subscribers + n.by FROM unnest($1::bigint[], $2::bigint[]) AS n (id, by) WHERE account.id = n.id",
    [([id]) => id, ([, { subscribersAdded }]) => subscribersAdded],
  ),
  ...statement(
    [...set.membersAdded].filter(([, { by }]) => by !== 0),
    "UPDATE list SET member_count = member_count + n.by FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS n (account_id, id, by) WHERE list.account_id = n.account_id AND list.id = n.id",
    [([, { account }]) => account, ([id]) => id, ([, { by }]) => by],
  ),
];

const person: Columns<Person> = [
  ({ account }) => account,
  ({ id }) => id,
  ({ data }) => data.firstName ?? null,
  ({ data }) => data.lastName ?? null,
  ({ data }) => data.gender ?? null,
  ({ data }) => data.birthday ?? null,
  ({ data }) => data.country ?? null,
  ({ suppressions }) => suppressions.unsubscribed,
  ({ suppressions }) => suppressions.bounced,
  ({ suppressions }) => suppressions.complained,
  ({ suppressions }) => suppressions.blocked,
  ({ imported }) => imported,
];
const PERSON_TYPES =
  "$1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[]";
const PERSON_NAMES =
  "account_id, id, first_name, last_name, gender, birthday, country, unsubscribed_at, bounced_at, complained_at, blocked_at, imported";

/** One order for all nodes: two that add the same new addresses wait for each other only one way. */
const inOrder = (one: Person, other: Person): number =>
  one.account - other.account || (one.key < other.key ? -1 : 1);

const savePeople = (people: readonly Person[]): readonly Statement[] => [
  ...statement(
    people.filter(({ newAddress }) => newAddress !== null).sort(inOrder),
    `INSERT INTO subscriber (${PERSON_NAMES}, address, address_key, known_since)
     SELECT account_id, id, coalesce(first_name, ''), coalesce(last_name, ''), gender, birthday, country, unsubscribed_at, bounced_at, complained_at, blocked_at, coalesce(imported, 0), address, address_key, known_since
     FROM unnest(${PERSON_TYPES}, $13::text[], $14::text[], $15::bigint[]) AS n (${PERSON_NAMES}, address, address_key, known_since)`,
    [...person, ({ newAddress }) => newAddress?.text ?? "", ({ key }) => key, ({ since }) => since],
  ),
  ...statement(
    people.filter(({ newAddress, isChanged }) => newAddress === null && isChanged),
    `UPDATE subscriber AS s SET first_name = coalesce(n.first_name, s.first_name), last_name = coalesce(n.last_name, s.last_name), gender = coalesce(n.gender, s.gender), birthday = coalesce(n.birthday, s.birthday), country = coalesce(n.country, s.country),
       unsubscribed_at = n.unsubscribed_at, bounced_at = n.bounced_at, complained_at = n.complained_at, blocked_at = n.blocked_at, imported = coalesce(n.imported, s.imported)
     FROM unnest(${PERSON_TYPES}) AS n (${PERSON_NAMES}) WHERE s.account_id = n.account_id AND s.id = n.id`,
    person,
  ),
];

/** Compares before and after. A list that was joined and left within the group leaves only its history. */
function saveMemberships(people: readonly Person[]): readonly Statement[] {
  const ended = people.flatMap(({ account, id, joinedBefore, joined }) =>
    [...joinedBefore.keys()].filter((list) => !joined.has(list)).map((list) => ({ account, id, list })),
  );
  const now = people.flatMap(({ account, id, joinedBefore, joined }) =>
    [...joined].map(([list, at]) => ({ account, id, list, at, before: joinedBefore.get(list) })),
  );
  const columns: Columns<(typeof now)[number]> = [
    ({ account }) => account,
    ({ id }) => id,
    ({ list }) => list,
    ({ at }) => at,
  ];
  return [
    ...statement(
      ended,
      "DELETE FROM membership AS m USING unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS n (account_id, subscriber_id, list_id) WHERE m.account_id = n.account_id AND m.subscriber_id = n.subscriber_id AND m.list_id = n.list_id",
      [({ account }) => account, ({ id }) => id, ({ list }) => list],
    ),
    ...statement(
      now.filter(({ before }) => before === undefined),
      "INSERT INTO membership (account_id, subscriber_id, list_id, joined_at) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])",
      columns,
    ),
    // Left and joined again.
    ...statement(
      now.filter(({ at, before }) => before !== undefined && before !== at),
      "UPDATE membership AS m SET joined_at = n.joined_at FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS n (account_id, subscriber_id, list_id, joined_at) WHERE m.account_id = n.account_id AND m.subscriber_id = n.subscriber_id AND m.list_id = n.list_id",
      columns,
    ),
  ];
}

const saveValues = ({ givenValues }: WorkingSet): readonly Statement[] =>
  statement(
    [...givenValues.values()],
    "INSERT INTO custom_value (account_id, subscriber_id, field_id, value, given_at, key_id, import_id) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[]) ON CONFLICT (account_id, subscriber_id, field_id) DO UPDATE SET value = excluded.value, given_at = excluded.given_at, key_id = excluded.key_id, import_id = excluded.import_id",
    [
      ({ person: { account } }) => account,
      ({ person: { id } }) => id,
      ({ field }) => field,
      ({ value }) => value,
      ({ at }) => at,
      ({ key }) => key,
      ({ batch }) => batch,
    ],
  );

/** Ids follow the order of the arrays, and so the order of the commands. */
const saveHistory = ({ history }: WorkingSet): readonly Statement[] =>
  statement(
    history,
    "INSERT INTO history (account_id, subscriber_id, at, kind, origin, key_id, campaign_id, list_id, detail, import_id, replaced) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[], $9::text[], $10::bigint[], $11::text[])",
    [
      ({ person: { account } }) => account,
      ({ person: { id } }) => id,
      ({ entry: { at } }) => at,
      ({ entry: { kind } }) => kind,
      ({ entry: { origin } }) => origin.kind,
      ({ entry: { origin } }) => keyOf(origin),
      ({ entry: { campaign } }) => campaign,
      ({ entry: { list } }) => list,
      ({ entry: { detail } }) => detail,
      ({ entry: { origin } }) => batchOf(origin),
      ({ entry: { replaced } }) => writeReplaced(replaced),
    ],
  );

const saveLosses = ({ newLosses }: WorkingSet): readonly Statement[] =>
  statement(
    newLosses,
    "INSERT INTO campaign_event (account_id, subscriber_id, campaign_id, event, at, joined_at) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])",
    [
      ({ person: { account } }) => account,
      ({ person: { id } }) => id,
      ({ campaign }) => campaign,
      ({ event }) => event,
      ({ at }) => at,
      ({ joinedAt }) => joinedAt,
    ],
  );

const saveImportCounts = ({ importCounts }: WorkingSet): readonly Statement[] =>
  statement(
    [...importCounts].sort(([one], [other]) => one - other),
    "UPDATE import_batch AS b SET counts = n.counts FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS n (account_id, id, counts) WHERE b.account_id = n.account_id AND b.id = n.id",
    [([, { account }]) => account, ([id]) => id, ([, { counts }]) => JSON.stringify(counts)],
  );

const saveFields = ({ newFields }: WorkingSet): readonly Statement[] =>
  statement(
    newFields,
    "INSERT INTO field (account_id, name, name_key, data_type, is_private, created_at) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::bigint[])",
    [
      ({ account }) => account,
      ({ name }) => name,
      ({ key }) => key,
      ({ type }) => type,
      ({ isPrivate }) => isPrivate,
      ({ at }) => at,
    ],
  );
