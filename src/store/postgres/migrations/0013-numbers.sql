-- Numbers per day. A day is a UTC day, counted from 1970-01-01. They contain nothing about a person.
--
-- list_day: how many memberships began to count on that day (gained), and how many ended or were suspended (lost).
-- Over all days, gained - lost is member_count. account_day: the same for active subscribers, and active_subscribers.
-- Both change in the transaction of what they count; `mailroll doctor` compares them.
--
-- The rows of today change with every group of writes. Half of each page is left free, so that such a row is rewritten
-- within its page and no index changes.

CREATE TABLE list_day (
  account_id bigint NOT NULL,
  list_id bigint NOT NULL,
  day bigint NOT NULL,
  gained bigint NOT NULL,
  lost bigint NOT NULL,
  PRIMARY KEY (account_id, list_id, day)
) WITH (fillfactor = 50);
CREATE TABLE account_day (
  account_id bigint NOT NULL,
  day bigint NOT NULL,
  gained bigint NOT NULL,
  lost bigint NOT NULL,
  PRIMARY KEY (account_id, day)
) WITH (fillfactor = 50);

-- Calls of an API key by client program: added now and then from the memory of each process.
CREATE TABLE call_day (
  account_id bigint NOT NULL,
  key_id bigint NOT NULL,
  day bigint NOT NULL,
  program text COLLATE "C" NOT NULL,
  calls bigint NOT NULL,
  refusals bigint NOT NULL,
  faults bigint NOT NULL,
  PRIMARY KEY (account_id, key_id, day, program)
);
-- What a key's client does that deserves attention, when it was last seen, and by which program.
CREATE TABLE client_quirk (
  account_id bigint NOT NULL,
  key_id bigint NOT NULL,
  quirk text COLLATE "C" NOT NULL,
  program text NOT NULL,
  seen_at bigint NOT NULL,
  PRIMARY KEY (account_id, key_id, quirk)
);

-- The past, as far as the history knows it. Suppressions that were cleared again, and erased people, are not in it.
-- A membership that does not count now has left its list on the day on which it ceased to count. A million history
-- entries take about two seconds.
SET LOCAL work_mem = '64MB';

INSERT INTO list_day (account_id, list_id, day, gained, lost)
SELECT account_id, list_id, at / 86400000 - (at % 86400000 < 0)::int, sum(gained), sum(lost)
FROM (
  SELECT h.account_id, h.list_id, h.at, (h.kind = 'joined')::int AS gained, (h.kind = 'left')::int AS lost
  FROM history AS h JOIN list AS l ON l.account_id = h.account_id AND l.id = h.list_id
  WHERE h.kind IN ('joined', 'left')
  UNION ALL
  SELECT
    m.account_id, m.list_id,
    greatest(m.joined_at, least(s.unsubscribed_at, s.bounced_at, s.complained_at, s.blocked_at)), 0, 1
  FROM subscriber AS s JOIN membership AS m ON m.account_id = s.account_id AND m.subscriber_id = s.id
  WHERE m.status = 0 AND least(s.unsubscribed_at, s.bounced_at, s.complained_at, s.blocked_at) IS NOT NULL
  UNION ALL
  SELECT m.account_id, m.list_id, m.joined_at, 0, 1 FROM membership AS m WHERE m.status <> 0
) AS changes
GROUP BY 1, 2, 3;

-- Where the history does not explain all members, the rest joined when the list was created.
INSERT INTO list_day AS o (account_id, list_id, day, gained, lost)
SELECT
  account_id, id, created_at / 86400000 - (created_at % 86400000 < 0)::int, greatest(rest, 0), greatest(-rest, 0)
FROM (
  SELECT l.account_id, l.id, l.created_at, l.member_count - coalesce(sum(d.gained - d.lost), 0) AS rest
  FROM list AS l LEFT JOIN list_day AS d ON d.account_id = l.account_id AND d.list_id = l.id
  GROUP BY l.account_id, l.id
) AS unexplained
WHERE rest <> 0
ON CONFLICT (account_id, list_id, day) DO UPDATE SET
  gained = o.gained + excluded.gained, lost = o.lost + excluded.lost;

INSERT INTO account_day (account_id, day, gained, lost)
SELECT account_id, at / 86400000 - (at % 86400000 < 0)::int, sum(gained), sum(lost)
FROM (
  SELECT account_id, known_since AS at, 1 AS gained, 0 AS lost FROM subscriber
  UNION ALL
  SELECT
    account_id, greatest(known_since, least(unsubscribed_at, bounced_at, complained_at, blocked_at)), 0, 1
  FROM subscriber
  WHERE least(unsubscribed_at, bounced_at, complained_at, blocked_at) IS NOT NULL
) AS changes
GROUP BY 1, 2;
