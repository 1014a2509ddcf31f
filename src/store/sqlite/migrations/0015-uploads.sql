-- Files that were sent in parts, to be imported. Temporary: not part of copies and backups. size is the sum of the parts;
-- expected_size is what the client announced, or NULL. used_at is when it was last written or read.
CREATE TABLE upload (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES account (id),
  name TEXT NOT NULL,
  size INTEGER NOT NULL DEFAULT 0,
  expected_size INTEGER,
  parts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
CREATE INDEX upload_of_account ON upload (account_id, id);

-- The parts, each from a position on. The bytes are in a file beside the database; file is its name. The rows of a deleted
-- upload are removed in batches.
CREATE TABLE upload_part (
  account_id INTEGER NOT NULL,
  upload_id INTEGER NOT NULL,
  start INTEGER NOT NULL,
  length INTEGER NOT NULL,
  sha256 BLOB NOT NULL,
  file TEXT,
  content BLOB,
  PRIMARY KEY (account_id, upload_id, start)
) STRICT, WITHOUT ROWID;

-- How far an import got that continues after an interruption: saved in the transaction of the rows, each time with a
-- higher version. Temporary, too.
CREATE TABLE import_progress (
  account_id INTEGER NOT NULL,
  import_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  done_rows INTEGER NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (account_id, import_id)
) STRICT, WITHOUT ROWID;
