-- What people say of runs: one row of a person and run. The comment is content.
CREATE TABLE feedback (
    id            UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID        NOT NULL,
    run_id        UUID        NOT NULL,
    user_id       UUID        NOT NULL,
    rating        TEXT        NOT NULL,
    labels        TEXT        NOT NULL,
    comment       TEXT,
    created_at    TIMESTAMPTZ NOT NULL,
    updated_at    TIMESTAMPTZ NOT NULL,
    version       BIGINT      NOT NULL,
    CONSTRAINT feedback_pkey PRIMARY KEY (id),
    CONSTRAINT feedback_run_id_user_id_key UNIQUE (run_id, user_id),
    CONSTRAINT feedback_tenant_id_workspace_id_run_id_fk
        FOREIGN KEY (tenant_id, workspace_id, run_id) REFERENCES runs (tenant_id, workspace_id, id),
    CONSTRAINT feedback_user_id_fk FOREIGN KEY (user_id) REFERENCES users (id),
    CONSTRAINT feedback_rating_check CHECK (rating IN ('up', 'down'))
);

-- What exports read in order: records of a workspace as they were written.
CREATE INDEX steps_workspace_id_created_at_idx ON steps (workspace_id, created_at, id);
CREATE INDEX costs_workspace_id_created_at_idx ON costs (workspace_id, created_at, id);
CREATE INDEX audit_workspace_id_created_at_idx ON audit (workspace_id, created_at, seq);
CREATE INDEX events_workspace_id_created_at_idx ON events (workspace_id, created_at, id);
CREATE INDEX run_events_workspace_id_created_at_idx ON run_events (workspace_id, created_at, run_id, "offset");
