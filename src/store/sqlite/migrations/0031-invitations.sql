-- An invitation is a link with which a new user sets a password: it works for days, and can be withdrawn.
ALTER TABLE sign_in_link ADD COLUMN kind TEXT NOT NULL DEFAULT 'sign-in';
CREATE INDEX sign_in_link_of_user ON sign_in_link (user_id, kind);
