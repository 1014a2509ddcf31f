-- What a session began with: 'password' or 'link'. With a link, a forgotten password can be replaced soon after.
ALTER TABLE user_session ADD COLUMN begun_with text NOT NULL DEFAULT 'password';

-- The user who has begun the upload; NULL: nobody who is a user, or it is not known.
ALTER TABLE upload ADD COLUMN user_id bigint;
