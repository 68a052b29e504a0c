-- Costs stay when their run goes: they have a class of their own. SQLite cannot drop a foreign key: the table is made
-- anew.
DROP TRIGGER costs_update;
DROP TRIGGER costs_delete;
DROP TRIGGER steps_update;
DROP TRIGGER steps_delete;
DROP TRIGGER audit_delete;
DROP TRIGGER run_events_delete;

CREATE TABLE costs_new (
    id                   BLOB   NOT NULL,
    tenant_id            BLOB   NOT NULL,
    workspace_id         BLOB   NOT NULL,
    run_id               BLOB   NOT NULL,
    step_id              BLOB   NOT NULL,
    kind                 TEXT   NOT NULL,
    occurred_at          TEXT   NOT NULL,
    source_ref           TEXT   NOT NULL,
    source_port          TEXT   NOT NULL,
    operation            TEXT   NOT NULL,
    provider             TEXT   NOT NULL,
    provider_id          BLOB,
    model_ref            TEXT   NOT NULL,
    target_ref           TEXT   NOT NULL,
    upstream_model       TEXT   NOT NULL,
    upstream_id          TEXT,
    upstream_request_id  TEXT,
    api_key_id           BLOB,
    usage                TEXT   NOT NULL,
    usage_basis          TEXT   NOT NULL,
    pricing_status       TEXT   NOT NULL,
    reason               TEXT,
    currency             TEXT,
    amount               BIGINT,
    price_id             BLOB,
    snapshot             TEXT   NOT NULL,
    created_at           TEXT   NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')),
    CONSTRAINT costs_pkey PRIMARY KEY (id),
    CONSTRAINT costs_tenant_id_source_ref_key UNIQUE (tenant_id, source_ref),
    CONSTRAINT costs_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id),
    CONSTRAINT costs_pricing_status_check CHECK (
        (amount IS NULL) = (pricing_status = 'unpriced')
        AND (amount IS NULL) = (currency IS NULL)
        AND (amount = 0 OR pricing_status <> 'free')
    )
);
INSERT INTO costs_new
    SELECT id, tenant_id, workspace_id, run_id, step_id, kind, occurred_at, source_ref, source_port, operation,
           provider, provider_id, model_ref, target_ref, upstream_model, upstream_id, upstream_request_id, api_key_id,
           usage, usage_basis, pricing_status, reason, currency, amount, price_id, snapshot, created_at
    FROM costs;
DROP TABLE costs;
ALTER TABLE costs_new RENAME TO costs;
CREATE INDEX costs_run_id_idx ON costs (run_id);
CREATE INDEX costs_workspace_id_occurred_at_idx ON costs (workspace_id, occurred_at);
CREATE INDEX costs_workspace_id_created_at_idx ON costs (workspace_id, created_at, id);

-- What may go: runs with what hangs on them, and audit rows by their own id. Content only ever goes to nothing.
ALTER TABLE purge_list RENAME COLUMN run_id TO subject_id;

CREATE TRIGGER costs_update BEFORE UPDATE ON costs
BEGIN SELECT RAISE(ABORT, 'a cost row is never changed'); END;

CREATE TRIGGER costs_delete BEFORE DELETE ON costs
WHEN NOT EXISTS (SELECT 1 FROM purge_list WHERE subject_id = OLD.run_id)
BEGIN SELECT RAISE(ABORT, 'a cost row is only deleted by a purge'); END;

CREATE TRIGGER steps_update BEFORE UPDATE ON steps
WHEN OLD.status NOT IN ('open', 'waiting_approval') AND NOT (
    EXISTS (SELECT 1 FROM purge_list WHERE subject_id = OLD.run_id)
    AND NEW.input_preview IS NULL AND NEW.output_preview IS NULL
    AND NEW.id IS OLD.id AND NEW.tenant_id IS OLD.tenant_id AND NEW.workspace_id IS OLD.workspace_id
    AND NEW.run_id IS OLD.run_id AND NEW.seq IS OLD.seq AND NEW.parent_step_id IS OLD.parent_step_id
    AND NEW.call_id IS OLD.call_id AND NEW.step_type IS OLD.step_type AND NEW.status IS OLD.status
    AND NEW.attempt_no IS OLD.attempt_no AND NEW.effect IS OLD.effect AND NEW.decision IS OLD.decision
    AND NEW.request_digest IS OLD.request_digest AND NEW.input_chars IS OLD.input_chars
    AND NEW.output_chars IS OLD.output_chars AND NEW.metrics IS OLD.metrics AND NEW.error_code IS OLD.error_code
    AND NEW.error_message IS OLD.error_message AND NEW.started_at IS OLD.started_at
    AND NEW.outbound_at IS OLD.outbound_at AND NEW.ended_at IS OLD.ended_at AND NEW.latency_ms IS OLD.latency_ms
    AND NEW.ttft_ms IS OLD.ttft_ms AND NEW.created_at IS OLD.created_at
    AND NEW.input_artifact_id IS OLD.input_artifact_id AND NEW.output_artifact_id IS OLD.output_artifact_id
)
BEGIN SELECT RAISE(ABORT, 'a closed step is never changed'); END;

CREATE TRIGGER steps_delete BEFORE DELETE ON steps
WHEN NOT EXISTS (SELECT 1 FROM purge_list WHERE subject_id = OLD.run_id)
BEGIN SELECT RAISE(ABORT, 'a step is only deleted by a purge'); END;

CREATE TRIGGER run_events_delete BEFORE DELETE ON run_events
WHEN NOT EXISTS (SELECT 1 FROM purge_list WHERE subject_id = OLD.run_id)
BEGIN SELECT RAISE(ABORT, 'a run event is only deleted by a purge'); END;

CREATE TRIGGER audit_delete BEFORE DELETE ON audit
WHEN NOT EXISTS (SELECT 1 FROM purge_list WHERE subject_id = OLD.id)
BEGIN SELECT RAISE(ABORT, 'an audit row is only deleted by a purge'); END;

CREATE TRIGGER runs_delete BEFORE DELETE ON runs
WHEN NOT EXISTS (SELECT 1 FROM purge_list WHERE subject_id = OLD.id)
BEGIN SELECT RAISE(ABORT, 'a run is only deleted by a purge'); END;

CREATE TRIGGER runs_content_update BEFORE UPDATE OF input_preview, output_preview, salt ON runs
WHEN OLD.ended_at IS NOT NULL
    AND (NEW.input_preview IS NOT OLD.input_preview OR NEW.output_preview IS NOT OLD.output_preview
         OR NEW.salt IS NOT OLD.salt)
    AND NOT (
        EXISTS (SELECT 1 FROM purge_list WHERE subject_id = OLD.id)
        AND (NEW.input_preview IS NULL OR NEW.input_preview IS OLD.input_preview)
        AND (NEW.output_preview IS NULL OR NEW.output_preview IS OLD.output_preview)
        AND (NEW.salt IS NULL OR NEW.salt IS OLD.salt)
    )
BEGIN SELECT RAISE(ABORT, 'the content of a run is never changed, once it is over'); END;
