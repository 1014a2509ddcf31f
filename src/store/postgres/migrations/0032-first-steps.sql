-- Where the service that started last can be reached, whether this installation is a demo, which sends nothing, whether
-- the demo is still being filled, and when the last backup was taken.
ALTER TABLE program ADD COLUMN address text;
ALTER TABLE program ADD COLUMN is_demo boolean NOT NULL DEFAULT false;
ALTER TABLE program ADD COLUMN is_filling boolean NOT NULL DEFAULT false;
ALTER TABLE program ADD COLUMN backed_up_at bigint;

-- Since when the overview of the account shows no first steps. Accounts that are in use need none.
ALTER TABLE account ADD COLUMN steps_dismissed_at bigint;
UPDATE account SET steps_dismissed_at = created_at WHERE active_subscribers > 0;

-- When a process first took the job, which may have waited for that: estimates count from then.
ALTER TABLE job ADD COLUMN started_at bigint;
