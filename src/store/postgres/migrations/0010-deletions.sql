-- Whether a job is deleting it: for callers and operators it does not exist any more. The defaults are constants, so
-- that PostgreSQL stores them once and rewrites no row.
ALTER TABLE field ADD COLUMN is_deleting boolean NOT NULL DEFAULT false;
ALTER TABLE campaign ADD COLUMN is_deleting boolean NOT NULL DEFAULT false;
ALTER TABLE account ADD COLUMN is_deleting boolean NOT NULL DEFAULT false;
