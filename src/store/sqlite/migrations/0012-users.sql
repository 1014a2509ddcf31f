-- Users: people who work with Mailroll, over the API or a console. They are disabled, not deleted, so that the history
-- and the audit log can always name them. password_hash contains the parameters of its function. totp_secret is in
-- effect since totp_since; totp_pending is one that is not confirmed yet; totp_step is the last time step whose code
-- was used.
CREATE TABLE app_user (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  address TEXT NOT NULL,
  address_key TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  is_administrator INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  disabled_at INTEGER,
  password_hash TEXT,
  password_set_at INTEGER,
  totp_secret TEXT,
  totp_since INTEGER,
  totp_pending TEXT,
  totp_step INTEGER
) STRICT;

CREATE TABLE user_role (
  account_id INTEGER NOT NULL REFERENCES account (id),
  user_id INTEGER NOT NULL REFERENCES app_user (id),
  role TEXT NOT NULL,
  PRIMARY KEY (account_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_role_of_user ON user_role (user_id);

-- Only the hash of a token is stored. is_log_in: it was given for a password, and ends soon.
CREATE TABLE user_token (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES app_user (id),
  hash BLOB NOT NULL UNIQUE,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  is_log_in INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;
CREATE INDEX user_token_of_user ON user_token (user_id, id);

-- A row is deleted when its code is used.
CREATE TABLE recovery_code (
  user_id INTEGER NOT NULL REFERENCES app_user (id),
  hash BLOB NOT NULL,
  PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;

-- For entries whose origin is a user. Entries that are there already stay as they are: the table is not rewritten.
ALTER TABLE history ADD COLUMN user_id INTEGER;
