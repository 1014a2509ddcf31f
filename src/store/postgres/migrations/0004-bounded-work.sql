-- Pages of fields are read in the order of their creation: by this, from where the last page ended.
CREATE INDEX field_oldest ON field (account_id, created_at, id);

-- How many bytes the arguments of an account's refused calls take; `mailroll doctor` compares it with a
-- recount.
ALTER TABLE account ADD COLUMN refused_bytes bigint NOT NULL DEFAULT 0;
UPDATE account SET refused_bytes = coalesce(
  (SELECT sum(octet_length(args)) FROM refused WHERE refused.account_id = account.id), 0
);
