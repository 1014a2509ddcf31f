/** Loads the stored values of subscribers to whom a command gives values: the rules compare the two. */
import type { AccountId } from "#domain/account.ts";
import type { FieldId } from "#domain/field/field.ts";
import { lastOfEach } from "#domain/subscriber/person-data.ts";
import { integer, nullable, type RowOf, text } from "../../cold/kit/statement.ts";
import { BASICS, basicsRow } from "../../reads/rows.ts";
import type { Connection } from "../sessions/connection.ts";
import { statement } from "../statement.ts";
import type { CallerCommand } from "./caller-command.ts";
import { keysTable } from "./lookup-keys.ts";
import type { WorkingSet } from "./working-set.ts";

/** An address that a command names. */
export interface NamedPerson {
  readonly account: AccountId;
  readonly key: string;
}
/** A custom value that a call gives to an address. */
interface NamedValue extends NamedPerson {
  readonly field: FieldId;
}
export const accountsOf = (people: readonly NamedPerson[]): readonly AccountId[] =>
  people.map(({ account }) => account);
export const keysOf = (people: readonly NamedPerson[]): readonly string[] => people.map(({ key }) => key);

/** Loads what is stored for them into a working set. */
export type LoadFor<Item extends NamedPerson> = (
  db: Connection,
  set: WorkingSet,
  items: readonly Item[],
) => Promise<void>;

const NAMED = keysTable("text", "address_key");
const BASICS_OF = statement(
  { id: integer, ...basicsRow },
  `SELECT s.id, ${BASICS}
   FROM ${NAMED}
   JOIN subscriber AS s USING (account_id, address_key)`,
);

export const loadBasics: LoadFor<NamedPerson> = async (db, set, people) => {
  const rows = await db.all(BASICS_OF, accountsOf(people), keysOf(people));
  for (const { id, ...basics } of rows) set.basics.set(id, basics);
};

/** The id of a field has 64 bits: it is read as text. */
const value = { person: integer, field: text, value: text, batch: nullable(integer) };
const VALUE = `
  v.subscriber_id AS person, v.field_id::text AS field, v.value, v.import_id AS batch`;
const OF_PERSON = `
  JOIN subscriber AS s USING (account_id, address_key)
  JOIN custom_value AS v ON v.account_id = s.account_id AND v.subscriber_id = s.id`;
const ALL_VALUES = statement(value, `SELECT ${VALUE} FROM ${NAMED} ${OF_PERSON}`);
const NAMED_VALUES = statement(
  value,
  `SELECT ${VALUE}
   FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS n (account_id, address_key, field_id)
   ${OF_PERSON} AND v.field_id = n.field_id`,
);
function addValues(set: WorkingSet, rows: readonly RowOf<typeof value>[]): void {
  for (const { person, field, ...stored } of rows) {
    const values = set.values.get(person) ?? new Map();
    set.values.set(person, values.set(BigInt(field), stored));
  }
}

/** All values of these subscribers. */
export const loadValues: LoadFor<NamedPerson> = async (db, set, people) =>
  addValues(set, await db.all(ALL_VALUES, accountsOf(people), keysOf(people)));

/** Only the values of a subscriber that a call sets. */
export const loadNamedValues: LoadFor<NamedValue> = async (db, set, named) => {
  const fields = named.map(({ field }) => field);
  addValues(set, await db.all(NAMED_VALUES, accountsOf(named), keysOf(named), fields));
};

/** The subscribers to whom a group gives basic values, and the custom values it gives to each. */
export function givenBy(group: readonly CallerCommand[]): {
  readonly described: readonly NamedPerson[];
  readonly valued: readonly NamedValue[];
} {
  const described: NamedPerson[] = [];
  const valued: NamedValue[] = [];
  for (const { kind, args } of group) {
    if (kind !== "subscribers.addWithData" || args.address === null) continue;
    const { account, address, data } = args;
    const { values, ...basics } = data;
    const person = { account, key: address.key };
    if (Object.values(basics).some((value) => value !== null)) described.push(person);
    for (const { field } of lastOfEach(values)) if (field !== null) valued.push({ ...person, field });
  }
  return { described, valued };
}
