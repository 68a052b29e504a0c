DROP TABLE signing_keys;
DROP TABLE chain_checkpoints;
DROP TABLE chain_entries;
DROP TABLE chains;
ALTER TABLE runs DROP COLUMN salt;
