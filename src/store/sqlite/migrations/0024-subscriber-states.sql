-- How many subscribers of an account are in each state, beside active_subscribers: they change in the transaction of
-- what they count, and `mailroll doctor` compares them with a recount. The index leads to the subscribers in a state
-- other than active; an add writes nothing into it.
ALTER TABLE account ADD COLUMN unsubscribed_subscribers INTEGER NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN bounced_subscribers INTEGER NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN complained_subscribers INTEGER NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN blocked_subscribers INTEGER NOT NULL DEFAULT 0;

CREATE INDEX subscriber_suppressed ON subscriber (
  account_id,
  CASE
    WHEN blocked_at IS NOT NULL THEN 'blocked'
    WHEN complained_at IS NOT NULL THEN 'complained'
    WHEN unsubscribed_at IS NOT NULL THEN 'unsubscribed'
    WHEN bounced_at IS NOT NULL THEN 'bounced'
    ELSE 'active'
  END
)
WHERE
  CASE
    WHEN blocked_at IS NOT NULL THEN 'blocked'
    WHEN complained_at IS NOT NULL THEN 'complained'
    WHEN unsubscribed_at IS NOT NULL THEN 'unsubscribed'
    WHEN bounced_at IS NOT NULL THEN 'bounced'
    ELSE 'active'
  END <> 'active';

UPDATE account SET
  unsubscribed_subscribers = n.unsubscribed,
  bounced_subscribers = n.bounced,
  complained_subscribers = n.complained,
  blocked_subscribers = n.blocked
FROM (
  SELECT
    account_id,
    count(*) FILTER (WHERE blocked_at IS NOT NULL) AS blocked,
    count(*) FILTER (WHERE complained_at IS NOT NULL AND blocked_at IS NULL) AS complained,
    count(*) FILTER (WHERE unsubscribed_at IS NOT NULL AND coalesce(blocked_at, complained_at) IS NULL) AS unsubscribed,
    count(*) FILTER (
      WHERE bounced_at IS NOT NULL AND coalesce(blocked_at, complained_at, unsubscribed_at) IS NULL
    ) AS bounced
  FROM subscriber
  GROUP BY account_id
) AS n
WHERE n.account_id = account.id;
