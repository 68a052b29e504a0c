//! `chain_checkpoints`

use entity::chain_checkpoint::{ActiveModel, Model};
use kernel::chain::{Checkpoint, Signature};
use kernel::context::Scope;
use sea_orm::ActiveValue::{NotSet, Set};

use super::{Corrupt, count, hash, number};

pub(crate) fn active(scope: Scope, checkpoint: &Checkpoint) -> ActiveModel {
    ActiveModel {
        workspace_id: Set(scope.workspace_id.as_uuid()),
        number: Set(number(checkpoint.number)),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        first_seq: Set(number(checkpoint.first_seq)),
        last_seq: Set(number(checkpoint.last_seq)),
        root: Set(checkpoint.root.0.to_vec()),
        head: Set(checkpoint.head.0.to_vec()),
        previous: Set(checkpoint.previous.0.to_vec()),
        sealed_at: Set(checkpoint.sealed_at),
        key_id: Set(checkpoint.key_id.clone()),
        signature: Set(checkpoint.signature.0.to_vec()),
        created_at: NotSet,
    }
}

pub(crate) fn record(row: Model) -> Result<Checkpoint, Corrupt> {
    let signature = row.signature.as_slice().try_into();
    Ok(Checkpoint {
        number: count(row.number),
        first_seq: count(row.first_seq),
        last_seq: count(row.last_seq),
        root: hash(&row.root, "chain_checkpoints.root")?,
        head: hash(&row.head, "chain_checkpoints.head")?,
        previous: hash(&row.previous, "chain_checkpoints.previous")?,
        sealed_at: row.sealed_at,
        key_id: row.key_id,
        signature: Signature(signature.map_err(|_| Corrupt::new("chain_checkpoints.signature", "not 64 bytes"))?),
    })
}
