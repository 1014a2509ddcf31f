/** Loads the stored values of subscribers to whom a command gives values: the rules compare the two. */
import type { AccountId } from "../../../domain/account.ts";
import type { FieldId } from "../../../domain/field.ts";
import { lastOfEach } from "../../../domain/person-data.ts";
import type { SubscriberId } from "../../../domain/subscriber.ts";
import type { StoredBasics } from "../../../domain/value-rules.ts";
import { BASICS } from "../../rows.ts";
import type { Connection } from "../sessions/connection.ts";
import type { CallerCommand } from "./caller-command.ts";
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

export async function loadBasics(
  db: Connection,
  set: WorkingSet,
  people: readonly NamedPerson[],
): Promise<void> {
  const rows = await db.all<StoredBasics & { readonly id: SubscriberId }>(
    `SELECT s.id, ${BASICS} FROM unnest($1::bigint[], $2::text[]) AS n (account_id, address_key) JOIN subscriber AS s USING (account_id, address_key)`,
    accountsOf(people),
    keysOf(people),
  );
  for (const { id, ...basics } of rows) set.basics.set(id, basics);
}

const VALUE =
  'v.subscriber_id AS person, v.field_id::text AS field, v.value, v.import_id IS NOT NULL AS "isImported"';
const OF_PERSON =
  "JOIN subscriber AS s USING (account_id, address_key) JOIN custom_value AS v ON v.account_id = s.account_id AND v.subscriber_id = s.id";
interface ValueRow {
  readonly person: SubscriberId;
  readonly field: string;
  readonly value: string;
  readonly isImported: boolean;
}
function addValues(set: WorkingSet, rows: readonly ValueRow[]): void {
  for (const { person, field, value, isImported } of rows) {
    const values = set.values.get(person) ?? new Map();
    set.values.set(person, values.set(BigInt(field), { value, isImported }));
  }
}

/** All values of these subscribers. */
export async function loadValues(
  db: Connection,
  set: WorkingSet,
  people: readonly NamedPerson[],
): Promise<void> {
  const rows = await db.all<ValueRow>(
    `SELECT ${VALUE} FROM unnest($1::bigint[], $2::text[]) AS n (account_id, address_key) ${OF_PERSON}`,
    accountsOf(people),
    keysOf(people),
  );
  addValues(set, rows);
}

/** Only those values of a subscriber that a call sets. */
export async function loadNamedValues(
  db: Connection,
  set: WorkingSet,
  named: readonly NamedValue[],
): Promise<void> {
  const rows = await db.all<ValueRow>(
    `SELECT ${VALUE} FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS n (account_id, address_key, field_id) ${OF_PERSON} AND v.field_id = n.field_id`,
    accountsOf(named),
    keysOf(named),
    named.map(({ field }) => field),
  );
  addValues(set, rows);
}

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
