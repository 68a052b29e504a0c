DELETE FROM purged_entries WHERE EXISTS (
    SELECT 1 FROM chain_entries AS purge
    WHERE purge.workspace_id = purged_entries.workspace_id AND purge.seq = purged_entries.purge_seq
        AND purge.parts::JSONB ->> 'class' = 'content'
);
