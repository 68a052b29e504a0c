ALTER TABLE idempotency_keys DROP COLUMN body_artifact_id;
ALTER TABLE steps DROP COLUMN output_artifact_id;
ALTER TABLE steps DROP COLUMN input_artifact_id;
ALTER TABLE runs DROP COLUMN output_artifact_id;
ALTER TABLE runs DROP COLUMN input_artifact_id;
DROP TABLE artifacts;
