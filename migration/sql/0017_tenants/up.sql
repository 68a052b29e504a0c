-- What binds every workspace of a tenant, tenants that are no more, and usage of a tenant as a whole.
ALTER TABLE tenants ADD COLUMN content_capture TEXT NOT NULL DEFAULT 'full';
ALTER TABLE tenants ADD COLUMN deleted_at TIMESTAMPTZ;
CREATE INDEX usage_daily_tenant_id_day_idx ON usage_daily (tenant_id, day);
