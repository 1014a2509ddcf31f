-- Jobs are kept for a while after their end. Of a name, at most one job is left to do; args and progress are dropped
-- with the end, because they may be about a person. done and total count what is dealt with; result is JSON. cancelled_at
-- is when somebody asked to cancel it. actor_kind and actor_name say who began it.
ALTER TABLE job ADD COLUMN actor_kind text;
ALTER TABLE job ADD COLUMN actor_name text;
ALTER TABLE job ADD COLUMN done bigint NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN total bigint;
ALTER TABLE job ADD COLUMN result text;
ALTER TABLE job ADD COLUMN cancelled_at bigint;
ALTER TABLE job ADD COLUMN ended_at bigint;
ALTER TABLE job ADD COLUMN ending text;
ALTER TABLE job DROP CONSTRAINT IF EXISTS job_name_key;
DROP INDEX job_due;
CREATE UNIQUE INDEX job_left ON job (name) WHERE ended_at IS NULL;
CREATE INDEX job_due ON job (due_at, id) WHERE ended_at IS NULL;
CREATE INDEX job_ended ON job (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX job_of_account ON job (account_id, id);
