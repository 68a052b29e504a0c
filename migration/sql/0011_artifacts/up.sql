-- Content that is kept whole. Up to 16 KiB lie in the row, more lies in the artifact store, under a key that follows from day,
-- tenant, workspace and SHA-256. No foreign key to the workspace: a person's own commands lie in none.
CREATE TABLE artifacts (
    id            UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID        NOT NULL,
    run_id        UUID,
    step_id       UUID,
    kind          TEXT        NOT NULL,
    mime          TEXT        NOT NULL,
    size          BIGINT      NOT NULL,
    sha256        BYTEA       NOT NULL,
    content       BYTEA,
    storage_key   TEXT,
    expires_at    TIMESTAMPTZ,                     -- of answers that are kept for a while
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT artifacts_pkey PRIMARY KEY (id),
    CONSTRAINT artifacts_tenant_id_workspace_id_run_id_fk
        FOREIGN KEY (tenant_id, workspace_id, run_id) REFERENCES runs (tenant_id, workspace_id, id),
    CONSTRAINT artifacts_content_check CHECK ((content IS NULL) <> (storage_key IS NULL)),
    CONSTRAINT artifacts_size_check CHECK (size >= 0)
);
CREATE INDEX artifacts_run_id_idx ON artifacts (run_id, id) WHERE run_id IS NOT NULL;
CREATE INDEX artifacts_storage_key_idx ON artifacts (storage_key) WHERE storage_key IS NOT NULL;
CREATE INDEX artifacts_expires_at_idx ON artifacts (expires_at) WHERE expires_at IS NOT NULL;

ALTER TABLE runs ADD COLUMN input_artifact_id UUID;
ALTER TABLE runs ADD COLUMN output_artifact_id UUID;
ALTER TABLE steps ADD COLUMN input_artifact_id UUID;
ALTER TABLE steps ADD COLUMN output_artifact_id UUID;
-- A sealed answer over 16 KiB: `body` is empty then, and its bytes are this artifact.
ALTER TABLE idempotency_keys ADD COLUMN body_artifact_id UUID;
