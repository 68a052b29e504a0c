-- Costs stay when their run goes: they have a class of their own.
ALTER TABLE costs DROP CONSTRAINT costs_tenant_id_workspace_id_run_id_fk;
ALTER TABLE costs ADD CONSTRAINT costs_tenant_id_workspace_id_fk
    FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id);

-- What may go: runs with what hangs on them, and audit rows by their own id. Content only ever goes to nothing.
ALTER TABLE purge_list RENAME COLUMN run_id TO subject_id;

CREATE OR REPLACE FUNCTION refuse_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM purge_list WHERE subject_id = OLD.run_id) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'a row of % is only deleted by a purge', TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE FUNCTION refuse_own_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM purge_list WHERE subject_id = OLD.id) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'a row of % is only deleted by a purge', TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE FUNCTION refuse_step_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM purge_list WHERE subject_id = OLD.run_id)
        AND NEW.input_preview IS NULL AND NEW.output_preview IS NULL
        AND to_jsonb(NEW) - '{input_preview,output_preview}'::text[]
            = to_jsonb(OLD) - '{input_preview,output_preview}'::text[]
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a row of % is never changed', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE FUNCTION refuse_run_content() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM purge_list WHERE subject_id = OLD.id)
        AND (NEW.input_preview IS NULL OR NEW.input_preview IS NOT DISTINCT FROM OLD.input_preview)
        AND (NEW.output_preview IS NULL OR NEW.output_preview IS NOT DISTINCT FROM OLD.output_preview)
        AND (NEW.salt IS NULL OR NEW.salt IS NOT DISTINCT FROM OLD.salt)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the content of a row of % is never changed, once it is over', TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

DROP TRIGGER steps_update ON steps;
CREATE TRIGGER steps_update BEFORE UPDATE ON steps FOR EACH ROW
    WHEN (OLD.status NOT IN ('open', 'waiting_approval')) EXECUTE FUNCTION refuse_step_change();
CREATE TRIGGER runs_content_update BEFORE UPDATE OF input_preview, output_preview, salt ON runs FOR EACH ROW
    WHEN (OLD.ended_at IS NOT NULL AND (NEW.input_preview IS DISTINCT FROM OLD.input_preview
        OR NEW.output_preview IS DISTINCT FROM OLD.output_preview OR NEW.salt IS DISTINCT FROM OLD.salt))
    EXECUTE FUNCTION refuse_run_content();
CREATE TRIGGER runs_delete BEFORE DELETE ON runs FOR EACH ROW EXECUTE FUNCTION refuse_own_delete();
DROP TRIGGER audit_delete ON audit;
CREATE TRIGGER audit_delete BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_own_delete();
