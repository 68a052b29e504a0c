-- The hash chain of each workspace: an entry for each audit row and each run that ended, and signed checkpoints over them.

-- Random bytes for the commitments to a run's content; erased with it.
ALTER TABLE runs ADD COLUMN salt BYTEA;

-- Where each chain ends. No foreign key: what belongs to no workspace has a chain, too, under nil ids.
CREATE TABLE chains (
    workspace_id  UUID   NOT NULL,
    tenant_id     UUID   NOT NULL,
    seq           BIGINT NOT NULL,
    hash          BYTEA  NOT NULL,
    sealed_seq    BIGINT NOT NULL DEFAULT 0,
    CONSTRAINT chains_pkey PRIMARY KEY (workspace_id)
);

CREATE TABLE chain_entries (
    workspace_id    UUID        NOT NULL,
    seq             BIGINT      NOT NULL,
    tenant_id       UUID        NOT NULL,
    kind            TEXT        NOT NULL,
    subject_id      TEXT        NOT NULL,
    subject_digest  BYTEA       NOT NULL,
    prev_hash       BYTEA       NOT NULL,
    hash            BYTEA       NOT NULL,
    parts           TEXT,
    created_at      TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT chain_entries_pkey PRIMARY KEY (workspace_id, seq)
);
CREATE INDEX chain_entries_subject_id_idx ON chain_entries (subject_id);

CREATE TABLE chain_checkpoints (
    workspace_id  UUID        NOT NULL,
    number        BIGINT      NOT NULL,
    tenant_id     UUID        NOT NULL,
    first_seq     BIGINT      NOT NULL,
    last_seq      BIGINT      NOT NULL,
    root          BYTEA       NOT NULL,
    head          BYTEA       NOT NULL,
    previous      BYTEA       NOT NULL,
    sealed_at     TIMESTAMPTZ NOT NULL,
    key_id        TEXT        NOT NULL,
    signature     BYTEA       NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT chain_checkpoints_pkey PRIMARY KEY (workspace_id, number),
    CONSTRAINT chain_checkpoints_last_seq_check CHECK (last_seq >= first_seq)
);
CREATE INDEX chain_checkpoints_workspace_id_last_seq_idx ON chain_checkpoints (workspace_id, last_seq);

-- Keys that sign checkpoints and evidence, sealed like secrets. The highest number signs.
CREATE TABLE signing_keys (
    number         BIGINT      NOT NULL,
    key_id         TEXT        NOT NULL,
    sealed_key_id  TEXT        NOT NULL,
    nonce          BYTEA       NOT NULL,
    ciphertext     BYTEA       NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT signing_keys_pkey PRIMARY KEY (number),
    CONSTRAINT signing_keys_key_id_key UNIQUE (key_id)
);
