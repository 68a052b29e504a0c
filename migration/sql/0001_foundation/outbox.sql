-- What must still happen: events and their deliveries; the processes that do the work; the instance itself.

CREATE TABLE events (
    id            UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID        NOT NULL,
    event_type    TEXT        NOT NULL,
    subject       TEXT        NOT NULL,
    subject_seq   BIGINT      NOT NULL,
    run_id        UUID,
    payload       TEXT        NOT NULL,
    occurred_at   TIMESTAMPTZ NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT events_pkey PRIMARY KEY (id),
    CONSTRAINT events_tenant_id_subject_subject_seq_key UNIQUE (tenant_id, subject, subject_seq),
    CONSTRAINT events_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id)
);

-- `due_at` is when to try while pending, and when the lease ends while leased.
CREATE TABLE deliveries (
    event_id      UUID        NOT NULL,
    consumer      TEXT        NOT NULL,
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID        NOT NULL,
    subject       TEXT        NOT NULL,
    subject_seq   BIGINT      NOT NULL,
    status        TEXT        NOT NULL DEFAULT 'pending',
    attempts      BIGINT      NOT NULL DEFAULT 0,
    epoch         BIGINT      NOT NULL DEFAULT 0,
    due_at        TIMESTAMPTZ NOT NULL DEFAULT now(),
    leased_by     UUID,
    last_error    TEXT,
    finished_at   TIMESTAMPTZ,
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT deliveries_pkey PRIMARY KEY (event_id, consumer),
    CONSTRAINT deliveries_event_id_fk FOREIGN KEY (event_id) REFERENCES events (id),
    CONSTRAINT deliveries_status_check CHECK (
        status IN ('pending', 'leased', 'done', 'dead')
        AND (finished_at IS NULL) = (status IN ('pending', 'leased'))
    )
);
CREATE INDEX deliveries_due_idx ON deliveries (consumer, due_at) WHERE finished_at IS NULL;
CREATE INDEX deliveries_subject_idx ON deliveries (consumer, tenant_id, subject, subject_seq) WHERE finished_at IS NULL;
CREATE INDEX deliveries_finished_at_idx ON deliveries (status, finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE processes (
    id          UUID        NOT NULL,
    epoch       BIGINT      NOT NULL,
    role        TEXT        NOT NULL,
    version     TEXT        NOT NULL,
    alive       BOOLEAN     NOT NULL,
    beat_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
    created_at  TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT processes_pkey PRIMARY KEY (id)
);

-- One row: what every process on this database must agree on.
CREATE TABLE instance (
    id          BIGINT      NOT NULL,
    key_check   BYTEA       NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT instance_pkey PRIMARY KEY (id),
    CONSTRAINT instance_id_check CHECK (id = 1)
);
