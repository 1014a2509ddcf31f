-- Times are milliseconds since 1970, UTC. Numbers that are kept (active_subscribers, refused_rows, member_count)
-- change in the same transaction as what they count; `mailroll doctor` compares them with a recount.

CREATE TABLE account (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  country TEXT,
  limit_subscribers INTEGER,
  limit_fields INTEGER,
  active_subscribers INTEGER NOT NULL DEFAULT 0,
  refused_rows INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_key (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES account (id),
  hash BLOB NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  label TEXT NOT NULL,
  scope TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;

CREATE TABLE list (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES account (id),
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  member_count INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX list_of_account ON list (account_id, id);

CREATE TABLE field (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES account (id),
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  data_type TEXT NOT NULL,
  is_private INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, name_key)
) STRICT;

-- needs_escape: whether a name or the address has a character that XML wants written otherwise.
CREATE TABLE subscriber (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  address TEXT NOT NULL,
  address_key TEXT NOT NULL,
  first_name TEXT NOT NULL DEFAULT '',
  last_name TEXT NOT NULL DEFAULT '',
  needs_escape INTEGER NOT NULL AS (first_name || last_name || address GLOB '*[&<>' || char(13) || ']*') STORED,
  gender TEXT,
  birthday TEXT,
  country TEXT,
  known_since INTEGER NOT NULL,
  unsubscribed_at INTEGER,
  bounced_at INTEGER,
  complained_at INTEGER,
  blocked_at INTEGER,
  active INTEGER NOT NULL AS (
    unsubscribed_at IS NULL AND bounced_at IS NULL AND complained_at IS NULL AND blocked_at IS NULL
  ) VIRTUAL,
  UNIQUE (account_id, address_key)
) STRICT;

CREATE TABLE membership (
  account_id INTEGER NOT NULL,
  list_id INTEGER NOT NULL,
  subscriber_id INTEGER NOT NULL,
  joined_at INTEGER NOT NULL,
  PRIMARY KEY (list_id, subscriber_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX membership_of_subscriber ON membership (subscriber_id);

CREATE TABLE custom_value (
  account_id INTEGER NOT NULL,
  subscriber_id INTEGER NOT NULL,
  field_id INTEGER NOT NULL,
  value TEXT NOT NULL,
  given_at INTEGER NOT NULL,
  key_id INTEGER,
  PRIMARY KEY (subscriber_id, field_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE history (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  subscriber_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  origin TEXT NOT NULL,
  key_id INTEGER,
  campaign_id INTEGER,
  list_id INTEGER,
  detail TEXT
) STRICT;
CREATE INDEX history_of_subscriber ON history (subscriber_id);

CREATE TABLE block (
  account_id INTEGER NOT NULL REFERENCES account (id),
  pattern TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, pattern)
) STRICT, WITHOUT ROWID;

CREATE TABLE campaign (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES account (id),
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  sent_at INTEGER
) STRICT;
CREATE INDEX campaign_newest ON campaign (account_id, created_at DESC, id DESC);
CREATE INDEX campaign_last_sent ON campaign (account_id, sent_at DESC, id DESC) WHERE sent_at IS NOT NULL;

-- The lists as they were when the campaign was recorded; a list may be renamed or deleted later.
CREATE TABLE campaign_list (
  account_id INTEGER NOT NULL,
  campaign_id INTEGER NOT NULL REFERENCES campaign (id),
  list_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  list_created_at INTEGER NOT NULL,
  PRIMARY KEY (campaign_id, list_id)
) STRICT, WITHOUT ROWID;

-- The times are kept as text too: lists of a million rows would take twice as long if they had to be written when read.
CREATE TABLE campaign_event (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  campaign_id INTEGER NOT NULL REFERENCES campaign (id),
  event TEXT NOT NULL,
  subscriber_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  joined_at INTEGER NOT NULL,
  at_text TEXT NOT NULL AS (
    date(at / 86400000.0 + 2440587.5) || 'T'
      || rtrim(rtrim(time(at / 86400000.0 + 2440587.5, 'subsec'), '0'), '.') || 'Z'
  ) STORED,
  joined_text TEXT NOT NULL AS (
    date(joined_at / 86400000.0 + 2440587.5) || 'T'
      || rtrim(rtrim(time(joined_at / 86400000.0 + 2440587.5, 'subsec'), '0'), '.') || 'Z'
  ) STORED,
  UNIQUE (campaign_id, event, subscriber_id)
) STRICT;
CREATE INDEX campaign_event_oldest ON campaign_event (campaign_id, event, at, id);

CREATE TABLE refused (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES account (id),
  operation TEXT NOT NULL,
  args TEXT NOT NULL,
  is_cut INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  key_id INTEGER,
  fingerprint BLOB NOT NULL,
  count INTEGER NOT NULL DEFAULT 1,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  UNIQUE (account_id, fingerprint)
) STRICT;
CREATE INDEX refused_oldest ON refused (account_id, last_at, id);

-- Calls that asked for what was already so: counted, not kept.
CREATE TABLE already_so (
  account_id INTEGER NOT NULL REFERENCES account (id),
  operation TEXT NOT NULL,
  outcome TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (account_id, operation, outcome)
) STRICT, WITHOUT ROWID;
