-- The time zone in which the console shows times to the user, such as Europe/Berlin; NULL: UTC.
ALTER TABLE app_user ADD COLUMN time_zone TEXT;

-- Sessions of the console: of what proves one, only the hash is stored. client and program: where the user signed in
-- from. Temporary, as sign-in links are: not part of copies and backups.
CREATE TABLE user_session (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES app_user (id),
  hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  client TEXT NOT NULL,
  program TEXT NOT NULL
) STRICT;
CREATE INDEX user_session_of_user ON user_session (user_id, id);
CREATE INDEX user_session_oldest ON user_session (expires_at);

-- Links to sign in with: a row is deleted when its link is used. user_id is NULL for the link that creates the first
-- administrator.
CREATE TABLE sign_in_link (
  hash BLOB NOT NULL PRIMARY KEY,
  user_id INTEGER REFERENCES app_user (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_link_oldest ON sign_in_link (expires_at);
