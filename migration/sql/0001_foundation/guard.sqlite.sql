-- Evidence is written once. DELETE passes only for runs on the purge list.

CREATE TRIGGER steps_update BEFORE UPDATE ON steps
WHEN OLD.status NOT IN ('open', 'waiting_approval')
BEGIN SELECT RAISE(ABORT, 'a closed step is never changed'); END;

CREATE TRIGGER costs_update BEFORE UPDATE ON costs
BEGIN SELECT RAISE(ABORT, 'a cost row is never changed'); END;

CREATE TRIGGER audit_update BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'an audit row is never changed'); END;

CREATE TRIGGER run_events_update BEFORE UPDATE ON run_events
BEGIN SELECT RAISE(ABORT, 'a run event is never changed'); END;

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
