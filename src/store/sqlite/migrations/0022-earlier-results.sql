-- What recipients were before an operator put them back to be tried again, with the relay's words. It counts while the
-- recipient is queued or deferred: if the campaign is cancelled then, the recipient becomes this again. The columns are
-- those of recipient and recipient_reply.
CREATE TABLE recipient_earlier (
  account_id INTEGER NOT NULL,
  campaign_id INTEGER NOT NULL,
  subscriber_id INTEGER NOT NULL,
  state INTEGER NOT NULL,
  at INTEGER NOT NULL,
  code INTEGER,
  reply TEXT,
  PRIMARY KEY (campaign_id, subscriber_id)
) STRICT, WITHOUT ROWID;
