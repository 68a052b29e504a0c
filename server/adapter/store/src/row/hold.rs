//! `holds`

use entity::hold::ActiveModel;
use kernel::context::Scope;
use kernel::ledger::{Hold, HoldState};
use sea_orm::ActiveValue::{NotSet, Set};

use super::{Corrupt, text};

pub(crate) fn active(scope: Scope, hold: &Hold, state: &HoldState) -> Result<ActiveModel, Corrupt> {
    let worst_case = hold.worst_case.as_ref().map(|cost| text(cost, "holds.worst_case")).transpose()?;
    Ok(ActiveModel {
        id: Set(hold.id.as_uuid()),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        workspace_id: Set(scope.workspace_id.as_uuid()),
        run_id: Set(hold.run_id.as_uuid()),
        step_id: Set(hold.step_id.as_uuid()),
        open: Set(state.open),
        lines: Set(text(&hold.lines, "holds.lines")?),
        worst_case: Set(worst_case),
        created_at: NotSet,
    })
}
