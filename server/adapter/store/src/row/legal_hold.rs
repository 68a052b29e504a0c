//! `legal_holds` and `legal_hold_runs`

use entity::legal_hold::{ActiveModel, Model};
use entity::legal_hold_run;
use kernel::record::{LegalHold, Release};
use sea_orm::ActiveValue::Set;
use types::id::{LegalHoldId, RunId, Uuid};

use super::{Corrupt, count, document, number, scope, text, word};

pub(crate) fn active(hold: &LegalHold) -> Result<ActiveModel, Corrupt> {
    let released = hold.released.as_ref();
    let by = released.map(|release| text(&release.by, "legal_holds.released_by")).transpose()?;
    Ok(ActiveModel {
        id: Set(hold.id.as_uuid()),
        tenant_id: Set(hold.scope.tenant_id.as_uuid()),
        workspace_id: Set(hold.scope.workspace_id.as_uuid()),
        name: Set(hold.name.to_string()),
        reason: Set(hold.reason.clone()),
        by_runs: Set(!hold.run_ids.is_empty()),
        caller_id: Set(hold.caller_id.clone()),
        starts_from: Set(hold.starts_from),
        starts_before: Set(hold.starts_before),
        created_by: Set(text(&hold.created_by, "legal_holds.created_by")?),
        created_at: Set(hold.created_at),
        released_at: Set(released.map(|release| release.at)),
        released_by: Set(by),
        release_reason: Set(released.map(|release| release.reason.clone())),
        version: Set(number(hold.version)),
    })
}

/// The runs it names.
pub(crate) fn active_runs(hold: &LegalHold) -> impl Iterator<Item = legal_hold_run::ActiveModel> {
    let hold_id = hold.id.as_uuid();
    hold.run_ids
        .iter()
        .map(move |run_id| legal_hold_run::ActiveModel { hold_id: Set(hold_id), run_id: Set(run_id.as_uuid()) })
}

pub(crate) fn record(row: Model, run_ids: Vec<Uuid>) -> Result<LegalHold, Corrupt> {
    let released = match (row.released_at, row.released_by, row.release_reason) {
        (Some(at), Some(by), Some(reason)) => {
            Some(Release { at, by: document(&by, "legal_holds.released_by")?, reason })
        }
        _ => None,
    };
    Ok(LegalHold {
        id: LegalHoldId::from_uuid(row.id),
        scope: scope(row.tenant_id, row.workspace_id),
        name: word(&row.name, "legal_holds.name")?,
        reason: row.reason,
        run_ids: run_ids.into_iter().map(RunId::from_uuid).collect(),
        caller_id: row.caller_id,
        starts_from: row.starts_from,
        starts_before: row.starts_before,
        created_by: document(&row.created_by, "legal_holds.created_by")?,
        created_at: row.created_at,
        released,
        version: count(row.version),
    })
}
