-- Entries and checkpoints are written once, and stay also where what they are of is purged.

CREATE TRIGGER chain_entries_update BEFORE UPDATE OR DELETE ON chain_entries
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chain_checkpoints_update BEFORE UPDATE OR DELETE ON chain_checkpoints
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER chain_entries_truncate BEFORE TRUNCATE ON chain_entries EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chain_checkpoints_truncate BEFORE TRUNCATE ON chain_checkpoints EXECUTE FUNCTION refuse_change();
