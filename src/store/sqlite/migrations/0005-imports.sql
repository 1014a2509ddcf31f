-- Imports: which values an import wrote last, which entries of the history replaced values, and every import as a batch.

-- A bit per basic value that an import wrote last: 1 first name, 2 last name, 4 gender, 8 birthday, 16 country. Nobody
-- knows who wrote the values that are there already, so they count as not imported.
ALTER TABLE subscriber ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
-- The import that wrote the value, where an import wrote it last.
ALTER TABLE custom_value ADD COLUMN import_id INTEGER;

ALTER TABLE history ADD COLUMN import_id INTEGER;
-- Of an entry of the kind 'changed': a JSON array of {"field", "old", "new"}, where field is the name of a basic value
-- or the id of a custom field.
ALTER TABLE history ADD COLUMN replaced TEXT;

-- list_id is NULL for suppressions, which are about no list; counts is a JSON object;
-- finished_at is NULL while the import runs, and of one that broke off.
CREATE TABLE import_batch (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES account (id),
  list_id INTEGER,
  file_name TEXT NOT NULL,
  started_by TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  counts TEXT NOT NULL
) STRICT;
CREATE INDEX import_batch_of_account ON import_batch (account_id, id);
