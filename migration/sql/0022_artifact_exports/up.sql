-- Artifacts leave in the order they were written in; sealed answers, which expire, do not.
CREATE INDEX artifacts_workspace_id_created_at_idx ON artifacts (workspace_id, created_at, id) WHERE expires_at IS NULL;
