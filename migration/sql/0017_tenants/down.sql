DROP INDEX usage_daily_tenant_id_day_idx;
ALTER TABLE tenants DROP COLUMN deleted_at;
ALTER TABLE tenants DROP COLUMN content_capture;
