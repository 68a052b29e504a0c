-- Purges of content are looked for as well: those of before are in the chain, and found by what their entries say.
INSERT INTO purged_entries (workspace_id, purge_seq, first_seq, tenant_id, last_seq)
SELECT purge.workspace_id, purge.seq, (stretch.value ->> 0)::BIGINT, purge.tenant_id, (stretch.value ->> 1)::BIGINT
FROM chain_entries AS purge
CROSS JOIN LATERAL jsonb_array_elements(purge.parts::JSONB -> 'entries') AS stretch (value)
WHERE purge.kind = 'purge' AND purge.parts::JSONB ->> 'class' = 'content'
ON CONFLICT DO NOTHING;
