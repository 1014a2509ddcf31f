-- A campaign event contains the names and the address of its subscriber, so that a page of a long list is read
-- from one table, in its order. They change in the transaction that changes the subscriber; `mailroll doctor`
-- compares them. The unique key begins with the subscriber: a changed name finds its events with one lookup.
--
-- SQLite cannot add a stored generated column, so the table is written again: once, in order, 10 to 20 seconds for a
-- million events.
CREATE TABLE campaign_event_with_names (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  campaign_id INTEGER NOT NULL REFERENCES campaign (id),
  event TEXT NOT NULL,
  subscriber_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  joined_at INTEGER NOT NULL,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  address TEXT NOT NULL,
  needs_escape INTEGER NOT NULL AS (first_name || last_name || address GLOB '*[&<>' || char(13) || ']*') STORED,
  at_text TEXT NOT NULL AS (
    date(at / 86400000.0 + 2440587.5) || 'T'
      || rtrim(rtrim(time(at / 86400000.0 + 2440587.5, 'subsec'), '0'), '.') || 'Z'
  ) STORED,
  joined_text TEXT NOT NULL AS (
    date(joined_at / 86400000.0 + 2440587.5) || 'T'
      || rtrim(rtrim(time(joined_at / 86400000.0 + 2440587.5, 'subsec'), '0'), '.') || 'Z'
  ) STORED
) STRICT;

INSERT INTO campaign_event_with_names (
  id, account_id, campaign_id, event, subscriber_id, at, joined_at, first_name, last_name, address
)
SELECT e.id, e.account_id, e.campaign_id, e.event, e.subscriber_id, e.at, e.joined_at,
  s.first_name, s.last_name, s.address
FROM campaign_event AS e JOIN subscriber AS s ON s.id = e.subscriber_id
ORDER BY e.id;

-- Ids are never used again, even those of events that were erased.
DELETE FROM sqlite_sequence WHERE name = 'campaign_event_with_names';
INSERT INTO sqlite_sequence (name, seq)
  SELECT 'campaign_event_with_names', seq FROM sqlite_sequence WHERE name = 'campaign_event';

DROP TABLE campaign_event;
ALTER TABLE campaign_event_with_names RENAME TO campaign_event;
CREATE UNIQUE INDEX campaign_event_of_subscriber ON campaign_event (subscriber_id, campaign_id, event);
CREATE INDEX campaign_event_oldest ON campaign_event (campaign_id, event, at, id);
