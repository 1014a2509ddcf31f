-- Requests that may be repeated, by user and the hash of their idempotency key. The fingerprint is that of the request,
-- hashed together with the key. Rows are kept for a day, and are not part of copies and backups. A user may work in
-- several accounts, so the key does not lead with the account.
CREATE TABLE idempotency_key (
  owner_id bigint NOT NULL,
  hash bytea NOT NULL,
  fingerprint bytea NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (owner_id, hash)
);
CREATE INDEX idempotency_key_oldest ON idempotency_key (at);

-- The results of their writes, in the serialization format of V8. account_id and address_key tell whose data a result
-- is about, so that it is deleted with them.
CREATE TABLE idempotency_result (
  owner_id bigint NOT NULL,
  hash bytea NOT NULL,
  ordinal bigint NOT NULL,
  account_id bigint,
  address_key text COLLATE "C",
  result bytea NOT NULL,
  PRIMARY KEY (owner_id, hash, ordinal)
);
CREATE INDEX idempotency_result_subject ON idempotency_result (account_id, address_key);

-- The secret of the installation: one row, created on first use.
CREATE TABLE installation_secret (
  name text COLLATE "C" NOT NULL PRIMARY KEY,
  secret bytea NOT NULL
);
