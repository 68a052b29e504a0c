DELETE FROM deliveries WHERE tenant_id = zeroblob(16);
DELETE FROM events WHERE tenant_id = zeroblob(16);
DELETE FROM workspaces WHERE tenant_id = zeroblob(16);
DELETE FROM tenants WHERE id = zeroblob(16);
DROP TABLE mails;
DROP INDEX users_closes_at_idx;
ALTER TABLE users DROP COLUMN closes_at;
ALTER TABLE users DROP COLUMN email_verified_at;
