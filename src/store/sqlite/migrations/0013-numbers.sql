-- Numbers per day. A day is a UTC day, counted from 1970-01-01. They contain nothing about a person.
--
-- list_day: how many memberships began to count on that day (gained), and how many ended or were suspended (lost).
-- Over all days, gained - lost is member_count. account_day: the same for active subscribers, and active_subscribers.
-- Both change in the transaction of what they count; `mailroll doctor` compares them.

CREATE TABLE list_day (
  account_id INTEGER NOT NULL,
  list_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  gained INTEGER NOT NULL,
  lost INTEGER NOT NULL,
  PRIMARY KEY (account_id, list_id, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE account_day (
  account_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  gained INTEGER NOT NULL,
  lost INTEGER NOT NULL,
  PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;

-- Calls of an API key by client program: added now and then from the memory of each process.
CREATE TABLE call_day (
  account_id INTEGER NOT NULL,
  key_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  program TEXT NOT NULL,
  calls INTEGER NOT NULL,
  refusals INTEGER NOT NULL,
  faults INTEGER NOT NULL,
  PRIMARY KEY (account_id, key_id, day, program)
) STRICT, WITHOUT ROWID;
-- What a key's client does that deserves attention, when it was last seen, and by which program.
CREATE TABLE client_quirk (
  account_id INTEGER NOT NULL,
  key_id INTEGER NOT NULL,
  quirk TEXT NOT NULL,
  program TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, key_id, quirk)
) STRICT, WITHOUT ROWID;

-- The past, as far as the history knows it. Suppressions that were cleared again, and erased people, are not in it.
-- A membership that does not count now has left its list on the day on which it ceased to count. A million history
-- entries take about two seconds.
CREATE TEMP VIEW suppressed AS
  SELECT
    id, account_id, known_since,
    min(
      ifnull(unsubscribed_at, 9e15), ifnull(bounced_at, 9e15), ifnull(complained_at, 9e15), ifnull(blocked_at, 9e15)
    ) AS since
  FROM subscriber
  WHERE coalesce(unsubscribed_at, bounced_at, complained_at, blocked_at) IS NOT NULL;

INSERT INTO list_day (account_id, list_id, day, gained, lost)
SELECT account_id, list_id, at / 86400000 - (at % 86400000 < 0), sum(gained), sum(lost)
FROM (
  SELECT h.account_id, h.list_id, h.at, h.kind = 'joined' AS gained, h.kind = 'left' AS lost
  FROM history AS h JOIN list AS l ON l.id = h.list_id
  WHERE h.kind IN ('joined', 'left')
  UNION ALL
  SELECT m.account_id, m.list_id, max(m.joined_at, s.since), 0, 1
  FROM suppressed AS s CROSS JOIN membership AS m ON m.subscriber_id = s.id
  WHERE m.status = 0
  UNION ALL
  SELECT m.account_id, m.list_id, m.joined_at, 0, 1 FROM membership AS m WHERE m.status <> 0
)
GROUP BY 1, 2, 3;

-- Where the history does not explain all members, the rest joined when the list was created.
INSERT INTO list_day (account_id, list_id, day, gained, lost)
SELECT account_id, id, created_at / 86400000 - (created_at % 86400000 < 0), max(rest, 0), max(-rest, 0)
FROM (
  SELECT l.account_id, l.id, l.created_at, l.member_count - ifnull(sum(d.gained - d.lost), 0) AS rest
  FROM list AS l LEFT JOIN list_day AS d ON d.account_id = l.account_id AND d.list_id = l.id
  GROUP BY l.id
)
WHERE rest <> 0
ON CONFLICT (account_id, list_id, day) DO UPDATE SET gained = gained + excluded.gained, lost = lost + excluded.lost;

INSERT INTO account_day (account_id, day, gained, lost)
SELECT account_id, at / 86400000 - (at % 86400000 < 0), sum(gained), sum(lost)
FROM (
  SELECT account_id, known_since AS at, 1 AS gained, 0 AS lost FROM subscriber
  UNION ALL
  SELECT account_id, max(known_since, since), 0, 1 FROM suppressed
)
GROUP BY 1, 2;

DROP VIEW suppressed;
