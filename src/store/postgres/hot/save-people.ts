/**
 * What a working set changes of subscribers, as statements: one per kind of change, whatever their number.
 */
import { batchOf, keyOf, operatorOf, userOf } from "#domain/access/origin.ts";
import type { AccountId } from "#domain/account.ts";
import type { ListId } from "#domain/list.ts";
import { type SubscriberId, suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { storedEvent } from "../../reads/event-row.ts";
import { writeReplaced } from "../../reads/rows.ts";
import { statusCode, suppressionColumn, suppressionColumns } from "../../reads/who-counts.ts";
import { newestIsByLink } from "../../writes/repeated-opt-out.ts";
import type { Statement } from "../sessions/connection.ts";
import { change } from "../statement.ts";
import { type Column, type Columns, RowArrays } from "./row-arrays.ts";
import type { GivenValue, Loss, Person, SavedEntry, StoredMembership, WorkingSet } from "./working-set.ts";

export const savePeople = (set: WorkingSet): readonly Statement[] => {
  const changed = [...set.changedPeople];
  return [
    ...newPerson.to(INSERT_PEOPLE, changed.filter(({ newAddress }) => newAddress !== null).sort(inOrder)),
    ...person.to(
      UPDATE_PEOPLE,
      changed.filter(({ newAddress, isChanged }) => newAddress === null && isChanged),
    ),
    ...names.to(RENAME_EVENTS, renamed(changed, set)),
    ...saveMemberships(changed),
    ...value.to(SAVE_VALUES, [...set.givenValues.values()]),
    ...saveHistory(set.history),
    // After the subscribers, whose names and addresses it copies.
    ...loss.to(INSERT_LOSSES, set.newLosses),
    ...DELETE_PEOPLE.flatMap((sql) => personId.to(sql, [...set.deletedPeople])),
  ];
};

const personColumns: Columns<Person> = {
  account_id: ["bigint", ({ account }) => account],
  id: ["bigint", ({ id }) => id],
  first_name: ["text", ({ data }) => data.firstName ?? null],
  last_name: ["text", ({ data }) => data.lastName ?? null],
  gender: ["text", ({ data }) => data.gender ?? null],
  birthday: ["text", ({ data }) => data.birthday ?? null],
  country: ["text", ({ data }) => data.country ?? null],
  imported: ["bigint", ({ imported }) => imported],
  ...Object.fromEntries(
    suppressionKinds.map((kind): [string, Column<Person>] => [
      suppressionColumn[kind],
      ["bigint", ({ suppressions }) => suppressions[kind]],
    ]),
  ),
};
const newPerson = new RowArrays<Person>({
  ...personColumns,
  address: ["text", ({ newAddress }) => newAddress?.text ?? ""],
  address_key: ["text", ({ key }) => key],
  known_since: ["bigint", ({ since }) => since],
  import_id: ["bigint", ({ createdBy }) => createdBy],
});
const INSERT_PEOPLE = change(
  `INSERT INTO subscriber (
     account_id, id, address, address_key, known_since, import_id,
     first_name, last_name, gender, birthday, country, imported,
     ${suppressionColumns.join(", ")}
   )
   SELECT
     account_id, id, address, address_key, known_since, import_id,
     coalesce(first_name, ''), coalesce(last_name, ''), gender, birthday, country, coalesce(imported, 0),
     ${suppressionColumns.join(", ")}
   FROM ${newPerson.table}`,
);
/** One order for all nodes: two that add the same new addresses wait for each other only one way. */
const inOrder = (one: Person, other: Person): number =>
  one.account - other.account || (one.key < other.key ? -1 : 1);

const person = new RowArrays<Person>(personColumns);
const UPDATE_PEOPLE = change(
  `UPDATE subscriber AS s SET
     first_name = coalesce(n.first_name, s.first_name), last_name = coalesce(n.last_name, s.last_name),
     gender = coalesce(n.gender, s.gender), birthday = coalesce(n.birthday, s.birthday),
     country = coalesce(n.country, s.country), imported = coalesce(n.imported, s.imported),
     ${suppressionColumns.map((column) => `${column} = n.${column}`).join(", ")}
   FROM ${person.table}
   WHERE s.account_id = n.account_id AND s.id = n.id`,
);

/**
 * The names are stored with the subscriber's campaign events, too. Most subscribers have none: one lookup for
 * a name that has changed.
 */
const names = new RowArrays<Person>({
  account_id: ["bigint", ({ account }) => account],
  subscriber_id: ["bigint", ({ id }) => id],
  first_name: ["text", ({ data }) => data.firstName ?? null],
  last_name: ["text", ({ data }) => data.lastName ?? null],
});
const RENAME_EVENTS = change(
  `UPDATE campaign_event AS e SET
     first_name = coalesce(n.first_name, e.first_name), last_name = coalesce(n.last_name, e.last_name)
   FROM ${names.table}
   WHERE e.account_id = n.account_id AND e.subscriber_id = n.subscriber_id`,
);
const renamed = (people: readonly Person[], { basics }: WorkingSet): readonly Person[] =>
  people.filter(({ newAddress, id, data }) => {
    const loaded = basics.get(id);
    const isNew = (name: "firstName" | "lastName"): boolean =>
      data[name] !== undefined && data[name] !== loaded?.[name];
    return newAddress === null && (isNew("firstName") || isNew("lastName"));
  });

interface ListMember {
  readonly account: AccountId;
  readonly id: SubscriberId;
  readonly list: ListId;
}
interface SavedMembership extends ListMember {
  readonly membership: StoredMembership;
}
const memberColumns: Columns<ListMember> = {
  account_id: ["bigint", ({ account }) => account],
  subscriber_id: ["bigint", ({ id }) => id],
  list_id: ["bigint", ({ list }) => list],
};
const IS_MEMBER =
  "m.account_id = n.account_id AND m.subscriber_id = n.subscriber_id AND m.list_id = n.list_id";
const member = new RowArrays<ListMember>(memberColumns);
const DELETE_MEMBERSHIPS = change(`DELETE FROM membership AS m USING ${member.table} WHERE ${IS_MEMBER}`);
const membership = new RowArrays<SavedMembership>({
  ...memberColumns,
  joined_at: ["bigint", ({ membership: { joinedAt } }) => joinedAt],
  status: ["bigint", ({ membership: { status } }) => statusCode[status]],
  import_id: ["bigint", ({ membership: { fromImport } }) => fromImport?.import ?? null],
  confirmed_by: ["bigint", ({ membership: { fromImport } }) => fromImport?.confirmedBy ?? null],
});
const INSERT_MEMBERSHIPS = change(
  `INSERT INTO membership (${membership.names}) SELECT * FROM ${membership.table}`,
);
const UPDATE_MEMBERSHIPS = change(
  `UPDATE membership AS m SET
     joined_at = n.joined_at, status = n.status, import_id = n.import_id, confirmed_by = n.confirmed_by
   FROM ${membership.table}
   WHERE ${IS_MEMBER}`,
);

/** Compares before and after. A list that was joined and left within the group leaves only its history. */
function saveMemberships(people: readonly Person[]): readonly Statement[] {
  const [ended, begun, again]: [ListMember[], SavedMembership[], SavedMembership[]] = [[], [], []];
  for (const { account, id, membershipsBefore, memberships } of people) {
    for (const list of membershipsBefore.keys())
      if (!memberships.has(list)) ended.push({ account, id, list });
    for (const [list, now] of memberships) {
      const before = membershipsBefore.get(list);
      const saved = { account, id, list, membership: now };
      if (before === undefined) begun.push(saved);
      // Left and joined again, or confirmed.
      else if (before !== now) again.push(saved);
    }
  }
  return [
    ...member.to(DELETE_MEMBERSHIPS, ended),
    ...membership.to(INSERT_MEMBERSHIPS, begun),
    ...membership.to(UPDATE_MEMBERSHIPS, again),
  ];
}

const ofPerson: Columns<{ readonly person: Person }> = {
  account_id: ["bigint", ({ person: { account } }) => account],
  subscriber_id: ["bigint", ({ person: { id } }) => id],
};
const value = new RowArrays<GivenValue>({
  ...ofPerson,
  field_id: ["bigint", ({ field }) => field],
  value: ["text", ({ value }) => value],
  given_at: ["bigint", ({ at }) => at],
  key_id: ["bigint", ({ key }) => key],
  import_id: ["bigint", ({ batch }) => batch],
});
const SAVE_VALUES = change(
  `INSERT INTO custom_value (${value.names})
   SELECT * FROM ${value.table}
   ON CONFLICT (account_id, subscriber_id, field_id) DO UPDATE SET
     value = excluded.value, given_at = excluded.given_at,
     key_id = excluded.key_id, import_id = excluded.import_id`,
);

const entryColumns: Columns<SavedEntry> = {
  ...ofPerson,
  at: ["bigint", ({ entry: { at } }) => at],
  kind: ["text", ({ entry: { kind } }) => kind],
  origin: ["text", ({ entry: { origin } }) => origin.kind],
  key_id: ["bigint", ({ entry: { origin } }) => keyOf(origin)],
  campaign_id: ["bigint", ({ entry: { campaign } }) => campaign],
  list_id: ["bigint", ({ entry: { list } }) => list],
  detail: ["text", ({ entry: { detail } }) => detail],
  import_id: ["bigint", ({ entry: { origin } }) => batchOf(origin)],
  replaced: ["text", ({ entry: { replaced } }) => writeReplaced(replaced)],
};
const entry = new RowArrays<SavedEntry>(entryColumns);
const namedColumns: Columns<SavedEntry> = {
  ...entryColumns,
  operator_name: ["text", ({ entry: { origin } }) => operatorOf(origin)],
  user_id: ["bigint", ({ entry: { origin } }) => userOf(origin)],
};
const namedEntry = new RowArrays<SavedEntry>(namedColumns);
const isNamed = ({ entry: { origin } }: SavedEntry): boolean =>
  origin.kind === "operator" || origin.kind === "user";
/** Ids follow the order of the arrays, and so the order of the commands. */
const insertHistory = ({ names: columns, table }: RowArrays<SavedEntry>) =>
  change(`INSERT INTO history (${columns}) SELECT * FROM ${table}`);
const [INSERT_HISTORY, INSERT_NAMED_HISTORY] = [insertHistory(entry), insertHistory(namedEntry)];

const entryAfterLink = new RowArrays<SavedEntry>({
  ...namedColumns,
  is_after_link: ["boolean", ({ isAfterLink }) => isAfterLink],
});
const INSERT_AFTER_LINK = change(
  `INSERT INTO history (${namedEntry.names})
   SELECT ${namedEntry.names}
   FROM ${entryAfterLink.table}
   WHERE NOT n.is_after_link
     OR ${newestIsByLink("h.account_id = n.account_id AND h.subscriber_id = n.subscriber_id")}`,
);

/** Who made a change is sent only if a user did: calls with a key pay nothing for it. */
function saveHistory(history: readonly SavedEntry[]): readonly Statement[] {
  if (history.some(({ isAfterLink }) => isAfterLink)) return entryAfterLink.to(INSERT_AFTER_LINK, history);
  return history.some(isNamed)
    ? namedEntry.to(INSERT_NAMED_HISTORY, history)
    : entry.to(INSERT_HISTORY, history);
}

const loss = new RowArrays<Loss>({
  ...ofPerson,
  campaign_id: ["bigint", ({ campaign }) => campaign],
  event: ["text", ({ event }) => storedEvent[event]],
  at: ["bigint", ({ at }) => at],
  joined_at: ["bigint", ({ joinedAt }) => joinedAt],
});
const INSERT_LOSSES = change(
  `INSERT INTO campaign_event (${loss.names}, first_name, last_name, address)
   SELECT n.*, s.first_name, s.last_name, s.address
   FROM ${loss.table}
   JOIN subscriber AS s ON s.account_id = n.account_id AND s.id = n.subscriber_id`,
);

const personId = new RowArrays<Person>({
  account_id: ["bigint", ({ account }) => account],
  id: ["bigint", ({ id }) => id],
});
const deleteFrom = (table: string, column: string) =>
  change(
    `DELETE FROM ${table} AS t USING ${personId.table}
     WHERE t.account_id = n.account_id AND t.${column} = n.id`,
  );
const DELETE_PEOPLE = [
  deleteFrom("custom_value", "subscriber_id"),
  deleteFrom("membership", "subscriber_id"),
  deleteFrom("history", "subscriber_id"),
  deleteFrom("campaign_event", "subscriber_id"),
  deleteFrom("subscriber", "id"),
];
