/** Reverts the later migrations of a database, in SQL that both databases understand. */
export const TO_SCHEMA_3 = `ALTER TABLE campaign_event DROP COLUMN needs_escape;
  ALTER TABLE campaign_event DROP COLUMN first_name;
  ALTER TABLE campaign_event DROP COLUMN last_name;
  ALTER TABLE campaign_event DROP COLUMN address;
  DROP TABLE import_batch;
  ALTER TABLE history DROP COLUMN import_id;
  ALTER TABLE history DROP COLUMN replaced;
  ALTER TABLE custom_value DROP COLUMN import_id;
  ALTER TABLE subscriber DROP COLUMN imported;
  DROP INDEX field_oldest;
  ALTER TABLE account DROP COLUMN refused_bytes;
  DELETE FROM schema_migration WHERE number > 3`;
