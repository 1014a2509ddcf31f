/**
 * The stored values of a subscriber, read lazily: a call sets few of the values that a subscriber may have.
 */
import type { FieldId } from "#domain/field/field.ts";
import {
  noBasics,
  type StoredBasics,
  type StoredValue,
  type StoredValues,
} from "#domain/field/value-rules.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { integer, nullable, text } from "../../cold/kit/statement.ts";
import { BASICS, basicsRow } from "../../reads/rows.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

const OF_PERSON = statement(basicsRow, `SELECT ${BASICS} FROM subscriber WHERE id = ?`);
const VALUE = statement(
  { value: text, batch: nullable(integer) },
  "SELECT value, import_id AS batch FROM custom_value WHERE subscriber_id = ? AND field_id = ?",
);

export class LazyValues implements StoredValues {
  readonly #db: Connection;
  readonly #person: SubscriberId;
  readonly values = { get: (field: FieldId): StoredValue | undefined => this.#value(field) };

  constructor(db: Connection, person: SubscriberId) {
    this.#db = db;
    this.#person = person;
  }

  get basics(): StoredBasics {
    return this.#db.get(OF_PERSON, this.#person) ?? noBasics;
  }

  #value(field: FieldId): StoredValue | undefined {
    const row = this.#db.get(VALUE, this.#person, field);
    return row === undefined ? undefined : { value: row.value, isImported: row.batch !== null };
  }
}
