//! `run_texts`

use entity::run_text::ActiveModel;
use kernel::context::Scope;
use kernel::ledger::{NewRun, RunText};
use sea_orm::ActiveValue::Set;
use types::id::RunId;
use types::run::Run;

/// Of a run that begins.
pub(crate) fn opening(scope: Scope, run: &NewRun) -> ActiveModel {
    active(scope, run.id, false, RunText::opening(run))
}

/// Of a run as it is kept.
pub(crate) fn kept(scope: Scope, run: &Run) -> ActiveModel {
    active(scope, run.id, run.status.is_final(), RunText::of(run))
}

fn active(scope: Scope, id: RunId, is_over: bool, text: RunText) -> ActiveModel {
    ActiveModel {
        run_id: Set(id.as_uuid()),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        workspace_id: Set(scope.workspace_id.as_uuid()),
        is_over: Set(is_over),
        facts: Set(text.facts),
        labels: Set(text.labels),
        input: Set(text.input),
        output: Set(text.output),
        error: Set(text.error),
    }
}
