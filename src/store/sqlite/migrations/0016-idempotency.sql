-- Requests that may be repeated, by user and the hash of their idempotency key. The fingerprint is that of the request,
-- hashed together with the key. Rows are kept for a day, and are not part of copies and backups.
CREATE TABLE idempotency_key (
  owner_id INTEGER NOT NULL,
  hash BLOB NOT NULL,
  fingerprint BLOB NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (owner_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_key_oldest ON idempotency_key (at);

-- The results of their writes, in the serialization format of V8. account_id and address_key tell whose data a result
-- is about, so that it is deleted with them.
CREATE TABLE idempotency_result (
  owner_id INTEGER NOT NULL,
  hash BLOB NOT NULL,
  ordinal INTEGER NOT NULL,
  account_id INTEGER,
  address_key TEXT,
  result BLOB NOT NULL,
  PRIMARY KEY (owner_id, hash, ordinal)
) STRICT;
CREATE INDEX idempotency_result_subject ON idempotency_result (account_id, address_key);

-- The secret of the installation: one row, created on first use.
CREATE TABLE installation_secret (
  name TEXT NOT NULL PRIMARY KEY,
  secret BLOB NOT NULL
) STRICT, WITHOUT ROWID;
