ALTER TABLE api_keys DROP COLUMN principal_id;
ALTER TABLE api_keys DROP COLUMN labels;
ALTER TABLE api_keys DROP COLUMN content_capture;
DROP TABLE resource_grants;
DROP TABLE workspace_group_members;
DROP TABLE workspace_groups;
DROP TABLE service_principals;
