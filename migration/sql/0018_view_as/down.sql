ALTER TABLE usage_daily DROP COLUMN cache_hits;
ALTER TABLE usage_daily DROP COLUMN replayed;
ALTER TABLE api_keys DROP COLUMN last_used_address;
ALTER TABLE api_keys DROP COLUMN allowed_tools;
ALTER TABLE sessions DROP COLUMN view_as;
