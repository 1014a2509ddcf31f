-- What the peers keep: Mailroll's own tables and indexes as far as the measured calls touch them, under the same names,
-- so that one filling serves all. Keys stand as they are, so that no peer has to hash.

CREATE TABLE account (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;
CREATE TABLE api_key (key TEXT PRIMARY KEY, account_id INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE list (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  member_count INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE subscriber (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  address TEXT NOT NULL,
  address_key TEXT NOT NULL,
  first_name TEXT NOT NULL DEFAULT '',
  last_name TEXT NOT NULL DEFAULT '',
  known_since INTEGER NOT NULL,
  bounced_at INTEGER,
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

CREATE TABLE history (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  subscriber_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  origin TEXT NOT NULL,
  list_id INTEGER
) STRICT;
CREATE INDEX history_of_subscriber ON history (subscriber_id);

CREATE TABLE campaign (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  sent_at INTEGER
) STRICT;

CREATE TABLE campaign_event (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  campaign_id INTEGER NOT NULL,
  event TEXT NOT NULL,
  subscriber_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  joined_at INTEGER NOT NULL,
  UNIQUE (campaign_id, event, subscriber_id)
) STRICT;
CREATE INDEX campaign_event_oldest ON campaign_event (campaign_id, event, at, id);

INSERT INTO account (id, name, created_at) VALUES (1, 'Bench', 0);
INSERT INTO list (id, account_id, name, created_at) VALUES (1, 1, 'Newsletter', 0);
