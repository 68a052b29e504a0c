//! `chain_entries`

use entity::chain_entry::{ActiveModel, Model};
use kernel::chain::Entry;
use kernel::context::Scope;
use sea_orm::ActiveValue::{NotSet, Set};

use super::{Corrupt, count, hash, number, word};

pub(crate) fn active(scope: Scope, entry: Entry) -> ActiveModel {
    ActiveModel {
        workspace_id: Set(scope.workspace_id.as_uuid()),
        seq: Set(number(entry.seq)),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        kind: Set(entry.kind.to_string()),
        subject_id: Set(entry.subject_id),
        subject_digest: Set(entry.subject_digest.0.to_vec()),
        prev_hash: Set(entry.prev_hash.0.to_vec()),
        hash: Set(entry.hash.0.to_vec()),
        parts: Set(entry.parts),
        created_at: NotSet,
    }
}

pub(crate) fn record(row: Model) -> Result<Entry, Corrupt> {
    Ok(Entry {
        seq: count(row.seq),
        kind: word(&row.kind, "chain_entries.kind")?,
        subject_id: row.subject_id,
        subject_digest: hash(&row.subject_digest, "chain_entries.subject_digest")?,
        prev_hash: hash(&row.prev_hash, "chain_entries.prev_hash")?,
        hash: hash(&row.hash, "chain_entries.hash")?,
        parts: row.parts,
    })
}
