-- A table that is there takes no constraint over several columns.
ALTER TABLE api_keys ADD COLUMN principal_id BLOB CONSTRAINT api_keys_principal_id_fk REFERENCES service_principals (id);
