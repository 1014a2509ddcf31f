-- The system user who ran the command, for entries whose origin is the operator. Entries that are there already stay
-- as they are: the table is not rewritten.
ALTER TABLE history ADD COLUMN operator_name TEXT;

-- The audit log: who changed what, except for what is about one subscriber, which is in the history. account_id is
-- NULL for the installation as a whole. changed_from and changed_to are JSON of what has changed. came_from is the
-- client's address, NULL on the command line.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER,
  at INTEGER NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_name TEXT,
  came_from TEXT,
  action TEXT NOT NULL,
  thing TEXT NOT NULL,
  thing_id TEXT NOT NULL,
  changed_from TEXT,
  changed_to TEXT
) STRICT;
CREATE INDEX audit_of_account ON audit (account_id, id);
