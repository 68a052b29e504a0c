-- Connections of tenants to identity providers, accounts linked by them, the sessions those opened, and the sign-outs that were
-- told of.
CREATE TABLE sso_connections (
    id               UUID        NOT NULL,
    tenant_id        UUID        NOT NULL,
    workspace_id     UUID        NOT NULL,
    label            TEXT        NOT NULL,
    issuer           TEXT        NOT NULL,
    client_id        TEXT        NOT NULL,
    secret_id        UUID,
    secret_version   BIGINT,
    key_id           TEXT,
    nonce            BYTEA,
    ciphertext       BYTEA,
    scopes           TEXT        NOT NULL,
    allowed_domains  TEXT        NOT NULL,
    group_claim      TEXT,
    mappings         TEXT        NOT NULL,
    jit              BOOLEAN     NOT NULL,
    jit_role         TEXT        NOT NULL,
    enforced         BOOLEAN     NOT NULL,
    created_at       TIMESTAMPTZ NOT NULL,
    deleted_at       TIMESTAMPTZ,
    version          BIGINT      NOT NULL,
    CONSTRAINT sso_connections_pkey PRIMARY KEY (id),
    CONSTRAINT sso_connections_tenant_id_id_key UNIQUE (tenant_id, id),
    CONSTRAINT sso_connections_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id),
    CONSTRAINT sso_connections_jit_role_check CHECK (jit_role <> 'owner'),
    CONSTRAINT sso_connections_secret_check CHECK (
        (secret_id IS NULL) = (secret_version IS NULL) AND (secret_id IS NULL) = (key_id IS NULL)
        AND (secret_id IS NULL) = (nonce IS NULL) AND (secret_id IS NULL) = (ciphertext IS NULL))
);

CREATE TABLE sso_links (
    id             UUID        NOT NULL,
    user_id        UUID        NOT NULL,
    tenant_id      UUID        NOT NULL,
    connection_id  UUID        NOT NULL,
    issuer         TEXT        NOT NULL,
    subject        TEXT        NOT NULL,
    email          TEXT,
    given          TEXT        NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    last_used_at   TIMESTAMPTZ NOT NULL,
    removed_at     TIMESTAMPTZ,
    version        BIGINT      NOT NULL,
    CONSTRAINT sso_links_pkey PRIMARY KEY (id),
    CONSTRAINT sso_links_user_id_fk FOREIGN KEY (user_id) REFERENCES users (id),
    CONSTRAINT sso_links_tenant_id_connection_id_fk
        FOREIGN KEY (tenant_id, connection_id) REFERENCES sso_connections (tenant_id, id)
);
-- A link that was removed frees its account at the provider.
CREATE UNIQUE INDEX sso_links_issuer_subject_key ON sso_links (issuer, subject) WHERE removed_at IS NULL;
CREATE INDEX sso_links_user_id_idx ON sso_links (user_id);

CREATE TABLE sso_sessions (
    session_id     UUID    NOT NULL,
    connection_id  UUID    NOT NULL,
    link_id        UUID    NOT NULL,
    sid            TEXT,
    version        BIGINT  NOT NULL,
    CONSTRAINT sso_sessions_pkey PRIMARY KEY (session_id),
    CONSTRAINT sso_sessions_session_id_fk FOREIGN KEY (session_id) REFERENCES sessions (id),
    CONSTRAINT sso_sessions_connection_id_fk FOREIGN KEY (connection_id) REFERENCES sso_connections (id),
    CONSTRAINT sso_sessions_link_id_fk FOREIGN KEY (link_id) REFERENCES sso_links (id)
);
CREATE INDEX sso_sessions_link_id_idx ON sso_sessions (link_id);
CREATE INDEX sso_sessions_connection_id_sid_idx ON sso_sessions (connection_id, sid);

CREATE TABLE sso_logouts (
    id             UUID        NOT NULL,
    connection_id  UUID        NOT NULL,
    expires_at     TIMESTAMPTZ NOT NULL,
    version        BIGINT      NOT NULL,
    CONSTRAINT sso_logouts_pkey PRIMARY KEY (id),
    CONSTRAINT sso_logouts_connection_id_fk FOREIGN KEY (connection_id) REFERENCES sso_connections (id)
);
CREATE INDEX sso_logouts_expires_at_idx ON sso_logouts (expires_at);
