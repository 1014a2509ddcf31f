-- Where the service that started last can be reached, whether this installation is a demo, which sends nothing, whether
-- the demo is still being filled, and when the last backup was taken.
ALTER TABLE program ADD COLUMN address TEXT;
ALTER TABLE program ADD COLUMN is_demo INTEGER NOT NULL DEFAULT 0;
ALTER TABLE program ADD COLUMN is_filling INTEGER NOT NULL DEFAULT 0;
ALTER TABLE program ADD COLUMN backed_up_at INTEGER;

-- Since when the overview of the account shows no first steps. Accounts that are in use need none.
ALTER TABLE account ADD COLUMN steps_dismissed_at INTEGER;
UPDATE account SET steps_dismissed_at = created_at WHERE active_subscribers > 0;

-- When a process first took the job, which may have waited for that: estimates count from then.
ALTER TABLE job ADD COLUMN started_at INTEGER;

-- What a draft said when it was saved: the last ten times. content is JSON of its name and its content.
CREATE TABLE campaign_version (
  account_id INTEGER NOT NULL,
  campaign_id INTEGER NOT NULL REFERENCES campaign (id),
  number INTEGER NOT NULL,
  begun_at INTEGER NOT NULL,
  saved_at INTEGER NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_name TEXT,
  content TEXT NOT NULL,
  PRIMARY KEY (campaign_id, number)
) STRICT;
