-- What was done under an Idempotency-Key. `key` is `{workspace}/{caller}/{SHA-256 of the key}`: the key itself is nowhere, and
-- what seals the answer is made of it. No foreign keys: a person's own commands lie in no workspace, and a run may go first.
CREATE TABLE idempotency_keys (
    tenant_id         UUID        NOT NULL,
    key               TEXT        NOT NULL,
    workspace_id      UUID        NOT NULL,
    status            TEXT        NOT NULL,
    fingerprint       BYTEA       NOT NULL,
    holder            UUID        NOT NULL,            -- who holds it: the run, or an id made for the command
    run_id            UUID,
    first_run_id      UUID,
    attempts          BIGINT      NOT NULL,            -- 0 on a row that was only made to be locked
    owner_process_id  UUID        NOT NULL,
    owner_epoch       BIGINT      NOT NULL,
    claimed_at        TIMESTAMPTZ NOT NULL,            -- the first time
    expires_at        TIMESTAMPTZ,                     -- counted from the outcome
    outcome           TEXT,                            -- HTTP status and headers
    body              BYTEA,                           -- sealed
    body_key_id       TEXT,
    body_nonce        BYTEA,
    created_at        TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (tenant_id, key),
    CONSTRAINT idempotency_keys_status_check CHECK (status IN ('in_progress', 'completed', 'released')),
    CONSTRAINT idempotency_keys_expires_at_check CHECK ((expires_at IS NULL) = (status = 'in_progress')),
    CONSTRAINT idempotency_keys_body_check
        CHECK ((body IS NULL) = (body_key_id IS NULL) AND (body IS NULL) = (body_nonce IS NULL))
);
CREATE INDEX idempotency_keys_owner_process_id_idx ON idempotency_keys (owner_process_id) WHERE status = 'in_progress';
CREATE INDEX idempotency_keys_expires_at_idx ON idempotency_keys (expires_at) WHERE expires_at IS NOT NULL;
