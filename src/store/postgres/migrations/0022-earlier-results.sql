-- What recipients were before an operator put them back to be tried again, with the relay's words. It counts while the
-- recipient is queued or deferred: if the campaign is cancelled then, the recipient becomes this again. The columns are
-- those of recipient and recipient_reply.
CREATE TABLE recipient_earlier (
  account_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  subscriber_id bigint NOT NULL,
  at integer NOT NULL,
  state smallint NOT NULL,
  code smallint,
  reply text,
  PRIMARY KEY (account_id, campaign_id, subscriber_id)
);
