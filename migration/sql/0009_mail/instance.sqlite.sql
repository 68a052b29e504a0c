-- Events of people who belong nowhere yet have a place: the mail that makes their account is one.
INSERT INTO tenants (id, name, slug, active, version)
VALUES (zeroblob(16), 'soit', 'soit-instance', TRUE, 1);
INSERT INTO workspaces (id, tenant_id, name, slug, archived, unpriced_call_policy, content_capture, version)
VALUES (zeroblob(16), zeroblob(16), 'soit', 'soit-instance', FALSE, 'refuse', 'metadata_only', 1);
