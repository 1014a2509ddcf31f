-- What stays of people who were erased and must not be mailed: a hash of the address, keyed by a secret of the account,
-- and since when which fact holds. Enough to know them again when somebody brings the address, not to find out whose it is.

ALTER TABLE account ADD COLUMN erasure_key bytea;

CREATE TABLE erased (
  account_id bigint NOT NULL REFERENCES account (id),
  hash bytea NOT NULL,
  erased_at bigint NOT NULL,
  unsubscribed_at bigint,
  bounced_at bigint,
  complained_at bigint,
  blocked_at bigint,
  PRIMARY KEY (account_id, hash)
);
