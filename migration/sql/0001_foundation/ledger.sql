-- What happened and what it cost: runs, steps, holds, costs, counters, run events, audit.

CREATE TABLE runs (
    id                UUID        NOT NULL,
    tenant_id         UUID        NOT NULL,
    workspace_id      UUID        NOT NULL,
    mode              TEXT        NOT NULL,
    source            TEXT        NOT NULL,
    entry             TEXT        NOT NULL,
    caller_kind       TEXT        NOT NULL,
    caller_id         TEXT        NOT NULL,
    user_id           UUID,
    api_key_id        UUID,
    root_run_id       UUID        NOT NULL,
    parent_run_id     UUID,
    source_run_id     UUID,
    attempt_no        BIGINT      NOT NULL,
    capture           TEXT        NOT NULL,
    trace_id          TEXT        NOT NULL,
    request_id        UUID,
    policy_revision   TEXT        NOT NULL,
    sandbox           BOOLEAN     NOT NULL,
    model_ref         TEXT,
    input_preview     TEXT,
    input_chars       BIGINT      NOT NULL,
    labels            TEXT        NOT NULL,
    owner_process_id  UUID,
    owner_epoch       BIGINT,
    started_at        TIMESTAMPTZ NOT NULL,
    -- what moves while the run is open
    status            TEXT        NOT NULL,
    steps             BIGINT      NOT NULL,
    events            BIGINT      NOT NULL,
    emitted           BIGINT      NOT NULL,
    open_steps        BIGINT      NOT NULL,
    open_holds        BIGINT      NOT NULL,
    totals            TEXT        NOT NULL,
    -- how it ended
    ended_at          TIMESTAMPTZ,
    duration_ms       BIGINT,
    error_code        TEXT,
    error_message     TEXT,
    error_step_id     UUID,
    output_preview    TEXT,
    output_chars      BIGINT      NOT NULL DEFAULT 0,
    delivered         BOOLEAN,
    flags             TEXT        NOT NULL DEFAULT '[]',
    refusals          BIGINT      NOT NULL DEFAULT 0,
    created_at        TIMESTAMPTZ NOT NULL DEFAULT now(),
    changed_at        TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT runs_pkey PRIMARY KEY (id),
    CONSTRAINT runs_tenant_id_workspace_id_id_key UNIQUE (tenant_id, workspace_id, id),
    CONSTRAINT runs_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id),
    CONSTRAINT runs_tenant_id_workspace_id_parent_run_id_fk
        FOREIGN KEY (tenant_id, workspace_id, parent_run_id) REFERENCES runs (tenant_id, workspace_id, id),
    CONSTRAINT runs_open_check CHECK (open_steps >= 0 AND open_holds >= 0),
    CONSTRAINT runs_ended_at_check CHECK (
        (ended_at IS NULL) = (status NOT IN ('succeeded', 'failed', 'canceled', 'expired'))
        AND (ended_at IS NULL OR (open_steps = 0 AND open_holds = 0))
    )
);
CREATE INDEX runs_workspace_id_started_at_idx ON runs (workspace_id, started_at, id);
CREATE INDEX runs_workspace_id_ended_at_idx ON runs (workspace_id, ended_at, id);
CREATE INDEX runs_workspace_id_duration_ms_idx ON runs (workspace_id, duration_ms, id);
CREATE INDEX runs_workspace_id_trace_id_idx ON runs (workspace_id, trace_id);
CREATE INDEX runs_changed_at_idx ON runs (changed_at);
CREATE INDEX runs_open_idx ON runs (started_at, id) WHERE ended_at IS NULL;

CREATE TABLE steps (
    id              UUID        NOT NULL,
    tenant_id       UUID        NOT NULL,
    workspace_id    UUID        NOT NULL,
    run_id          UUID        NOT NULL,
    seq             BIGINT      NOT NULL,
    parent_step_id  UUID,
    call_id         UUID,
    step_type       TEXT        NOT NULL,
    status          TEXT        NOT NULL,
    attempt_no      BIGINT      NOT NULL,
    effect          TEXT        NOT NULL,
    decision        TEXT        NOT NULL,
    request_digest  TEXT,
    input_preview   TEXT,
    input_chars     BIGINT      NOT NULL,
    output_preview  TEXT,
    output_chars    BIGINT      NOT NULL DEFAULT 0,
    metrics         TEXT        NOT NULL,
    error_code      TEXT,
    error_message   TEXT,
    started_at      TIMESTAMPTZ NOT NULL,
    outbound_at     TIMESTAMPTZ,
    ended_at        TIMESTAMPTZ,
    latency_ms      BIGINT,
    ttft_ms         BIGINT,
    created_at      TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT steps_pkey PRIMARY KEY (id),
    CONSTRAINT steps_run_id_seq_key UNIQUE (run_id, seq),
    CONSTRAINT steps_tenant_id_workspace_id_run_id_fk
        FOREIGN KEY (tenant_id, workspace_id, run_id) REFERENCES runs (tenant_id, workspace_id, id),
    CONSTRAINT steps_ended_at_check CHECK ((ended_at IS NULL) = (status IN ('open', 'waiting_approval')))
);

