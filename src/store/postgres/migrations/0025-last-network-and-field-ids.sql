-- From which network a key was last used (IPv4: /24, IPv6: /48), written together with the time. A client with too many
-- failures may go on with keys that were last used from its network. Null: never used, or used before this was stored.
ALTER TABLE api_key ADD COLUMN last_used_from text;

-- The counter of field ids goes back to 2^53 - 2^32 if a chosen id has moved it further: programs read ids as
-- floating-point numbers. Ids that exist are skipped.
SELECT setval('field_id_seq', 9007194959773696) FROM field_id_seq WHERE last_value > 9007194959773696;
