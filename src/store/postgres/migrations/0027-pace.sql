-- How many messages a second a relay accepts, as JSON; and of senders with a limit by second, what is used of it.
CREATE TABLE pace (
  key text COLLATE "C" PRIMARY KEY,
  pace text NOT NULL,
  used_at bigint NOT NULL
);
