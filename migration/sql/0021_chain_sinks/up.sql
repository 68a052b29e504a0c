-- How a signing key followed the one before, signed by both; none of the first.
ALTER TABLE signing_keys ADD COLUMN rotation TEXT;

-- How far checkpoints of a chain are copied out, by the name of where to.
CREATE TABLE chain_copies (
    sink          TEXT        NOT NULL,
    workspace_id  UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    number        BIGINT      NOT NULL,
    copied_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT chain_copies_pkey PRIMARY KEY (sink, workspace_id)
);

-- Who copies out at present: one process at a time.
CREATE TABLE chain_copiers (
    sink        TEXT        NOT NULL,
    process_id  UUID        NOT NULL,
    until       TIMESTAMPTZ NOT NULL,
    CONSTRAINT chain_copiers_pkey PRIMARY KEY (sink)
);
