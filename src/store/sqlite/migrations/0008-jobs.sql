-- Background work. A row exists while work is left. args and progress are JSON; due_at is when it may begin, or begin
-- again. Whoever has the lease does the work: owner until leased_until. Each lease has a higher epoch than the one
-- before, so that a process which has lost its lease cannot continue. The name is unique: one job for one thing.
CREATE TABLE job (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  account_id INTEGER,
  args TEXT NOT NULL,
  progress TEXT,
  created_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  owner TEXT,
  leased_until INTEGER,
  epoch INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX job_due ON job (due_at, id);

-- Whether a job is deleting the list: nobody can be added to it any more.
ALTER TABLE list ADD COLUMN is_deleting INTEGER NOT NULL DEFAULT 0;
