-- Entries and checkpoints are written once, and stay also where what they are of is purged.

CREATE TRIGGER chain_entries_update BEFORE UPDATE ON chain_entries
BEGIN SELECT RAISE(ABORT, 'an entry of a chain is never changed'); END;

CREATE TRIGGER chain_entries_delete BEFORE DELETE ON chain_entries
BEGIN SELECT RAISE(ABORT, 'an entry of a chain is never changed'); END;

CREATE TRIGGER chain_checkpoints_update BEFORE UPDATE ON chain_checkpoints
BEGIN SELECT RAISE(ABORT, 'a checkpoint is never changed'); END;

CREATE TRIGGER chain_checkpoints_delete BEFORE DELETE ON chain_checkpoints
BEGIN SELECT RAISE(ABORT, 'a checkpoint is never changed'); END;
