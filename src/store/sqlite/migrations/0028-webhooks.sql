-- Through which the provider of a sender tells what became of messages: one of a sender. Of the secret in its address
-- only the hash is stored; key is what its requests are proved by, counts is JSON.
CREATE TABLE webhook (
  account_id INTEGER NOT NULL,
  sender_id INTEGER NOT NULL,
  provider TEXT NOT NULL,
  secret_hash BLOB NOT NULL,
  key TEXT NOT NULL,
  topic TEXT,
  pending_topic TEXT,
  pending_url TEXT,
  created_at INTEGER NOT NULL,
  last_event_at INTEGER,
  counts TEXT NOT NULL,
  PRIMARY KEY (account_id, sender_id)
) STRICT, WITHOUT ROWID;

-- What a provider told, so that it counts once. The address only if it matched nobody.
CREATE TABLE provider_event (
  account_id INTEGER NOT NULL,
  sender_id INTEGER NOT NULL,
  event_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  kept_until INTEGER NOT NULL,
  subscriber_id INTEGER,
  campaign_id INTEGER,
  address TEXT,
  address_key TEXT,
  detail TEXT,
  is_cleared INTEGER NOT NULL,
  PRIMARY KEY (account_id, sender_id, event_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX provider_event_until ON provider_event (kept_until);
CREATE INDEX provider_event_subscriber ON provider_event (account_id, subscriber_id, at) WHERE subscriber_id IS NOT NULL;
CREATE INDEX provider_event_address ON provider_event (account_id, address_key) WHERE address_key IS NOT NULL;
CREATE INDEX provider_event_unmatched ON provider_event (account_id, sender_id, received_at, event_key)
  WHERE address_key IS NOT NULL;

-- The campaigns of a sender: whether too many complained about the latest, and what a deleted one leaves.
CREATE INDEX campaign_content_sender ON campaign_content (account_id, sender_id, campaign_id)
  WHERE sender_id IS NOT NULL;
