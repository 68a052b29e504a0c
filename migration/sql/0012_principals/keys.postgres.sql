ALTER TABLE api_keys ADD COLUMN principal_id UUID;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_tenant_id_workspace_id_principal_id_fk
    FOREIGN KEY (tenant_id, workspace_id, principal_id) REFERENCES service_principals (tenant_id, workspace_id, id);
