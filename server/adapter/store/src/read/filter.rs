//! Which runs a list asks for, as a condition.

use entity::run::Column;
use kernel::context::Scope;
use sea_orm::sea_query::{ExprTrait, SimpleExpr};
use sea_orm::{ColumnTrait, Condition, DbBackend};
use types::id::{RequestId, RunId, Uuid};
use types::run::RunFilter;

use crate::dialect::contains;
use crate::row::number;

/// Several values of one filter mean *or*, different filters mean *and*.
pub(super) fn matching(backend: DbBackend, scope: Scope, filter: &RunFilter) -> Condition {
    let words = [
        any(Column::Status, &filter.status),
        any(Column::Mode, &filter.mode),
        any(Column::Entry, &filter.entry),
        any(Column::Source, &filter.source),
        any(Column::CallerId, &filter.caller_id),
        any(Column::ModelRef, &filter.model_ref),
        any(Column::ErrorCode, &filter.error_code),
    ];
    let keys = filter.api_key_id.iter().map(|id| id.as_uuid());
    let keys = (!filter.api_key_id.is_empty()).then(|| Column::ApiKeyId.is_in(keys));
    Condition::all()
        .add(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .add(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .add_option(keys)
        .add_option(filter.trace_id.as_ref().map(|id| Column::TraceId.eq(id)))
        .add_option(filter.request_id.map(|id| Column::RequestId.eq(id.as_uuid())))
        .add_option(filter.started_from.map(|from| Column::StartedAt.gte(from)))
        .add_option(filter.started_to.map(|to| Column::StartedAt.lt(to)))
        .add_option(filter.min_duration_ms.map(|least| Column::DurationMs.gte(number(least))))
        .add_option(filter.q.as_ref().map(|text| holding(backend, text)))
        .add(words.into_iter().flatten().fold(Condition::all(), Condition::add))
}

fn any(column: Column, words: &[impl ToString]) -> Option<SimpleExpr> {
    (!words.is_empty()).then(|| column.is_in(words.iter().map(ToString::to_string)))
}

/// Runs that hold the text, in any case: in model, caller, trace, error, labels or previews; or at the start of their
/// id or their request's.
fn holding(backend: DbBackend, text: &str) -> Condition {
    let texts = [
        Column::ModelRef,
        Column::CallerId,
        Column::TraceId,
        Column::ErrorCode,
        Column::ErrorMessage,
        Column::Labels,
        Column::InputPreview,
        Column::OutputPreview,
    ];
    let held = texts.into_iter().map(|column| contains(backend, column, text));
    let ids = [(Column::Id, RunId::PREFIX), (Column::RequestId, RequestId::PREFIX)];
    let starts = ids.into_iter().filter_map(|(column, prefix)| {
        let (first, last) = id_range(prefix, text)?;
        Some(column.gte(first).and(column.lte(last)))
    });
    held.chain(starts).fold(Condition::any(), Condition::add)
}

/// The ids whose text starts so: `run_01j8` is a range of UUIDs.
fn id_range(prefix: &str, text: &str) -> Option<(Uuid, Uuid)> {
    let start = text.to_ascii_lowercase();
    let digits = start.strip_prefix(prefix)?.strip_prefix('_')?;
    if digits.len() > 26 {
        return None;
    }
    let first = format!("run_{digits:0<26}").parse::<RunId>().ok()?;
    let last = format!("run_{digits:z<26}").parse::<RunId>().ok()?;
    Some((first.as_uuid(), last.as_uuid()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_an_id_is_a_range() {
        let id = RunId::from_uuid(Uuid::from_u128(0x0191_2345_6789_7abc_8def_0123_4567_89ab));
        let text = id.to_string();
        for length in [5, 10, 30] {
            let start = text.get(..length).expect("long enough").to_uppercase();
            let (first, last) = id_range("run", &start).expect("a range");
            assert!(first <= id.as_uuid() && id.as_uuid() <= last, "{start}");
        }
        assert_eq!(id_range("run", &text), Some((id.as_uuid(), id.as_uuid())));
        for other in ["run", "usr_01", "run_il", &format!("{text}0")] {
            assert_eq!(id_range("run", other), None, "{other}");
        }
    }
}
