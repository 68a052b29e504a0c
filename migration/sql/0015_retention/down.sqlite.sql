-- Costs keep going without their runs: SQLite takes no foreign key that is broken already.
DROP TRIGGER runs_content_update;
DROP TRIGGER runs_delete;
DROP TRIGGER run_events_delete;
DROP TRIGGER costs_delete;
DROP TRIGGER audit_delete;
DROP TRIGGER steps_delete;
DROP TRIGGER steps_update;
ALTER TABLE purge_list RENAME COLUMN subject_id TO run_id;
CREATE TRIGGER steps_update BEFORE UPDATE ON steps
WHEN OLD.status NOT IN ('open', 'waiting_approval')
BEGIN SELECT RAISE(ABORT, 'a closed step is never changed'); END;
CREATE TRIGGER steps_delete BEFORE DELETE ON steps
WHEN NOT EXISTS (SELECT 1 FROM purge_list WHERE run_id = OLD.run_id)
BEGIN SELECT RAISE(ABORT, 'a step is only deleted by a purge'); END;
CREATE TRIGGER costs_delete BEFORE DELETE ON costs
WHEN NOT EXISTS (SELECT 1 FROM purge_list WHERE run_id = OLD.run_id)
BEGIN SELECT RAISE(ABORT, 'a cost row is only deleted by a purge'); END;
CREATE TRIGGER audit_delete BEFORE DELETE ON audit
WHEN NOT EXISTS (SELECT 1 FROM purge_list WHERE run_id = OLD.run_id)
BEGIN SELECT RAISE(ABORT, 'an audit row is only deleted by a purge'); END;
CREATE TRIGGER run_events_delete BEFORE DELETE ON run_events
WHEN NOT EXISTS (SELECT 1 FROM purge_list WHERE run_id = OLD.run_id)
BEGIN SELECT RAISE(ABORT, 'a run event is only deleted by a purge'); END;
DROP INDEX idempotency_keys_run_id_idx;
DROP INDEX feedback_comment_idx;
DROP INDEX holds_run_id_idx;
DROP INDEX runs_parent_run_id_idx;
DROP INDEX runs_content_idx;
DROP TABLE purged_entries;
DROP TABLE retention_reports;
DROP TABLE legal_hold_runs;
DROP TABLE legal_holds;
ALTER TABLE tenants DROP COLUMN retention_bounds;
DROP TABLE retention;
