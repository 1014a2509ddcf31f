-- Jobs are kept for a while after their end. Of a name, at most one job is left to do; args and progress are dropped
-- with the end, because they may be about a person. done and total count what is dealt with; result is JSON. cancelled_at
-- is when somebody asked to cancel it. actor_kind and actor_name say who began it.
-- SQLite cannot drop the constraint that a name is unique, so the table is made anew. No id is given twice.
CREATE TABLE new_job (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
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
  epoch INTEGER NOT NULL DEFAULT 0,
  actor_kind TEXT,
  actor_name TEXT,
  done INTEGER NOT NULL DEFAULT 0,
  total INTEGER,
  result TEXT,
  cancelled_at INTEGER,
  ended_at INTEGER,
  ending TEXT
) STRICT;
INSERT INTO new_job (
  id, name, kind, account_id, args, progress, created_at, due_at, attempts, last_error, owner, leased_until, epoch
)
SELECT
  id, name, kind, account_id, args, progress, created_at, due_at, attempts, last_error, owner, leased_until, epoch
FROM job;
DELETE FROM sqlite_sequence WHERE name = 'new_job';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_job', seq FROM sqlite_sequence WHERE name = 'job';
DROP TABLE job;
ALTER TABLE new_job RENAME TO job;
CREATE UNIQUE INDEX job_left ON job (name) WHERE ended_at IS NULL;
CREATE INDEX job_due ON job (due_at, id) WHERE ended_at IS NULL;
CREATE INDEX job_ended ON job (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX job_of_account ON job (account_id, id);
