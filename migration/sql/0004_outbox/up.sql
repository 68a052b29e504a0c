-- What readers of the audit and of events ask by, each in the order of its list.
CREATE INDEX audit_workspace_id_run_id_idx ON audit (workspace_id, run_id, seq) WHERE run_id IS NOT NULL;
CREATE INDEX audit_workspace_id_resource_id_idx ON audit (workspace_id, resource_id, seq);
CREATE INDEX audit_workspace_id_actor_id_idx ON audit (workspace_id, actor_id, seq);
CREATE INDEX audit_workspace_id_occurred_at_idx ON audit (workspace_id, occurred_at, seq);
CREATE INDEX events_workspace_id_occurred_at_idx ON events (workspace_id, occurred_at, id);
CREATE INDEX events_workspace_id_run_id_idx ON events (workspace_id, run_id, occurred_at, id) WHERE run_id IS NOT NULL;
-- What is deleted by age.
CREATE INDEX events_created_at_idx ON events (created_at);
