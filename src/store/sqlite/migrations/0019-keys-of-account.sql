-- The keys of an account are listed in pages. A PostgreSQL database has had this index from the first.
CREATE INDEX IF NOT EXISTS api_key_of_account ON api_key (account_id, id);
