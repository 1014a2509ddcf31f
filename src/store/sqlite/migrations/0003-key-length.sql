-- How many characters an API key has, so that short ones can be warned of: only its hash is kept. Unknown for keys that
-- were made before this.

ALTER TABLE api_key ADD COLUMN length INTEGER;
