-- Campaigns that Mailroll sends itself. A campaign with a row in mailing is composed here; one without was recorded by
-- hand. is_draft: nothing of it was handed over yet, so SOAP does not show it.
ALTER TABLE campaign ADD COLUMN is_draft INTEGER NOT NULL DEFAULT 0;

-- Signs the unsubscribe links of the account; created on first use, never replaced.
ALTER TABLE account ADD COLUMN link_secret BLOB;

-- Who campaigns are from. relays is JSON: [{"url", "weight"}], with passwords; an empty array is the relay of the
-- installation. signing is 'mailroll', 'relay' or 'none'. The limits are NULL where there is none.
CREATE TABLE sender (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES account (id),
  from_address TEXT NOT NULL,
  from_name TEXT NOT NULL,
  reply_to TEXT,
  postal_address TEXT NOT NULL,
  bounce_domain TEXT,
  signing TEXT NOT NULL,
  dkim_domain TEXT,
  dkim_selector TEXT,
  dkim_key TEXT,
  relays TEXT NOT NULL,
  per_second INTEGER,
  per_domain_minute INTEGER,
  per_day INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sender_of_account ON sender (account_id, id);

-- What a campaign says and to whom. Apart from mailing, whose counters change with every group of messages. The lists
-- are JSON arrays of ids.
CREATE TABLE campaign_content (
  campaign_id INTEGER PRIMARY KEY REFERENCES campaign (id),
  account_id INTEGER NOT NULL,
  sender_id INTEGER,
  subject TEXT NOT NULL,
  preheader TEXT NOT NULL,
  layout TEXT,
  html TEXT,
  markdown TEXT,
  plain_text TEXT,
  included_lists TEXT NOT NULL,
  excluded_lists TEXT NOT NULL
) STRICT;

-- How far the sending of a campaign got. The counters are those of the rows in recipient by state, and change in their
-- transaction; queued is what is left of selected. taken_up_to: recipients up to this subscriber are in a batch, in
-- recipient_retry or have ended. waits_until and reason: the relay does not accept anything before; also why it was
-- paused or held. purged_at is when the rows of recipient were deleted.
CREATE TABLE mailing (
  campaign_id INTEGER PRIMARY KEY REFERENCES campaign (id),
  account_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  allows_http INTEGER NOT NULL DEFAULT 0,
  scheduled_at INTEGER,
  started_at INTEGER,
  ended_at INTEGER,
  taken_up_to INTEGER NOT NULL DEFAULT 0,
  waits_until INTEGER,
  relay_failures INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  selected INTEGER NOT NULL DEFAULT 0,
  sending INTEGER NOT NULL DEFAULT 0,
  sent INTEGER NOT NULL DEFAULT 0,
  deferred INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  unknown INTEGER NOT NULL DEFAULT 0,
  hard_bounces INTEGER NOT NULL DEFAULT 0,
  purged_at INTEGER
) STRICT;
CREATE INDEX mailing_left ON mailing (campaign_id) WHERE state IN ('scheduled', 'selecting', 'sending', 'paused', 'held');
CREATE INDEX mailing_of_account ON mailing (account_id, campaign_id);
CREATE INDEX mailing_unended ON mailing (account_id, campaign_id)
  WHERE state IN ('scheduled', 'selecting', 'sending', 'paused', 'held');
CREATE INDEX mailing_ended ON mailing (ended_at) WHERE ended_at IS NOT NULL AND purged_at IS NULL;

-- The ledger: one row per recipient. state and code are numbers of domain/sending/recipient.ts; at is in seconds. While
-- the state is sending or unknown, code is a mark of the batch that started the last attempt. The row stays when the
-- subscriber is erased: it is a number then.
CREATE TABLE recipient (
  account_id INTEGER NOT NULL,
  campaign_id INTEGER NOT NULL,
  subscriber_id INTEGER NOT NULL,
  state INTEGER NOT NULL,
  at INTEGER NOT NULL,
  code INTEGER,
  PRIMARY KEY (campaign_id, subscriber_id)
) STRICT, WITHOUT ROWID;

-- What the relay said to a message that it did not accept.
CREATE TABLE recipient_reply (
  account_id INTEGER NOT NULL,
  campaign_id INTEGER NOT NULL,
  subscriber_id INTEGER NOT NULL,
  reply TEXT NOT NULL,
  PRIMARY KEY (campaign_id, subscriber_id)
) STRICT, WITHOUT ROWID;

-- Recipients to be tried again: deferred ones, and queued ones that were given back. attempts counts the deferrals, since
-- is when the first one was.
CREATE TABLE recipient_retry (
  account_id INTEGER NOT NULL,
  campaign_id INTEGER NOT NULL,
  subscriber_id INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (campaign_id, subscriber_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX recipient_retry_due ON recipient_retry (campaign_id, due_at, subscriber_id);

-- Recipients that one process is sending to, under a lease. members is a JSON array of subscribers with the values of
-- recipient_retry. Temporary: a copy has none.
CREATE TABLE delivery_batch (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  campaign_id INTEGER NOT NULL,
  owner TEXT NOT NULL,
  leased_until INTEGER NOT NULL,
  members TEXT NOT NULL
) STRICT;
CREATE INDEX delivery_batch_of_campaign ON delivery_batch (campaign_id, id);
CREATE INDEX delivery_batch_of_owner ON delivery_batch (owner, id);

-- How much was handed over in a period, for the limits of a sender: scope is 'second', 'day' or a domain (per minute).
CREATE TABLE handed_over (
  account_id INTEGER NOT NULL,
  sender_id INTEGER NOT NULL,
  scope TEXT NOT NULL,
  period INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (sender_id, scope, period)
) STRICT, WITHOUT ROWID;
