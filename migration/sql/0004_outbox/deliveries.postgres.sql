-- A delivery that was given up may be redriven or discarded; one that came after it says so.
ALTER TABLE deliveries ADD COLUMN after_dead BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE deliveries ADD COLUMN redrives BIGINT NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN discard_reason TEXT;
ALTER TABLE deliveries DROP CONSTRAINT deliveries_status_check;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_status_check CHECK (
    status IN ('pending', 'leased', 'done', 'dead', 'discarded')
    AND (finished_at IS NULL) = (status IN ('pending', 'leased'))
);
ALTER TABLE deliveries ADD CONSTRAINT deliveries_discard_reason_check
    CHECK ((discard_reason IS NOT NULL) = (status = 'discarded'));
CREATE INDEX deliveries_dead_subject_idx ON deliveries (consumer, tenant_id, subject, subject_seq)
    WHERE status = 'dead';
CREATE INDEX deliveries_dead_idx ON deliveries (workspace_id, finished_at, event_id, consumer) WHERE status = 'dead';
