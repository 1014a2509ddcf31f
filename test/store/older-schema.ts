/** Schemas of older versions. */
import { readMigrations } from "../../src/store/migrations.ts";

/** The SQL that makes an empty database one of the schema before the migration of that name. */
export function schemaBefore(store: "sqlite" | "postgres", migration: string): string {
  const all = readMigrations(new URL(`../../src/store/${store}/migrations/`, import.meta.url));
  const last = all.find(({ name }) => name === migration)?.number ?? 0;
  return [
    "CREATE TABLE schema_migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at bigint NOT NULL)",
    ...all.flatMap(({ number, name, sql }) =>
      number < last ? [`INSERT INTO schema_migration VALUES (${number}, '${name}', 1)`, sql] : [],
    ),
  ].join(";\n");
}

/** Reverts the later migrations of a database, in SQL that both databases understand. */
export const TO_SCHEMA_12 = `
  DROP TABLE list_day;
  DROP TABLE account_day;
  DROP TABLE call_day;
  DROP TABLE client_quirk;
  DELETE FROM schema_migration WHERE number > 12`;
const TO_SCHEMA_10 = `${TO_SCHEMA_12}; DROP TABLE audit; ALTER TABLE history DROP COLUMN operator_name`;
const TO_SCHEMA_9 = `${TO_SCHEMA_10};
  ALTER TABLE field DROP COLUMN is_deleting;
  ALTER TABLE campaign DROP COLUMN is_deleting;
  ALTER TABLE account DROP COLUMN is_deleting`;
export const TO_SCHEMA_8 = `${TO_SCHEMA_9};
  ALTER TABLE no_op RENAME TO already_so;
  UPDATE import_batch
    SET counts = replace(replace(counts, '"newSubscribers"', '"newPeople"'), '"subscribers"', '"people"');
  DELETE FROM schema_migration WHERE number > 8`;
export const TO_SCHEMA_3 = `${TO_SCHEMA_8};
  DROP TABLE job;
  ALTER TABLE list DROP COLUMN is_deleting;
  ALTER TABLE campaign_event DROP COLUMN needs_escape;
  ALTER TABLE campaign_event DROP COLUMN first_name;
  ALTER TABLE campaign_event DROP COLUMN last_name;
  ALTER TABLE campaign_event DROP COLUMN address;
  ALTER TABLE membership DROP COLUMN status;
  DROP TABLE import_batch;
  ALTER TABLE history DROP COLUMN import_id;
  ALTER TABLE history DROP COLUMN replaced;
  ALTER TABLE custom_value DROP COLUMN import_id;
  ALTER TABLE subscriber DROP COLUMN imported;
  DROP INDEX field_oldest;
  ALTER TABLE account DROP COLUMN refused_bytes;
  DELETE FROM schema_migration WHERE number > 3`;

/** With what the SQLite schema had besides. */
export const SQLITE_TO_SCHEMA_3 = `${TO_SCHEMA_3};
  ALTER TABLE subscriber ADD COLUMN active INTEGER NOT NULL AS (
    unsubscribed_at IS NULL AND bounced_at IS NULL AND complained_at IS NULL AND blocked_at IS NULL
  ) VIRTUAL`;
