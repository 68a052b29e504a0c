-- What a console session was lowered to by its person, which tools a key may call and from where it was last used, and what
-- is answered again by day.
ALTER TABLE sessions ADD COLUMN view_as TEXT;
ALTER TABLE api_keys ADD COLUMN allowed_tools TEXT;
ALTER TABLE api_keys ADD COLUMN last_used_address TEXT;
ALTER TABLE usage_daily ADD COLUMN replayed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_daily ADD COLUMN cache_hits BIGINT NOT NULL DEFAULT 0;
