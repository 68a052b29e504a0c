-- What a workspace has set up: secrets, providers, models, prices, budgets and its egress layer.

CREATE TABLE secrets (
    id             UUID        NOT NULL,
    tenant_id      UUID        NOT NULL,
    workspace_id   UUID        NOT NULL,
    name           TEXT        NOT NULL,
    key_id         TEXT        NOT NULL,
    nonce          BYTEA       NOT NULL,
    ciphertext     BYTEA       NOT NULL,
    value_version  BIGINT      NOT NULL,
    released_to    UUID,
    version        BIGINT      NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT secrets_pkey PRIMARY KEY (id),
    CONSTRAINT secrets_tenant_id_workspace_id_id_key UNIQUE (tenant_id, workspace_id, id),
    CONSTRAINT secrets_workspace_id_name_key UNIQUE (workspace_id, name),
    CONSTRAINT secrets_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id)
);

CREATE TABLE providers (
    id               UUID        NOT NULL,
    tenant_id        UUID        NOT NULL,
    workspace_id     UUID        NOT NULL,
    name             TEXT        NOT NULL,
    slug             TEXT        NOT NULL,
    kind             TEXT        NOT NULL,
    base_url         TEXT        NOT NULL,
    secret_id        UUID,
    status           TEXT        NOT NULL,
    max_concurrency  BIGINT      NOT NULL,
    max_retries      BIGINT      NOT NULL,
    timeout_ms       BIGINT,
    archived         BOOLEAN     NOT NULL,
    version          BIGINT      NOT NULL,
    created_at       TIMESTAMPTZ NOT NULL,
    CONSTRAINT providers_pkey PRIMARY KEY (id),
    CONSTRAINT providers_tenant_id_workspace_id_id_key UNIQUE (tenant_id, workspace_id, id),
    CONSTRAINT providers_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id),
    CONSTRAINT providers_tenant_id_workspace_id_secret_id_fk
        FOREIGN KEY (tenant_id, workspace_id, secret_id) REFERENCES secrets (tenant_id, workspace_id, id)
);
-- An archived account frees its slug.
CREATE UNIQUE INDEX providers_workspace_id_slug_key ON providers (workspace_id, slug) WHERE NOT archived;

CREATE TABLE models (
    id                 UUID        NOT NULL,
    tenant_id          UUID        NOT NULL,
    workspace_id       UUID        NOT NULL,
    provider_id        UUID        NOT NULL,
    model_id           TEXT        NOT NULL,
    model_ref          TEXT        NOT NULL,
    display_name       TEXT        NOT NULL,
    capabilities       TEXT        NOT NULL,
    context_window     BIGINT,
    max_output_tokens  BIGINT,
    enabled            BOOLEAN     NOT NULL,
    version            BIGINT      NOT NULL,
    created_at         TIMESTAMPTZ NOT NULL,
    CONSTRAINT models_pkey PRIMARY KEY (id),
    CONSTRAINT models_provider_id_model_id_key UNIQUE (provider_id, model_id),
    CONSTRAINT models_tenant_id_workspace_id_provider_id_fk
        FOREIGN KEY (tenant_id, workspace_id, provider_id) REFERENCES providers (tenant_id, workspace_id, id)
);
CREATE INDEX models_workspace_id_idx ON models (workspace_id);

CREATE TABLE prices (
    id            UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID        NOT NULL,
    match_ref     TEXT        NOT NULL,
    currency      TEXT        NOT NULL,
    rates         TEXT        NOT NULL,
    valid_from    TIMESTAMPTZ NOT NULL,
    note          TEXT        NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    CONSTRAINT prices_pkey PRIMARY KEY (id),
    CONSTRAINT prices_workspace_id_match_ref_valid_from_key UNIQUE (workspace_id, match_ref, valid_from),
    CONSTRAINT prices_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id)
);

CREATE TABLE budgets (
    id            UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID        NOT NULL,
    name          TEXT        NOT NULL,
    status        TEXT        NOT NULL,
    scope_kind    TEXT        NOT NULL,
    scope_id      TEXT,
    period        TEXT        NOT NULL,
    currency      TEXT        NOT NULL,
    amount        BIGINT      NOT NULL,
    hard_stop     BOOLEAN     NOT NULL,
    thresholds    TEXT        NOT NULL,
    archived      BOOLEAN     NOT NULL,
    version       BIGINT      NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    CONSTRAINT budgets_pkey PRIMARY KEY (id),
    CONSTRAINT budgets_amount_check CHECK (amount > 0),
    CONSTRAINT budgets_scope_id_check CHECK ((scope_id IS NULL) = (scope_kind = 'workspace')),
    CONSTRAINT budgets_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id)
);
CREATE INDEX budgets_workspace_id_idx ON budgets (workspace_id);

CREATE TABLE egress_layers (
    workspace_id  UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    revision_id   UUID        NOT NULL,
    policy        TEXT        NOT NULL,
    version       BIGINT      NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT egress_layers_pkey PRIMARY KEY (workspace_id),
    CONSTRAINT egress_layers_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id)
);
