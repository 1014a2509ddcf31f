-- Whether a job is deleting it: for callers and operators it does not exist any more.
ALTER TABLE field ADD COLUMN is_deleting INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaign ADD COLUMN is_deleting INTEGER NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN is_deleting INTEGER NOT NULL DEFAULT 0;
