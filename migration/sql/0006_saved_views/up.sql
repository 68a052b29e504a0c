-- Saved views of lists, and with which of them a list opens for whom. A deleted view stays as a row.
CREATE TABLE saved_views (
    id            UUID        NOT NULL,
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID        NOT NULL,
    owner_id      UUID        NOT NULL,
    page          TEXT        NOT NULL,
    name          TEXT        NOT NULL,
    name_key      TEXT        NOT NULL,
    query         TEXT        NOT NULL,
    shared        BOOLEAN     NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    updated_at    TIMESTAMPTZ NOT NULL,
    deleted_at    TIMESTAMPTZ,
    version       BIGINT      NOT NULL,
    CONSTRAINT saved_views_pkey PRIMARY KEY (id),
    CONSTRAINT saved_views_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id),
    CONSTRAINT saved_views_owner_id_fk FOREIGN KEY (owner_id) REFERENCES users (id)
);
-- A deleted view frees its name.
CREATE UNIQUE INDEX saved_views_workspace_id_owner_id_page_name_key_key
    ON saved_views (workspace_id, owner_id, page, name_key) WHERE deleted_at IS NULL;

CREATE TABLE view_defaults (
    tenant_id     UUID        NOT NULL,
    workspace_id  UUID        NOT NULL,
    user_id       UUID        NOT NULL,
    views         TEXT        NOT NULL,
    version       BIGINT      NOT NULL,
    CONSTRAINT view_defaults_pkey PRIMARY KEY (workspace_id, user_id),
    CONSTRAINT view_defaults_tenant_id_workspace_id_fk
        FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspaces (tenant_id, id),
    CONSTRAINT view_defaults_user_id_fk FOREIGN KEY (user_id) REFERENCES users (id)
);
