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

-- What a draft said when it was saved: the last ten times. content is JSON of its name and its content.
CREATE TABLE campaign_version (
  account_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  number bigint NOT NULL,
  begun_at bigint NOT NULL,
  saved_at bigint NOT NULL,
  actor_kind text NOT NULL,
  actor_name text,
  content text NOT NULL,
  PRIMARY KEY (account_id, campaign_id, number),
  FOREIGN KEY (account_id, campaign_id) REFERENCES campaign (account_id, id)
);
