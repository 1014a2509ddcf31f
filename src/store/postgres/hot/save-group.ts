/**
 * The changes of a working set as statements: one per kind of change, whatever their number; none if nothing
 * changed.
 */
import type { AccountId } from "../../../domain/account.ts";
import { batchOf, keyOf } from "../../../domain/origin.ts";
import type { Retention } from "../../../domain/refusal.ts";
import { suppressionKinds } from "../../../domain/subscriber.ts";
import { writeReplaced } from "../../rows.ts";
import { statusCode, suppressionColumn, suppressionColumns } from "../../who-counts.ts";
import type { Statement, Value } from "../sessions/connection.ts";
import { saveRefusals } from "./refusals.ts";
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
  ...renameEvents(set),
  ...saveMemberships([...set.changedPeople]),
  ...saveValues(set),
  ...saveHistory(set),
  ...saveLosses(set),
  ...deletePeople([...set.deletedPeople]),
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

type PersonColumn = readonly [name: string, type: "bigint" | "text", value: Columns<Person>[number]];
const person: readonly PersonColumn[] = [
  ["account_id", "bigint", ({ account }) => account],
  ["id", "bigint", ({ id }) => id],
  ["first_name", "text", ({ data }) => data.firstName ?? null],
  ["last_name", "text", ({ data }) => data.lastName ?? null],
  ["gender", "text", ({ data }) => data.gender ?? null],
  ["birthday", "text", ({ data }) => data.birthday ?? null],
  ["country", "text", ({ data }) => data.country ?? null],
  ["imported", "bigint", ({ imported }) => imported],
  ...suppressionKinds.map(
    (kind): PersonColumn => [suppressionColumn[kind], "bigint", ({ suppressions }) => suppressions[kind]],
  ),
];
const newPerson: readonly PersonColumn[] = [
  ...person,
  ["address", "text", ({ newAddress }) => newAddress?.text ?? ""],
  ["address_key", "text", ({ key }) => key],
  ["known_since", "bigint", ({ since }) => since],
];
const given = (columns: readonly PersonColumn[]): string =>
  `unnest(${columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(", ")}) AS n (${columns.map(([name]) => name).join(", ")})`;
const valuesOf = (columns: readonly PersonColumn[]): Columns<Person> => columns.map(([, , value]) => value);

const INSERT_PEOPLE = `INSERT INTO subscriber (
    account_id, id, address, address_key, known_since, first_name, last_name, gender, birthday, country, imported,
    ${suppressionColumns.join(", ")}
  ) SELECT
    account_id, id, address, address_key, known_since,
    coalesce(first_name, ''), coalesce(last_name, ''), gender, birthday, country, coalesce(imported, 0),
    ${suppressionColumns.join(", ")}
  FROM ${given(newPerson)}`;
const UPDATE_PEOPLE = `UPDATE subscriber AS s SET
    first_name = coalesce(n.first_name, s.first_name), last_name = coalesce(n.last_name, s.last_name),
    gender = coalesce(n.gender, s.gender), birthday = coalesce(n.birthday, s.birthday),
    country = coalesce(n.country, s.country), imported = coalesce(n.imported, s.imported),
    ${suppressionColumns.map((column) => `${column} = n.${column}`).join(", ")}
  FROM ${given(person)} WHERE s.account_id = n.account_id AND s.id = n.id`;

/** One order for all nodes: two that add the same new addresses wait for each other only one way. */
const inOrder = (one: Person, other: Person): number =>
  one.account - other.account || (one.key < other.key ? -1 : 1);

const savePeople = (people: readonly Person[]): readonly Statement[] => [
  ...statement(
    people.filter(({ newAddress }) => newAddress !== null).sort(inOrder),
    INSERT_PEOPLE,
    valuesOf(newPerson),
  ),
  ...statement(
    people.filter(({ newAddress, isChanged }) => newAddress === null && isChanged),
    UPDATE_PEOPLE,
    valuesOf(person),
  ),
];

/**
 * The names are stored with the subscriber's campaign events, too. Most subscribers have none: one lookup for
 * a name that has changed.
 */
