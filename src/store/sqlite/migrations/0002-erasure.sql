-- What stays of people who were erased and must not be mailed: a hash of the address, keyed by a secret of the account,
-- and since when which fact holds. Enough to know them again when somebody brings the address, not to find out whose it is.

ALTER TABLE account ADD COLUMN erasure_key BLOB;

CREATE TABLE erased (
  account_id INTEGER NOT NULL REFERENCES account (id),
  hash BLOB NOT NULL,
  erased_at INTEGER NOT NULL,
  unsubscribed_at INTEGER,
  bounced_at INTEGER,
  complained_at INTEGER,
  blocked_at INTEGER,
  PRIMARY KEY (account_id, hash)
) STRICT, WITHOUT ROWID;
