-- From which network a key was last used (IPv4: /24, IPv6: /48), written together with the time. A client with too many
-- failures may go on with keys that were last used from its network. Null: never used, or used before this was stored.
ALTER TABLE api_key ADD COLUMN last_used_from TEXT;

-- The counter of field ids goes back to 2^53 - 2^32 if a chosen id has moved it further: programs read ids as
-- floating-point numbers. Ids that exist are skipped.
UPDATE sqlite_sequence SET seq = 9007194959773696 WHERE name = 'field' AND seq > 9007194959773696;
