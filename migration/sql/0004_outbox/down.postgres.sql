-- What was discarded is dead as it was before.
ALTER TABLE deliveries DROP CONSTRAINT deliveries_discard_reason_check;
ALTER TABLE deliveries DROP CONSTRAINT deliveries_status_check;
UPDATE deliveries SET status = 'dead' WHERE status = 'discarded';
ALTER TABLE deliveries ADD CONSTRAINT deliveries_status_check CHECK (
    status IN ('pending', 'leased', 'done', 'dead')
    AND (finished_at IS NULL) = (status IN ('pending', 'leased'))
);
DROP INDEX deliveries_dead_subject_idx;
DROP INDEX deliveries_dead_idx;
ALTER TABLE deliveries DROP COLUMN after_dead;
ALTER TABLE deliveries DROP COLUMN redrives;
ALTER TABLE deliveries DROP COLUMN discard_reason;
DROP INDEX events_created_at_idx;
DROP INDEX events_workspace_id_run_id_idx;
DROP INDEX events_workspace_id_occurred_at_idx;
DROP INDEX audit_workspace_id_occurred_at_idx;
DROP INDEX audit_workspace_id_actor_id_idx;
DROP INDEX audit_workspace_id_resource_id_idx;
DROP INDEX audit_workspace_id_run_id_idx;
