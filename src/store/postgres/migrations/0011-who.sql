-- The system user who ran the command, for entries whose origin is the operator. Entries that are there already stay
-- as they are: the table is not rewritten.
ALTER TABLE history ADD COLUMN operator_name text;
