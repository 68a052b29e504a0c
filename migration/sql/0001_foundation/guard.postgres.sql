-- Evidence is written once. DELETE passes only for runs on the purge list.

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a row of % is never changed', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE FUNCTION refuse_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM purge_list WHERE run_id = OLD.run_id) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'a row of % is only deleted by a purge', TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER steps_update BEFORE UPDATE ON steps FOR EACH ROW
    WHEN (OLD.status NOT IN ('open', 'waiting_approval')) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER costs_update BEFORE UPDATE ON costs FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_update BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER run_events_update BEFORE UPDATE ON run_events FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER steps_delete BEFORE DELETE ON steps FOR EACH ROW EXECUTE FUNCTION refuse_delete();
CREATE TRIGGER costs_delete BEFORE DELETE ON costs FOR EACH ROW EXECUTE FUNCTION refuse_delete();
CREATE TRIGGER audit_delete BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_delete();
CREATE TRIGGER run_events_delete BEFORE DELETE ON run_events FOR EACH ROW EXECUTE FUNCTION refuse_delete();

CREATE TRIGGER steps_truncate BEFORE TRUNCATE ON steps EXECUTE FUNCTION refuse_change();
CREATE TRIGGER costs_truncate BEFORE TRUNCATE ON costs EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_truncate BEFORE TRUNCATE ON audit EXECUTE FUNCTION refuse_change();
CREATE TRIGGER run_events_truncate BEFORE TRUNCATE ON run_events EXECUTE FUNCTION refuse_change();