const renameEvents = ({ changedPeople, basics }: WorkingSet): readonly Statement[] =>
  statement(
    [...changedPeople].filter(({ newAddress, id, data }) => {
      const loaded = basics.get(id);
      const isNew = (name: "firstName" | "lastName"): boolean =>
        data[name] !== undefined && data[name] !== loaded?.[name];
      return newAddress === null && (isNew("firstName") || isNew("lastName"));
    }),
    `UPDATE campaign_event AS e SET first_name = coalesce(n.first_name, e.first_name), last_name = coalesce(n.last_name, e.last_name)
     FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) AS n (account_id, subscriber_id, first_name, last_name)
     WHERE e.account_id = n.account_id AND e.subscriber_id = n.subscriber_id`,
    [
      ({ account }) => account,
      ({ id }) => id,
      ({ data }) => data.firstName ?? null,
      ({ data }) => data.lastName ?? null,
    ],
  );

/** Compares before and after. A list that was joined and left within the group leaves only its history. */
function saveMemberships(people: readonly Person[]): readonly Statement[] {
  const ended = people.flatMap(({ account, id, membershipsBefore, memberships }) =>
    [...membershipsBefore.keys()]
      .filter((list) => !memberships.has(list))
      .map((list) => ({ account, id, list })),
  );
  const now = people.flatMap(({ account, id, membershipsBefore, memberships }) =>
    [...memberships].map(([list, membership]) => ({
      account,
      id,
      list,
      membership,
      before: membershipsBefore.get(list),
    })),
  );
  const columns: Columns<(typeof now)[number]> = [
    ({ account }) => account,
    ({ id }) => id,
    ({ list }) => list,
    ({ membership }) => membership.joinedAt,
    ({ membership }) => statusCode[membership.status],
  ];
  return [
    ...statement(
      ended,
      "DELETE FROM membership AS m USING unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS n (account_id, subscriber_id, list_id) WHERE m.account_id = n.account_id AND m.subscriber_id = n.subscriber_id AND m.list_id = n.list_id",
      [({ account }) => account, ({ id }) => id, ({ list }) => list],
    ),
    ...statement(
      now.filter(({ before }) => before === undefined),
      "INSERT INTO membership (account_id, subscriber_id, list_id, joined_at, status) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])",
      columns,
    ),
    // Left and joined again.
    ...statement(
      now.filter(({ membership, before }) => before !== undefined && before !== membership),
      "UPDATE membership AS m SET joined_at = n.joined_at, status = n.status FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) AS n (account_id, subscriber_id, list_id, joined_at, status) WHERE m.account_id = n.account_id AND m.subscriber_id = n.subscriber_id AND m.list_id = n.list_id",
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

/** After the subscribers, whose names and addresses it copies. */
const saveLosses = ({ newLosses }: WorkingSet): readonly Statement[] =>
  statement(
    newLosses,
    `INSERT INTO campaign_event (account_id, subscriber_id, campaign_id, event, at, joined_at, first_name, last_name, address)
     SELECT n.account_id, n.subscriber_id, n.campaign_id, n.event, n.at, n.joined_at, s.first_name, s.last_name, s.address
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[]) AS n (account_id, subscriber_id, campaign_id, event, at, joined_at)
     JOIN subscriber AS s ON s.account_id = n.account_id AND s.id = n.subscriber_id`,
    [
      ({ person: { account } }) => account,
      ({ person: { id } }) => id,
      ({ campaign }) => campaign,
      ({ event }) => event,
      ({ at }) => at,
      ({ joinedAt }) => joinedAt,
    ],
  );

const deletePeople = (people: readonly Person[]): readonly Statement[] =>
  [
    ["custom_value", "subscriber_id"],
    ["membership", "subscriber_id"],
    ["history", "subscriber_id"],
    ["campaign_event", "subscriber_id"],
    ["subscriber", "id"],
  ].flatMap(([table, column]) =>
    statement(
      people,
      `DELETE FROM ${table} AS t USING unnest($1::bigint[], $2::bigint[]) AS n (account_id, id) WHERE t.account_id = n.account_id AND t.${column} = n.id`,
      [({ account }) => account, ({ id }) => id],
    ),
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
