-- Purges of content are looked for as well: those of before are in the chain, and found by what their entries say.
INSERT INTO purged_entries (workspace_id, purge_seq, first_seq, tenant_id, last_seq)
SELECT purge.workspace_id, purge.seq, json_extract(stretch.value, '$[0]'), purge.tenant_id,
       json_extract(stretch.value, '$[1]')
FROM chain_entries AS purge, json_each(purge.parts, '$.entries') AS stretch
WHERE purge.kind = 'purge' AND json_extract(purge.parts, '$.class') = 'content'
ON CONFLICT DO NOTHING;
