-- What was discarded is dead as it was before.
CREATE TABLE deliveries_old (
    event_id      BLOB    NOT NULL,
    consumer      TEXT    NOT NULL,
    tenant_id     BLOB    NOT NULL,
    workspace_id  BLOB    NOT NULL,
    subject       TEXT    NOT NULL,
    subject_seq   BIGINT  NOT NULL,
    status        TEXT    NOT NULL DEFAULT 'pending',
    attempts      BIGINT  NOT NULL DEFAULT 0,
    epoch         BIGINT  NOT NULL DEFAULT 0,
    due_at        TEXT    NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')),
    leased_by     BLOB,
    last_error    TEXT,
    finished_at   TEXT,
    created_at    TEXT    NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')),
    CONSTRAINT deliveries_pkey PRIMARY KEY (event_id, consumer),
    CONSTRAINT deliveries_event_id_fk FOREIGN KEY (event_id) REFERENCES events (id),
    CONSTRAINT deliveries_status_check CHECK (
        status IN ('pending', 'leased', 'done', 'dead')
        AND (finished_at IS NULL) = (status IN ('pending', 'leased'))
    )
);
INSERT INTO deliveries_old
    SELECT event_id, consumer, tenant_id, workspace_id, subject, subject_seq,
           CASE status WHEN 'discarded' THEN 'dead' ELSE status END, attempts, epoch,
           due_at, leased_by, last_error, finished_at, created_at
    FROM deliveries;
DROP TABLE deliveries;
ALTER TABLE deliveries_old RENAME TO deliveries;
CREATE INDEX deliveries_due_idx ON deliveries (consumer, due_at) WHERE finished_at IS NULL;
CREATE INDEX deliveries_subject_idx ON deliveries (consumer, tenant_id, subject, subject_seq) WHERE finished_at IS NULL;
CREATE INDEX deliveries_finished_at_idx ON deliveries (status, finished_at) WHERE finished_at IS NOT NULL;
DROP INDEX events_created_at_idx;
DROP INDEX events_workspace_id_run_id_idx;
DROP INDEX events_workspace_id_occurred_at_idx;
DROP INDEX audit_workspace_id_occurred_at_idx;
DROP INDEX audit_workspace_id_actor_id_idx;
DROP INDEX audit_workspace_id_resource_id_idx;
DROP INDEX audit_workspace_id_run_id_idx;
