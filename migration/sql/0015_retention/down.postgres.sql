DROP TRIGGER runs_content_update ON runs;
DROP TRIGGER runs_delete ON runs;
DROP TRIGGER audit_delete ON audit;
DROP TRIGGER steps_update ON steps;
ALTER TABLE purge_list RENAME COLUMN subject_id TO run_id;
CREATE OR REPLACE FUNCTION refuse_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM purge_list WHERE run_id = OLD.run_id) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'a row of % is only deleted by a purge', TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER steps_update BEFORE UPDATE ON steps FOR EACH ROW
    WHEN (OLD.status NOT IN ('open', 'waiting_approval')) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_delete BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_delete();
DROP FUNCTION refuse_run_content();
DROP FUNCTION refuse_step_change();
DROP FUNCTION refuse_own_delete();
-- Costs of runs that are gone fit no longer under a foreign key: it is for those to come.
ALTER TABLE costs DROP CONSTRAINT costs_tenant_id_workspace_id_fk;
ALTER TABLE costs ADD CONSTRAINT costs_tenant_id_workspace_id_run_id_fk
    FOREIGN KEY (tenant_id, workspace_id, run_id) REFERENCES runs (tenant_id, workspace_id, id) NOT VALID;
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
