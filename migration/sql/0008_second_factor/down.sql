ALTER TABLE workspaces DROP COLUMN require_mfa_from;
ALTER TABLE sessions DROP COLUMN mfa;
DROP TABLE mfa_challenges;
DROP TABLE second_factors;
