DROP TABLE invitations;
ALTER TABLE workspace_members DROP COLUMN removed_at;
ALTER TABLE tenant_members DROP COLUMN removed_at;
