-- Through which the provider of a sender tells what became of messages: one of a sender. Of the secret in its address
-- only the hash is stored; key is what its requests are proved by, counts is JSON.
CREATE TABLE webhook (
  account_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  provider text NOT NULL,
  secret_hash bytea NOT NULL,
  key text NOT NULL,
  topic text,
  pending_topic text,
  pending_url text,
  created_at bigint NOT NULL,
  last_event_at bigint,
  counts text NOT NULL,
  PRIMARY KEY (account_id, sender_id)
);

-- What a provider told, so that it counts once. The address only if it matched nobody.
CREATE TABLE provider_event (
  account_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  event_key text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  at bigint NOT NULL,
  received_at bigint NOT NULL,
  kept_until bigint NOT NULL,
  subscriber_id bigint,
  campaign_id bigint,
  address text,
  address_key text COLLATE "C",
  detail text,
  is_cleared boolean NOT NULL,
  PRIMARY KEY (account_id, sender_id, event_key)
);
CREATE INDEX provider_event_until ON provider_event (kept_until);
CREATE INDEX provider_event_subscriber ON provider_event (account_id, subscriber_id, at) WHERE subscriber_id IS NOT NULL;
CREATE INDEX provider_event_address ON provider_event (account_id, address_key) WHERE address_key IS NOT NULL;
CREATE INDEX provider_event_unmatched ON provider_event (account_id, sender_id, received_at, event_key)
  WHERE address_key IS NOT NULL;

-- The campaigns of a sender: whether too many complained about the latest, and what a deleted one leaves.
CREATE INDEX campaign_content_sender ON campaign_content (account_id, sender_id, campaign_id)
  WHERE sender_id IS NOT NULL;
