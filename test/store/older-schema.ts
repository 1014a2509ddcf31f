/** Schemas of older versions. */
import { readMigrations } from "#store/migrations.ts";

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
const TO_SCHEMA_31 = `
  DROP TABLE campaign_version; ALTER TABLE account DROP COLUMN steps_dismissed_at;
  ALTER TABLE program DROP COLUMN is_filling;
  ALTER TABLE program DROP COLUMN address; ALTER TABLE program DROP COLUMN is_demo;
  ALTER TABLE program DROP COLUMN backed_up_at; ALTER TABLE job DROP COLUMN started_at`;
const TO_SCHEMA_30 = `${TO_SCHEMA_31}; DROP INDEX sign_in_link_of_user; ALTER TABLE sign_in_link DROP COLUMN kind`;
const TO_SCHEMA_29 = `${TO_SCHEMA_30}; ALTER TABLE campaign_content DROP COLUMN filter`;
const TO_SCHEMA_28 = `${TO_SCHEMA_29};
  ALTER TABLE subscriber DROP COLUMN import_id;
  ALTER TABLE membership DROP COLUMN import_id; ALTER TABLE membership DROP COLUMN confirmed_by;
  ALTER TABLE import_batch DROP COLUMN is_undoable;
  ALTER TABLE import_batch DROP COLUMN undo_started_at; ALTER TABLE import_batch DROP COLUMN undone_at`;
const TO_SCHEMA_27 = `${TO_SCHEMA_28}; DROP INDEX campaign_content_sender; DROP TABLE provider_event; DROP TABLE webhook`;
const TO_SCHEMA_26 = `${TO_SCHEMA_27}; DROP TABLE pace`;
const TO_SCHEMA_25 = `${TO_SCHEMA_26}; DROP TABLE program`;
const TO_SCHEMA_24 = `${TO_SCHEMA_25}; ALTER TABLE api_key DROP COLUMN last_used_from`;
const TO_SCHEMA_23 = `${TO_SCHEMA_24};
  DROP INDEX subscriber_suppressed;
  ALTER TABLE account DROP COLUMN unsubscribed_subscribers; ALTER TABLE account DROP COLUMN bounced_subscribers;
  ALTER TABLE account DROP COLUMN complained_subscribers; ALTER TABLE account DROP COLUMN blocked_subscribers`;
const TO_SCHEMA_22 = `${TO_SCHEMA_23}; ALTER TABLE delivery_batch DROP COLUMN results_before`;
const TO_SCHEMA_21 = `${TO_SCHEMA_22}; DROP TABLE recipient_earlier`;
const TO_SCHEMA_20 = `${TO_SCHEMA_21};
  DROP TABLE handed_over; DROP TABLE delivery_batch;
  DROP TABLE recipient_retry; DROP TABLE recipient_reply; DROP TABLE recipient;
  DROP TABLE mailing; DROP TABLE campaign_content; DROP TABLE sender;
  ALTER TABLE account DROP COLUMN link_secret; ALTER TABLE campaign DROP COLUMN is_draft`;
const TO_SCHEMA_19 = `${TO_SCHEMA_20}; ALTER TABLE user_session DROP COLUMN begun_with; ALTER TABLE upload DROP COLUMN user_id`;
const TO_SCHEMA_18 = `${TO_SCHEMA_19}; DROP INDEX api_key_of_account`;
const TO_SCHEMA_17 = `${TO_SCHEMA_18};
  ALTER TABLE upload DROP COLUMN import_id; ALTER TABLE import_batch DROP COLUMN started_kind`;
const TO_SCHEMA_16 = `${TO_SCHEMA_17};
  DROP TABLE sign_in_link; DROP TABLE user_session; ALTER TABLE app_user DROP COLUMN time_zone`;
const TO_SCHEMA_15 = `${TO_SCHEMA_16};
  DROP TABLE idempotency_key; DROP TABLE idempotency_result; DROP TABLE installation_secret`;
const TO_SCHEMA_14 = `${TO_SCHEMA_15}; DROP TABLE import_progress; DROP TABLE upload_part; DROP TABLE upload`;
const TO_SCHEMA_13 = `${TO_SCHEMA_14};
  DELETE FROM job WHERE ended_at IS NOT NULL;
  DROP INDEX job_left;
  DROP INDEX job_due;
  DROP INDEX job_ended;
  DROP INDEX job_of_account;
  ALTER TABLE job DROP COLUMN actor_kind;
  ALTER TABLE job DROP COLUMN actor_name;
  ALTER TABLE job DROP COLUMN done;
  ALTER TABLE job DROP COLUMN total;
  ALTER TABLE job DROP COLUMN result;
  ALTER TABLE job DROP COLUMN cancelled_at;
  ALTER TABLE job DROP COLUMN ended_at;
  ALTER TABLE job DROP COLUMN ending;
  CREATE INDEX job_due ON job (due_at, id)`;
/** Also reverts the later ones, which are recorded as applied. */
export const TO_SCHEMA_12 = `${TO_SCHEMA_13};
  DROP TABLE list_day;
  DROP TABLE account_day;
  DROP TABLE call_day;
  DROP TABLE client_quirk;
  DELETE FROM schema_migration WHERE number > 12`;
const TO_SCHEMA_11 = `${TO_SCHEMA_12};
  ALTER TABLE history DROP COLUMN user_id;
  DROP TABLE recovery_code;
  DROP TABLE user_token;
  DROP TABLE user_role;
  DROP TABLE app_user`;
const TO_SCHEMA_10 = `${TO_SCHEMA_11};
  DROP TABLE audit;
  ALTER TABLE history DROP COLUMN operator_name`;
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
