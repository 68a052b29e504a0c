-- Who acts besides people, groups of members, and what is granted to whom.
CREATE TABLE service_principals (
    id            UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID        NOT NULL,
    name          TEXT        NOT NULL,
    name_key      TEXT        NOT NULL,
    owner_id      UUID        NOT NULL,
    role          TEXT        NOT NULL,
    status        TEXT        NOT NULL,
    created_by    UUID        NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    version       BIGINT      NOT NULL,
    CONSTRAINT service_principals_pkey PRIMARY KEY (id),
    CONSTRAINT service_principals_tenant_id_workspace_id_id_key UNIQUE (tenant_id, workspace_id, id),
    CONSTRAINT service_principals_workspace_id_name_key_key UNIQUE (workspace_id, name_key),
    CONSTRAINT service_principals_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id),
    CONSTRAINT service_principals_workspace_id_owner_id_fk
        FOREIGN KEY (workspace_id, owner_id) REFERENCES workspace_members (workspace_id, user_id),
    CONSTRAINT service_principals_created_by_fk FOREIGN KEY (created_by) REFERENCES users (id),
    CONSTRAINT service_principals_role_check CHECK (role <> 'owner')
);

CREATE TABLE workspace_groups (
    id            UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID        NOT NULL,
    name          TEXT        NOT NULL,
    name_key      TEXT        NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    deleted_at    TIMESTAMPTZ,
    version       BIGINT      NOT NULL,
    CONSTRAINT workspace_groups_pkey PRIMARY KEY (id),
    CONSTRAINT workspace_groups_tenant_id_workspace_id_id_key UNIQUE (tenant_id, workspace_id, id),
    CONSTRAINT workspace_groups_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id)
);
-- A deleted group frees its name.
CREATE UNIQUE INDEX workspace_groups_workspace_id_name_key_key
    ON workspace_groups (workspace_id, name_key) WHERE deleted_at IS NULL;

CREATE TABLE workspace_group_members (
    group_id      UUID        NOT NULL,
    user_id       UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID        NOT NULL,
    removed_at    TIMESTAMPTZ,
    version       BIGINT      NOT NULL,
    CONSTRAINT workspace_group_members_pkey PRIMARY KEY (group_id, user_id),
    CONSTRAINT workspace_group_members_tenant_id_workspace_id_group_id_fk
        FOREIGN KEY (tenant_id, workspace_id, group_id) REFERENCES workspace_groups (tenant_id, workspace_id, id),
    CONSTRAINT workspace_group_members_workspace_id_user_id_fk
        FOREIGN KEY (workspace_id, user_id) REFERENCES workspace_members (workspace_id, user_id)
);
CREATE INDEX workspace_group_members_user_id_idx ON workspace_group_members (user_id);

CREATE TABLE resource_grants (
    id             UUID        NOT NULL,
    tenant_id      UUID        NOT NULL,
    workspace_id   UUID        NOT NULL,
    user_id        UUID,
    group_id       UUID,
    principal_id   UUID,
    resource_type  TEXT        NOT NULL,
    resource_id    TEXT        NOT NULL,
    actions        TEXT        NOT NULL,
    expires_at     TIMESTAMPTZ,
    granted_by     UUID        NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    revoked_at     TIMESTAMPTZ,
    version        BIGINT      NOT NULL,
    CONSTRAINT resource_grants_pkey PRIMARY KEY (id),
    CONSTRAINT resource_grants_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id),
    CONSTRAINT resource_grants_workspace_id_user_id_fk
        FOREIGN KEY (workspace_id, user_id) REFERENCES workspace_members (workspace_id, user_id),
    CONSTRAINT resource_grants_tenant_id_workspace_id_group_id_fk
        FOREIGN KEY (tenant_id, workspace_id, group_id) REFERENCES workspace_groups (tenant_id, workspace_id, id),
    CONSTRAINT resource_grants_tenant_id_workspace_id_principal_id_fk
        FOREIGN KEY (tenant_id, workspace_id, principal_id) REFERENCES service_principals (tenant_id, workspace_id, id),
    CONSTRAINT resource_grants_granted_by_fk FOREIGN KEY (granted_by) REFERENCES users (id),
    CONSTRAINT resource_grants_subject_check CHECK (
        (user_id IS NOT NULL AND group_id IS NULL AND principal_id IS NULL)
        OR (user_id IS NULL AND group_id IS NOT NULL AND principal_id IS NULL)
        OR (user_id IS NULL AND group_id IS NULL AND principal_id IS NOT NULL)
    )
);
CREATE INDEX resource_grants_workspace_id_idx ON resource_grants (workspace_id, created_at, id);
CREATE INDEX resource_grants_user_id_idx ON resource_grants (user_id);
CREATE INDEX resource_grants_group_id_idx ON resource_grants (group_id);
CREATE INDEX resource_grants_principal_id_idx ON resource_grants (principal_id);

ALTER TABLE api_keys ADD COLUMN content_capture TEXT;
ALTER TABLE api_keys ADD COLUMN labels TEXT;
