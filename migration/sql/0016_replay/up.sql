-- The runs that came out of one run, newest first.
CREATE INDEX runs_workspace_id_source_run_id_idx ON runs (workspace_id, source_run_id, started_at, id)
    WHERE source_run_id IS NOT NULL;
