-- What runs are found by: their texts in one case, written by whoever writes the run, in the same commit.

CREATE TABLE run_texts (
    run_id        UUID    NOT NULL,
    tenant_id     UUID    NOT NULL,
    workspace_id  UUID    NOT NULL,
    is_over       BOOLEAN NOT NULL,
    facts         TEXT    NOT NULL,                -- ids, names and codes, one a line
    labels        TEXT,
    input         TEXT,
    output        TEXT,
    error         TEXT,
    CONSTRAINT run_texts_pkey PRIMARY KEY (run_id),
    CONSTRAINT run_texts_run_id_fk FOREIGN KEY (run_id) REFERENCES runs (id) ON DELETE CASCADE
);
-- Runs that go on are few, and their texts still change: they are read, not indexed.
CREATE INDEX run_texts_open_idx ON run_texts (workspace_id) WHERE NOT is_over;

-- Where the server lacks the extension, or whoever migrates may not make it, texts are found all the same, by reading them
-- all; readiness says so, and docs/operations/search.md how the index is made later.
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX run_texts_search_idx ON run_texts USING gin ((
        facts || ' ' || coalesce(labels, '') || ' ' || coalesce(input, '') || ' ' || coalesce(output, '') || ' '
        || coalesce(error, '')
    ) gin_trgm_ops) WHERE is_over;
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
    RAISE WARNING 'texts of runs have no index, because the extension pg_trgm cannot be used: %', SQLERRM;
END $$;

-- Whoever erases what a run kept erases what it is found by; the end of a run, which writes both, is left out.
CREATE FUNCTION forget_run_texts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE run_texts SET
        labels = CASE WHEN NEW.labels IS NOT DISTINCT FROM OLD.labels THEN labels END,
        input = CASE WHEN NEW.input_preview IS NOT DISTINCT FROM OLD.input_preview THEN input END,
        output = CASE WHEN NEW.output_preview IS NOT DISTINCT FROM OLD.output_preview THEN output END,
        error = CASE WHEN NEW.error_message IS NOT DISTINCT FROM OLD.error_message THEN error END
    WHERE run_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER runs_forget_texts AFTER UPDATE OF labels, input_preview, output_preview, error_message ON runs
    FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL OR NEW.ended_at IS NULL) EXECUTE FUNCTION forget_run_texts();

-- Runs that were there before: a worker gives them their texts, newest first, those below this id.
CREATE TABLE run_text_backlog (
    id     BIGINT NOT NULL,
    below  UUID   NOT NULL,
    CONSTRAINT run_text_backlog_pkey PRIMARY KEY (id),
    CONSTRAINT run_text_backlog_id_check CHECK (id = 1)
);
INSERT INTO run_text_backlog (id, below)
SELECT 1, 'ffffffff-ffff-ffff-ffff-ffffffffffff' WHERE EXISTS (SELECT 1 FROM runs);
