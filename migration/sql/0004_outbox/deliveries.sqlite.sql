-- A delivery that was given up may be redriven or discarded; one that came after it says so. SQLite cannot change a CHECK:
-- the table is made anew.
CREATE TABLE deliveries_new (
    event_id        BLOB    NOT NULL,
    consumer        TEXT    NOT NULL,
    tenant_id       BLOB    NOT NULL,
    workspace_id    BLOB    NOT NULL,
    subject         TEXT    NOT NULL,
    subject_seq     BIGINT  NOT NULL,
    status          TEXT    NOT NULL DEFAULT 'pending',
    attempts        BIGINT  NOT NULL DEFAULT 0,
    epoch           BIGINT  NOT NULL DEFAULT 0,
    due_at          TEXT    NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')),
    leased_by       BLOB,
    last_error      TEXT,
    finished_at     TEXT,
    created_at      TEXT    NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')),
    after_dead      BOOLEAN NOT NULL DEFAULT false,
    redrives        BIGINT  NOT NULL DEFAULT 0,
    discard_reason  TEXT,
    CONSTRAINT deliveries_pkey PRIMARY KEY (event_id, consumer),
    CONSTRAINT deliveries_event_id_fk FOREIGN KEY (event_id) REFERENCES events (id),
    CONSTRAINT deliveries_status_check CHECK (
        status IN ('pending', 'leased', 'done', 'dead', 'discarded')
        AND (finished_at IS NULL) = (status IN ('pending', 'leased'))
    ),
    CONSTRAINT deliveries_discard_reason_check CHECK ((discard_reason IS NOT NULL) = (status = 'discarded'))
);
INSERT INTO deliveries_new (event_id, consumer, tenant_id, workspace_id, subject, subject_seq, status, attempts, epoch,
                            due_at, leased_by, last_error, finished_at, created_at)
    SELECT event_id, consumer, tenant_id, workspace_id, subject, subject_seq, status, attempts, epoch,
           due_at, leased_by, last_error, finished_at, created_at
    FROM deliveries;
DROP TABLE deliveries;
ALTER TABLE deliveries_new RENAME TO deliveries;
CREATE INDEX deliveries_due_idx ON deliveries (consumer, due_at) WHERE finished_at IS NULL;
CREATE INDEX deliveries_subject_idx ON deliveries (consumer, tenant_id, subject, subject_seq) WHERE finished_at IS NULL;
CREATE INDEX deliveries_finished_at_idx ON deliveries (status, finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX deliveries_dead_subject_idx ON deliveries (consumer, tenant_id, subject, subject_seq)
    WHERE status = 'dead';
CREATE INDEX deliveries_dead_idx ON deliveries (workspace_id, finished_at, event_id, consumer) WHERE status = 'dead';
