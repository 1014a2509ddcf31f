-- How many messages a second a relay accepts, as JSON; and of senders with a limit by second, what is used of it.
CREATE TABLE pace (
  key TEXT PRIMARY KEY,
  pace TEXT NOT NULL,
  used_at INTEGER NOT NULL
) STRICT;
