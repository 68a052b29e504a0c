DROP TABLE chain_copiers;
DROP TABLE chain_copies;
ALTER TABLE signing_keys DROP COLUMN rotation;
