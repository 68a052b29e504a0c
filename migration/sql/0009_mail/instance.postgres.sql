-- Events of people who belong nowhere yet have a place: the mail that makes their account is one.
INSERT INTO tenants (id, name, slug, active, version)
VALUES ('00000000-0000-0000-0000-000000000000', 'soit', 'soit-instance', TRUE, 1);
INSERT INTO workspaces (id, tenant_id, name, slug, archived, unpriced_call_policy, content_capture, version)
VALUES ('00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000', 'soit', 'soit-instance', FALSE,
        'refuse', 'metadata_only', 1);
