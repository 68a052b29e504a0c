-- What runs are found by: their texts in one case, written by whoever writes the run, in the same commit.

CREATE TABLE run_texts (
    number        INTEGER NOT NULL,
    run_id        BLOB    NOT NULL,
    tenant_id     BLOB    NOT NULL,
    workspace_id  BLOB    NOT NULL,
    is_over       BOOLEAN NOT NULL,
    facts         TEXT    NOT NULL,                -- ids, names and codes, one a line
    labels        TEXT,
    input         TEXT,
    output        TEXT,
    error         TEXT,
    CONSTRAINT run_texts_pkey PRIMARY KEY (number),
    CONSTRAINT run_texts_run_id_key UNIQUE (run_id),
    CONSTRAINT run_texts_run_id_fk FOREIGN KEY (run_id) REFERENCES runs (id) ON DELETE CASCADE
);
-- Runs that go on are few, and their texts still change: they are read, not indexed.
CREATE INDEX run_texts_open_idx ON run_texts (workspace_id) WHERE NOT is_over;

CREATE VIRTUAL TABLE run_search USING fts5 (
    facts, labels, input, output, error,
    content = 'run_texts', content_rowid = 'number', tokenize = 'trigram case_sensitive 1', detail = 'none',
    columnsize = 0
);
-- What is taken out is gone from the index at once, not when it is merged one day.
INSERT INTO run_search (run_search, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER run_texts_insert AFTER INSERT ON run_texts WHEN NEW.is_over
BEGIN
    INSERT INTO run_search (rowid, facts, labels, input, output, error)
    VALUES (NEW.number, NEW.facts, NEW.labels, NEW.input, NEW.output, NEW.error);
END;

CREATE TRIGGER run_texts_update_old AFTER UPDATE ON run_texts
WHEN OLD.is_over AND (NEW.is_over, NEW.facts, NEW.labels, NEW.input, NEW.output, NEW.error)
    IS NOT (OLD.is_over, OLD.facts, OLD.labels, OLD.input, OLD.output, OLD.error)
BEGIN
    INSERT INTO run_search (run_search, rowid, facts, labels, input, output, error)
    VALUES ('delete', OLD.number, OLD.facts, OLD.labels, OLD.input, OLD.output, OLD.error);
    INSERT INTO run_search (rowid, facts, labels, input, output, error)
    SELECT NEW.number, NEW.facts, NEW.labels, NEW.input, NEW.output, NEW.error WHERE NEW.is_over;
END;

CREATE TRIGGER run_texts_update_new AFTER UPDATE ON run_texts WHEN NEW.is_over AND NOT OLD.is_over
BEGIN
    INSERT INTO run_search (rowid, facts, labels, input, output, error)
    VALUES (NEW.number, NEW.facts, NEW.labels, NEW.input, NEW.output, NEW.error);
END;

CREATE TRIGGER run_texts_delete AFTER DELETE ON run_texts WHEN OLD.is_over
BEGIN
    INSERT INTO run_search (run_search, rowid, facts, labels, input, output, error)
    VALUES ('delete', OLD.number, OLD.facts, OLD.labels, OLD.input, OLD.output, OLD.error);
END;

-- Whoever erases what a run kept erases what it is found by; the end of a run, which writes both, is left out.
CREATE TRIGGER runs_forget_texts AFTER UPDATE OF labels, input_preview, output_preview, error_message ON runs
WHEN OLD.ended_at IS NOT NULL OR NEW.ended_at IS NULL
BEGIN
    UPDATE run_texts SET
        labels = CASE WHEN NEW.labels IS OLD.labels THEN labels END,
        input = CASE WHEN NEW.input_preview IS OLD.input_preview THEN input END,
        output = CASE WHEN NEW.output_preview IS OLD.output_preview THEN output END,
        error = CASE WHEN NEW.error_message IS OLD.error_message THEN error END
    WHERE run_id = NEW.id;
END;

-- Runs that were there before: a worker gives them their texts, newest first, those below this id.
CREATE TABLE run_text_backlog (
    id     BIGINT NOT NULL,
    below  BLOB   NOT NULL,
    CONSTRAINT run_text_backlog_pkey PRIMARY KEY (id),
    CONSTRAINT run_text_backlog_id_check CHECK (id = 1)
);
INSERT INTO run_text_backlog (id, below)
SELECT 1, x'ffffffffffffffffffffffffffffffff' WHERE EXISTS (SELECT 1 FROM runs);
