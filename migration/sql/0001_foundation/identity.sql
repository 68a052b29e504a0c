-- Who there is: tenants, workspaces, people, their places, sessions and keys.

CREATE TABLE tenants (
    id          UUID        NOT NULL,
    name        TEXT        NOT NULL,
    slug        TEXT        NOT NULL,
    active      BOOLEAN     NOT NULL,
    auth_epoch  BIGINT      NOT NULL DEFAULT 0,
    version     BIGINT      NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT tenants_pkey PRIMARY KEY (id),
    CONSTRAINT tenants_slug_key UNIQUE (slug)
);

CREATE TABLE workspaces (
    id                    UUID        NOT NULL,
    tenant_id             UUID        NOT NULL,
    name                  TEXT        NOT NULL,
    slug                  TEXT        NOT NULL,
    archived              BOOLEAN     NOT NULL,
    unpriced_call_policy  TEXT        NOT NULL,
    content_capture       TEXT        NOT NULL,
    version               BIGINT      NOT NULL,
    created_at            TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT workspaces_pkey PRIMARY KEY (id),
    CONSTRAINT workspaces_tenant_id_id_key UNIQUE (tenant_id, id),
    CONSTRAINT workspaces_tenant_id_slug_key UNIQUE (tenant_id, slug),
    CONSTRAINT workspaces_tenant_id_fk FOREIGN KEY (tenant_id) REFERENCES tenants (id)
);

CREATE TABLE users (
    id                UUID        NOT NULL,
    email             TEXT        NOT NULL,
    email_key         TEXT        NOT NULL,
    name              TEXT        NOT NULL,
    status            TEXT        NOT NULL,
    is_operator       BOOLEAN     NOT NULL,
    password_hash     TEXT,
    default_password  BOOLEAN     NOT NULL,
    version           BIGINT      NOT NULL,
    created_at        TIMESTAMPTZ NOT NULL,
    CONSTRAINT users_pkey PRIMARY KEY (id),
    CONSTRAINT users_email_key_key UNIQUE (email_key)
);

CREATE TABLE tenant_members (
    tenant_id   UUID        NOT NULL,
    user_id     UUID        NOT NULL,
    role        TEXT        NOT NULL,
    version     BIGINT      NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT tenant_members_pkey PRIMARY KEY (tenant_id, user_id),
    CONSTRAINT tenant_members_tenant_id_fk FOREIGN KEY (tenant_id) REFERENCES tenants (id),
    CONSTRAINT tenant_members_user_id_fk FOREIGN KEY (user_id) REFERENCES users (id)
);
CREATE INDEX tenant_members_user_id_idx ON tenant_members (user_id);

CREATE TABLE workspace_members (
    workspace_id  UUID        NOT NULL,
    user_id       UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    role          TEXT        NOT NULL,
    version       BIGINT      NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT workspace_members_pkey PRIMARY KEY (workspace_id, user_id),
    CONSTRAINT workspace_members_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id),
    CONSTRAINT workspace_members_tenant_id_user_id_fk
        FOREIGN KEY (tenant_id, user_id) REFERENCES tenant_members (tenant_id, user_id)
);
CREATE INDEX workspace_members_user_id_idx ON workspace_members (user_id);

CREATE TABLE sessions (
    id                UUID        NOT NULL,
    user_id           UUID        NOT NULL,
    kind              TEXT        NOT NULL,
    token             BYTEA       NOT NULL,
    refresh           BYTEA,
    spent_refresh     BYTEA,
    spent_refresh_at  TIMESTAMPTZ,
    workspace_id      UUID,
    client            TEXT        NOT NULL,
    address           TEXT        NOT NULL,
    elevated_until    TIMESTAMPTZ,
    created_at        TIMESTAMPTZ NOT NULL,
    last_seen_at      TIMESTAMPTZ NOT NULL,
    token_expires_at  TIMESTAMPTZ NOT NULL,
    expires_at        TIMESTAMPTZ NOT NULL,
    ended_at          TIMESTAMPTZ,
    version           BIGINT      NOT NULL,
    CONSTRAINT sessions_pkey PRIMARY KEY (id),
    CONSTRAINT sessions_token_key UNIQUE (token),
    CONSTRAINT sessions_refresh_key UNIQUE (refresh),
    CONSTRAINT sessions_user_id_fk FOREIGN KEY (user_id) REFERENCES users (id),
    CONSTRAINT sessions_workspace_id_fk FOREIGN KEY (workspace_id) REFERENCES workspaces (id),
    CONSTRAINT sessions_spent_refresh_check CHECK ((spent_refresh IS NULL) = (spent_refresh_at IS NULL))
);
CREATE INDEX sessions_user_id_idx ON sessions (user_id, created_at);
CREATE INDEX sessions_spent_refresh_idx ON sessions (spent_refresh);

CREATE TABLE api_keys (
    id                     UUID        NOT NULL,
    tenant_id              UUID        NOT NULL,
    workspace_id           UUID        NOT NULL,
    name                   TEXT        NOT NULL,
    hint                   TEXT        NOT NULL,
    scopes                 TEXT        NOT NULL,
    created_by             UUID        NOT NULL,
    created_at             TIMESTAMPTZ NOT NULL,
    expires_at             TIMESTAMPTZ NOT NULL,
    revoked_at             TIMESTAMPTZ,
    last_used_at           TIMESTAMPTZ,
    rate_limit_per_minute  BIGINT,
    daily_request_quota    BIGINT,
    daily_token_quota      BIGINT,
    ip_allowlist           TEXT,
    allowed_models         TEXT,
    version                BIGINT      NOT NULL,
    CONSTRAINT api_keys_pkey PRIMARY KEY (id),
    CONSTRAINT api_keys_tenant_id_workspace_id_id_key UNIQUE (tenant_id, workspace_id, id),
    CONSTRAINT api_keys_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id),
    CONSTRAINT api_keys_created_by_fk FOREIGN KEY (created_by) REFERENCES users (id)
);

CREATE TABLE api_key_secrets (
    id            UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID        NOT NULL,
    key_id        UUID        NOT NULL,
    digest        BYTEA       NOT NULL,
    expires_at    TIMESTAMPTZ,
    version       BIGINT      NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT api_key_secrets_pkey PRIMARY KEY (id),
    CONSTRAINT api_key_secrets_digest_key UNIQUE (digest),
    CONSTRAINT api_key_secrets_tenant_id_workspace_id_key_id_fk
        FOREIGN KEY (tenant_id, workspace_id, key_id) REFERENCES api_keys (tenant_id, workspace_id, id)
);
CREATE INDEX api_key_secrets_key_id_idx ON api_key_secrets (key_id);

CREATE TABLE login_throttles (
    key            TEXT        NOT NULL,
    failures       BIGINT      NOT NULL,
    window_start   TIMESTAMPTZ NOT NULL,
    blocked_until  TIMESTAMPTZ,
    version        BIGINT      NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL DEFAULT now(),
    CONSTRAINT login_throttles_pkey PRIMARY KEY (key)
);
