-- From which network a key was last used (IPv4: /24, IPv6: /48), written together with the time. A client with too many
-- failures may go on with keys that were last used from its network. Null: never used, or used before this was stored.
ALTER TABLE api_key ADD COLUMN last_used_from text;