CREATE TABLE holds (
    id            UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID        NOT NULL,
    run_id        UUID        NOT NULL,
    step_id       UUID        NOT NULL,
    open          BOOLEAN     NOT NULL,
    lines         TEXT        NOT NULL,
    worst_case    TEXT,
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT holds_pkey PRIMARY KEY (id),
    CONSTRAINT holds_tenant_id_workspace_id_run_id_fk
        FOREIGN KEY (tenant_id, workspace_id, run_id) REFERENCES runs (tenant_id, workspace_id, id)
);
CREATE INDEX holds_open_idx ON holds (workspace_id, run_id) WHERE open;

CREATE TABLE counters (
    tenant_id  UUID   NOT NULL,
    key        TEXT   NOT NULL,
    value      BIGINT NOT NULL,
    held       BIGINT NOT NULL,
    CONSTRAINT counters_pkey PRIMARY KEY (tenant_id, key),
    CONSTRAINT counters_tenant_id_fk FOREIGN KEY (tenant_id) REFERENCES tenants (id),
    CONSTRAINT counters_held_check CHECK (held >= 0)
);

-- No foreign key to the tenant: audit rows that belong to none are numbered, too.
CREATE TABLE sequences (
    tenant_id  UUID   NOT NULL,
    key        TEXT   NOT NULL,
    value      BIGINT NOT NULL,
    CONSTRAINT sequences_pkey PRIMARY KEY (tenant_id, key)
);

CREATE TABLE costs (
    id                   UUID        NOT NULL,
    tenant_id            UUID        NOT NULL,
    workspace_id         UUID        NOT NULL,
    run_id               UUID        NOT NULL,
    step_id              UUID        NOT NULL,
    kind                 TEXT        NOT NULL,
    occurred_at          TIMESTAMPTZ NOT NULL,
    source_ref           TEXT        NOT NULL,
    source_port          TEXT        NOT NULL,
    operation            TEXT        NOT NULL,
    provider             TEXT        NOT NULL,
    provider_id          UUID,
    model_ref            TEXT        NOT NULL,
    target_ref           TEXT        NOT NULL,
    upstream_model       TEXT        NOT NULL,
    upstream_id          TEXT,
    upstream_request_id  TEXT,
    api_key_id           UUID,
    usage                TEXT        NOT NULL,
    usage_basis          TEXT        NOT NULL,
    pricing_status       TEXT        NOT NULL,
    reason               TEXT,
    currency             TEXT,
    amount               BIGINT,
    price_id             UUID,
    snapshot             TEXT        NOT NULL,
    created_at           TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT costs_pkey PRIMARY KEY (id),
    CONSTRAINT costs_tenant_id_source_ref_key UNIQUE (tenant_id, source_ref),
    CONSTRAINT costs_tenant_id_workspace_id_run_id_fk
        FOREIGN KEY (tenant_id, workspace_id, run_id) REFERENCES runs (tenant_id, workspace_id, id),
    CONSTRAINT costs_pricing_status_check CHECK (
        (amount IS NULL) = (pricing_status = 'unpriced')
        AND (amount IS NULL) = (currency IS NULL)
        AND (amount = 0 OR pricing_status <> 'free')
    )
);
CREATE INDEX costs_run_id_idx ON costs (run_id);
CREATE INDEX costs_workspace_id_occurred_at_idx ON costs (workspace_id, occurred_at);

CREATE TABLE run_events (
    run_id        UUID        NOT NULL,
    "offset"      BIGINT      NOT NULL,
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID        NOT NULL,
    event_type    TEXT        NOT NULL,
    step_id       UUID,
    payload       TEXT        NOT NULL,
    occurred_at   TIMESTAMPTZ NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT run_events_pkey PRIMARY KEY (run_id, "offset"),
    CONSTRAINT run_events_tenant_id_workspace_id_run_id_fk
        FOREIGN KEY (tenant_id, workspace_id, run_id) REFERENCES runs (tenant_id, workspace_id, id)
);

-- No foreign key to the workspace: what belongs to none (failed sign-ins of unknown addresses) is recorded under nil ids.
CREATE TABLE audit (
    id             UUID        NOT NULL,
    tenant_id      UUID        NOT NULL,
    workspace_id   UUID        NOT NULL,
    seq            BIGINT      NOT NULL,
    event_type     TEXT        NOT NULL,
    operation      TEXT        NOT NULL,
    outcome        TEXT        NOT NULL,
    resource_type  TEXT        NOT NULL,
    resource_id    TEXT        NOT NULL,
    actor_kind     TEXT        NOT NULL,
    actor_id       TEXT        NOT NULL,
    run_id         UUID,
    address        TEXT,
    credential_id  TEXT,
    payload        TEXT        NOT NULL,
    occurred_at    TIMESTAMPTZ NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT audit_pkey PRIMARY KEY (id),
    CONSTRAINT audit_workspace_id_seq_key UNIQUE (workspace_id, seq)
);

-- Runs whose evidence may be deleted: the triggers of `guard` look here.
CREATE TABLE purge_list (
    run_id        UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID        NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT purge_list_pkey PRIMARY KEY (run_id),
    CONSTRAINT purge_list_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id)
);
