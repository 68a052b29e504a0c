//! `chains`

use entity::chain::ActiveModel;
use kernel::context::Scope;
use kernel::ledger::ChainEnd;
use sea_orm::ActiveValue::{NotSet, Set};

use super::number;

/// How far it is sealed is written by who seals.
pub(crate) fn active(scope: Scope, end: &ChainEnd) -> ActiveModel {
    ActiveModel {
        workspace_id: Set(scope.workspace_id.as_uuid()),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        seq: Set(number(end.seq)),
        hash: Set(end.hash.0.to_vec()),
        sealed_seq: NotSet,
    }
}
