-- Counters of usage: moved in the batch that opens or closes the thing, recounted by `soit admin reconcile-counters`.

-- `id` is made of the columns that tell rows apart, so that a row is found without reading and labels may be long.
CREATE TABLE usage_daily (
    id                UUID        NOT NULL,
    tenant_id         UUID        NOT NULL,
    workspace_id      UUID        NOT NULL,
    day               TIMESTAMPTZ NOT NULL,
    source            TEXT        NOT NULL,
    entry             TEXT        NOT NULL,
    caller_kind       TEXT        NOT NULL,
    caller_id         TEXT        NOT NULL,
    api_key_id        UUID,
    provider          TEXT,
    model             TEXT,
    operation         TEXT,
    currency          TEXT,
    labels            TEXT        NOT NULL,
    sandbox           BOOLEAN     NOT NULL,
    -- what is counted
    calls             BIGINT      NOT NULL,
    ended             BIGINT      NOT NULL,
    failed            BIGINT      NOT NULL,
    canceled          BIGINT      NOT NULL,
    refused           BIGINT      NOT NULL,
    latency_ms        BIGINT      NOT NULL,
    amount            BIGINT      NOT NULL,
    estimated         BIGINT      NOT NULL,
    estimated_amount  BIGINT      NOT NULL,
    unpriced          BIGINT      NOT NULL,
    input             BIGINT      NOT NULL,
    output            BIGINT      NOT NULL,
    cache_read        BIGINT      NOT NULL,
    cache_write       BIGINT      NOT NULL,
    cache_write_1h    BIGINT      NOT NULL,
    reasoning         BIGINT      NOT NULL,
    image_in          BIGINT      NOT NULL,
    audio_in          BIGINT      NOT NULL,
    audio_out         BIGINT      NOT NULL,
    images            BIGINT      NOT NULL,
    requests          BIGINT      NOT NULL,
    searches          BIGINT      NOT NULL,
    bytes_out         BIGINT      NOT NULL,
    bytes_in          BIGINT      NOT NULL,
    cpu_ms            BIGINT      NOT NULL,
    CONSTRAINT usage_daily_pkey PRIMARY KEY (id),
    CONSTRAINT usage_daily_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id)
);
CREATE INDEX usage_daily_workspace_id_day_idx ON usage_daily (workspace_id, day);

-- One row a measure. `seconds` is what the row covers: a minute, an hour after a week, a day after 90 days.
CREATE TABLE run_counts (
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID        NOT NULL,
    seconds       BIGINT      NOT NULL,
    starts_at     TIMESTAMPTZ NOT NULL,
    mode          TEXT        NOT NULL,
    source        TEXT        NOT NULL,
    entry         TEXT        NOT NULL,
    measure       TEXT        NOT NULL,
    n             BIGINT      NOT NULL,
    CONSTRAINT run_counts_pkey PRIMARY KEY (workspace_id, starts_at, seconds, mode, source, entry, measure),
    CONSTRAINT run_counts_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id)
);
CREATE INDEX run_counts_seconds_starts_at_idx ON run_counts (seconds, starts_at);
