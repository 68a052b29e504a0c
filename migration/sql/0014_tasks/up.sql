-- Work that outlives its request. What stands before `status` never changes, what follows moves.
CREATE TABLE tasks (
    id                  UUID        NOT NULL,
    tenant_id           UUID        NOT NULL,
    workspace_id        UUID        NOT NULL,
    task_type           TEXT        NOT NULL,
    max_attempts        BIGINT      NOT NULL,
    subject_kind        TEXT        NOT NULL,
    subject_id          TEXT        NOT NULL,
    caller_kind         TEXT        NOT NULL,
    caller_id           TEXT        NOT NULL,
    user_id             UUID,
    run_id              UUID,
    params              TEXT        NOT NULL,      -- ids, words and numbers, no content
    input_artifact_id   UUID,
    status              TEXT        NOT NULL,
    epoch               BIGINT      NOT NULL,
    attempts            BIGINT      NOT NULL,
    redrives            BIGINT      NOT NULL,
    available_at        TIMESTAMPTZ NOT NULL,
    lease_owner         UUID,
    lease_until         TIMESTAMPTZ,
    progress            TEXT,
    error_code          TEXT,
    error_message       TEXT,
    error_step_id       UUID,
    output_artifact_id  UUID,
    discard_reason      TEXT,
    finished_at         TIMESTAMPTZ,
    created_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    changed_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT tasks_pkey PRIMARY KEY (id),
    CONSTRAINT tasks_tenant_id_workspace_id_run_id_fk
        FOREIGN KEY (tenant_id, workspace_id, run_id) REFERENCES runs (tenant_id, workspace_id, id),
    CONSTRAINT tasks_status_check CHECK (status IN ('queued', 'running', 'waiting_input', 'waiting_approval',
        'retry_wait', 'succeeded', 'failed', 'canceled')),
    CONSTRAINT tasks_lease_check CHECK ((status = 'running') = (lease_until IS NOT NULL)),
    CONSTRAINT tasks_finished_at_check
        CHECK ((status IN ('succeeded', 'failed', 'canceled')) = (finished_at IS NOT NULL))
);
-- What a worker may take, and whose worker is silent.
CREATE INDEX tasks_available_at_idx ON tasks (available_at, id) WHERE status IN ('queued', 'retry_wait');
CREATE INDEX tasks_lease_until_idx ON tasks (lease_until, id) WHERE status = 'running';
-- What was given up.
CREATE INDEX tasks_workspace_id_finished_at_idx ON tasks (workspace_id, finished_at, id) WHERE status = 'failed';
-- Lists, exports, and the tasks of a run.
CREATE INDEX tasks_workspace_id_created_at_idx ON tasks (workspace_id, created_at, id);
CREATE INDEX tasks_run_id_idx ON tasks (run_id, id) WHERE run_id IS NOT NULL;
