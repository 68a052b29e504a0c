-- How long a workspace keeps what, what is held whatever its age, and what a purge did.

-- NULL keeps for good. A workspace without a row keeps everything but events.
CREATE TABLE retention (
    workspace_id  UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    content_days  BIGINT,
    runs_days     BIGINT,
    costs_days    BIGINT,
    audit_days    BIGINT,
    events_days   BIGINT,
    updated_at    TIMESTAMPTZ NOT NULL,
    version       BIGINT      NOT NULL,
    CONSTRAINT retention_pkey PRIMARY KEY (workspace_id),
    CONSTRAINT retention_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id),
    CONSTRAINT retention_content_days_check CHECK (content_days >= 1),
    CONSTRAINT retention_costs_days_check CHECK (costs_days >= 400),
    CONSTRAINT retention_audit_days_check CHECK (audit_days >= 365),
    CONSTRAINT retention_events_days_check CHECK (events_days >= 7),
    CONSTRAINT retention_runs_days_check
        CHECK (runs_days IS NULL OR (content_days IS NOT NULL AND runs_days >= content_days))
);

-- What binds every workspace of a tenant: JSON, class to days, least and most.
ALTER TABLE tenants ADD COLUMN retention_bounds TEXT NOT NULL DEFAULT '{}';

CREATE TABLE legal_holds (
    id              UUID        NOT NULL,
    tenant_id       UUID        NOT NULL,
    workspace_id    UUID        NOT NULL,
    name            TEXT        NOT NULL,
    reason          TEXT        NOT NULL,
    by_runs         BOOLEAN     NOT NULL,            -- the runs of legal_hold_runs, and no others
    caller_id       TEXT,
    starts_from     TIMESTAMPTZ,
    starts_before   TIMESTAMPTZ,
    created_by      TEXT        NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    released_at     TIMESTAMPTZ,
    released_by     TEXT,
    release_reason  TEXT,
    version         BIGINT      NOT NULL,
    CONSTRAINT legal_holds_pkey PRIMARY KEY (id),
    CONSTRAINT legal_holds_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id),
    CONSTRAINT legal_holds_by_runs_check
        CHECK (by_runs OR caller_id IS NOT NULL OR starts_from IS NOT NULL OR starts_before IS NOT NULL),
    CONSTRAINT legal_holds_released_at_check
        CHECK ((released_at IS NULL) = (released_by IS NULL) AND (released_at IS NULL) = (release_reason IS NULL))
);
CREATE INDEX legal_holds_workspace_id_idx ON legal_holds (workspace_id, id);
CREATE INDEX legal_holds_caller_id_idx ON legal_holds (caller_id) WHERE released_at IS NULL AND caller_id IS NOT NULL;

CREATE TABLE legal_hold_runs (
    hold_id  UUID NOT NULL,
    run_id   UUID NOT NULL,
    CONSTRAINT legal_hold_runs_pkey PRIMARY KEY (hold_id, run_id),
    CONSTRAINT legal_hold_runs_hold_id_fk FOREIGN KEY (hold_id) REFERENCES legal_holds (id)
);

-- One row a pass. The one that is not over is the claim of who works at it.
CREATE TABLE retention_reports (
    id             UUID        NOT NULL,
    tenant_id      UUID        NOT NULL,
    workspace_id   UUID        NOT NULL,
    started_at     TIMESTAMPTZ NOT NULL,
    finished_at    TIMESTAMPTZ,
    claimed_by     UUID        NOT NULL,
    claimed_until  TIMESTAMPTZ NOT NULL,
    purged         TEXT        NOT NULL,             -- JSON, what to how many
    version        BIGINT      NOT NULL,
    CONSTRAINT retention_reports_pkey PRIMARY KEY (id),
    CONSTRAINT retention_reports_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id)
);
CREATE UNIQUE INDEX retention_reports_workspace_id_key ON retention_reports (workspace_id) WHERE finished_at IS NULL;
CREATE INDEX retention_reports_workspace_id_started_at_idx ON retention_reports (workspace_id, started_at, id);

-- Which purge entry of a chain covers entries whose records are gone. It only says where to look: the entry counts.
CREATE TABLE purged_entries (
    workspace_id  UUID   NOT NULL,
    purge_seq     BIGINT NOT NULL,
    first_seq     BIGINT NOT NULL,
    tenant_id     UUID   NOT NULL,
    last_seq      BIGINT NOT NULL,
    CONSTRAINT purged_entries_pkey PRIMARY KEY (workspace_id, purge_seq, first_seq),
    CONSTRAINT purged_entries_last_seq_check CHECK (last_seq >= first_seq AND purge_seq > last_seq)
);
CREATE INDEX purged_entries_workspace_id_last_seq_idx ON purged_entries (workspace_id, last_seq);

-- What purges ask by, and what deleting a run looks up.
CREATE INDEX runs_content_idx ON runs (workspace_id, ended_at, id)
    WHERE ended_at IS NOT NULL AND (salt IS NOT NULL OR input_preview IS NOT NULL OR output_preview IS NOT NULL);
CREATE INDEX runs_parent_run_id_idx ON runs (tenant_id, workspace_id, parent_run_id) WHERE parent_run_id IS NOT NULL;
CREATE INDEX holds_run_id_idx ON holds (run_id);
CREATE INDEX feedback_comment_idx ON feedback (workspace_id, run_id) WHERE comment IS NOT NULL;
CREATE INDEX idempotency_keys_run_id_idx ON idempotency_keys (run_id) WHERE run_id IS NOT NULL;
