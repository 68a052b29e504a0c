-- Second factors, the questions for them, and from when on a workspace asks for one.
CREATE TABLE second_factors (
    user_id             UUID        NOT NULL,
    number              BIGINT,
    key_id              TEXT,
    nonce               BYTEA,
    ciphertext          BYTEA,
    active_since        TIMESTAMPTZ,
    pending_number      BIGINT,
    pending_key_id      TEXT,
    pending_nonce       BYTEA,
    pending_ciphertext  BYTEA,
    seeds               BIGINT      NOT NULL,
    last_step           BIGINT      NOT NULL,
    recovery            TEXT        NOT NULL,
    version             BIGINT      NOT NULL,
    CONSTRAINT second_factors_pkey PRIMARY KEY (user_id),
    CONSTRAINT second_factors_user_id_fk FOREIGN KEY (user_id) REFERENCES users (id),
    CONSTRAINT second_factors_active_check CHECK (
        (number IS NULL) = (active_since IS NULL) AND (number IS NULL) = (key_id IS NULL)
        AND (number IS NULL) = (nonce IS NULL) AND (number IS NULL) = (ciphertext IS NULL)),
    CONSTRAINT second_factors_pending_check CHECK (
        (pending_number IS NULL) = (pending_key_id IS NULL) AND (pending_number IS NULL) = (pending_nonce IS NULL)
        AND (pending_number IS NULL) = (pending_ciphertext IS NULL))
);

CREATE TABLE mfa_challenges (
    id          UUID        NOT NULL,
    user_id     UUID        NOT NULL,
    kind        TEXT        NOT NULL,
    digest      BYTEA       NOT NULL,
    wrong       BIGINT      NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    expires_at  TIMESTAMPTZ NOT NULL,
    spent_at    TIMESTAMPTZ,
    version     BIGINT      NOT NULL,
    CONSTRAINT mfa_challenges_pkey PRIMARY KEY (id),
    CONSTRAINT mfa_challenges_digest_key UNIQUE (digest),
    CONSTRAINT mfa_challenges_user_id_fk FOREIGN KEY (user_id) REFERENCES users (id)
);
CREATE INDEX mfa_challenges_expires_at_idx ON mfa_challenges (expires_at);

ALTER TABLE sessions ADD COLUMN mfa TEXT NOT NULL DEFAULT 'none';
ALTER TABLE workspaces ADD COLUMN require_mfa_from TIMESTAMPTZ;
