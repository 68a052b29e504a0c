-- Mails to be sent, by the digest of the token in their link; whether an address was proved; when an account is closed.
ALTER TABLE users ADD COLUMN email_verified_at TIMESTAMPTZ;
ALTER TABLE users ADD COLUMN closes_at TIMESTAMPTZ;
CREATE INDEX users_closes_at_idx ON users (closes_at) WHERE closes_at IS NOT NULL;

CREATE TABLE mails (
    id             UUID        NOT NULL,
    kind           TEXT        NOT NULL,
    user_id        UUID,
    invitation_id  UUID,
    email          TEXT        NOT NULL,
    email_key      TEXT        NOT NULL,
    language       TEXT        NOT NULL,
    digest         BYTEA,
    name           TEXT,
    password_hash  TEXT,
    created_at     TIMESTAMPTZ NOT NULL,
    expires_at     TIMESTAMPTZ NOT NULL,
    used_at        TIMESTAMPTZ,
    version        BIGINT      NOT NULL,
    CONSTRAINT mails_pkey PRIMARY KEY (id),
    CONSTRAINT mails_digest_key UNIQUE (digest),
    CONSTRAINT mails_user_id_fk FOREIGN KEY (user_id) REFERENCES users (id),
    CONSTRAINT mails_invitation_id_fk FOREIGN KEY (invitation_id) REFERENCES invitations (id),
    CONSTRAINT mails_name_check CHECK ((name IS NULL) = (password_hash IS NULL))
);
CREATE INDEX mails_user_id_idx ON mails (user_id, kind, created_at, id);
CREATE INDEX mails_email_key_idx ON mails (email_key, kind, created_at, id);
CREATE INDEX mails_expires_at_idx ON mails (expires_at);
