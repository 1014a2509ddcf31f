/** Reverts the later migrations of a database, in SQL that both databases understand. */
export const TO_SCHEMA_5 = `ALTER TABLE membership DROP COLUMN status;
  DELETE FROM schema_migration WHERE number > 5`;
export const TO_SCHEMA_3 = `${TO_SCHEMA_5};
  DROP TABLE import_batch;
  ALTER TABLE history DROP COLUMN import_id;
  ALTER TABLE history DROP COLUMN replaced;
  ALTER TABLE custom_value DROP COLUMN import_id;
  ALTER TABLE subscriber DROP COLUMN imported;
  DROP INDEX field_oldest;
  ALTER TABLE account DROP COLUMN refused_bytes;
  DELETE FROM schema_migration WHERE number > 3`;

/** What the SQLite schema had besides. */
const ACTIVE = `ALTER TABLE subscriber ADD COLUMN active INTEGER NOT NULL AS (
    unsubscribed_at IS NULL AND bounced_at IS NULL AND complained_at IS NULL AND blocked_at IS NULL
  ) VIRTUAL`;
export const SQLITE_TO_SCHEMA_5 = `${TO_SCHEMA_5}; ${ACTIVE}`;
export const SQLITE_TO_SCHEMA_3 = `${TO_SCHEMA_3}; ${ACTIVE}`;
