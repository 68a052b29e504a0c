-- Who belongs where, and who is asked to: places are left and taken again, invitations are kept by a digest alone.
ALTER TABLE tenant_members ADD COLUMN removed_at TIMESTAMPTZ;
ALTER TABLE workspace_members ADD COLUMN removed_at TIMESTAMPTZ;

CREATE TABLE invitations (
    id            UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID,
    email         TEXT        NOT NULL,
    email_key     TEXT        NOT NULL,
    role          TEXT,
    tenant_role   TEXT        NOT NULL,
    digest        BYTEA       NOT NULL,
    invited_by    UUID        NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    expires_at    TIMESTAMPTZ NOT NULL,
    accepted_at   TIMESTAMPTZ,
    accepted_by   UUID,
    revoked_at    TIMESTAMPTZ,
    version       BIGINT      NOT NULL,
    CONSTRAINT invitations_pkey PRIMARY KEY (id),
    CONSTRAINT invitations_digest_key UNIQUE (digest),
    CONSTRAINT invitations_tenant_id_fk FOREIGN KEY (tenant_id) REFERENCES tenants (id),
    CONSTRAINT invitations_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id),
    CONSTRAINT invitations_invited_by_fk FOREIGN KEY (invited_by) REFERENCES users (id),
    CONSTRAINT invitations_accepted_by_fk FOREIGN KEY (accepted_by) REFERENCES users (id),
    CONSTRAINT invitations_role_check CHECK ((workspace_id IS NULL) = (role IS NULL)),
    CONSTRAINT invitations_accepted_check CHECK ((accepted_at IS NULL) = (accepted_by IS NULL))
);
CREATE INDEX invitations_workspace_id_idx ON invitations (workspace_id, created_at, id);
