//! Which runs a list asks for, as a condition.

use entity::run::{self, Column};
use entity::{cost, feedback};
use kernel::context::Scope;
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, Condition, DbBackend, Value};
use types::cost::PricingStatus;
use types::feedback::Rating;
use types::id::{RequestId, RunId, Uuid};
use types::money::Currency;
use types::run::{RunFilter, RunMark, RunStatus, Term};

use crate::dialect::{contains, member, starts};
use crate::row::number;

/// Several values of one filter mean *or*, different filters mean *and*.
pub(super) fn matching(backend: DbBackend, scope: Scope, filter: &RunFilter) -> Condition {
    let terms = [
        words(Column::Status, &filter.status),
        words(Column::Mode, &filter.mode),
        words(Column::Entry, &filter.entry),
        words(Column::Source, &filter.source),
        words(Column::CallerId, &filter.caller_id),
        words(Column::ModelRef, &filter.model_ref),
        words(Column::ErrorCode, &filter.error_code),
        terms(Column::ApiKeyId, &filter.api_key_id, |id| id.as_uuid().into()),
        asking(backend, &filter.provider),
    ];
    let ids = [
        any_id(Column::Id, filter.id.iter().map(|id| id.as_uuid())),
        any_id(Column::RootRunId, filter.root_run_id.iter().map(|id| id.as_uuid())),
        any_id(Column::ParentRunId, filter.parent_run_id.iter().map(|id| id.as_uuid())),
        any_id(Column::SourceRunId, filter.source_run_id.iter().map(|id| id.as_uuid())),
    ];
    let labels = filter.label.iter().map(|(key, values)| member(backend, Column::Labels, key).is_in(values));
    let cost = || cost(filter.currency);
    Condition::all()
        .add(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .add(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .add(match &filter.sandbox[..] {
            [] => Column::Sandbox.eq(false),
            these => Column::Sandbox.is_in(these.iter().copied()),
        })
        .add_option(filter.trace_id.as_ref().map(|id| Column::TraceId.eq(id)))
        .add_option(filter.request_id.map(|id| Column::RequestId.eq(id.as_uuid())))
        .add_option(filter.started_from.map(|from| Column::StartedAt.gte(from)))
        .add_option(filter.started_to.map(|to| Column::StartedAt.lt(to)))
        .add_option(filter.min_duration_ms.map(|least| Column::DurationMs.gte(number(least))))
        .add_option(filter.min_cost.map(|least| cost().gte(least.nanos())))
        .add_option(filter.max_cost.map(|most| cost().lte(most.nanos())))
        .add_option((!filter.has.is_empty()).then(|| marked(&filter.has)))
        .add_option((!filter.feedback.is_empty()).then(|| rated(&filter.feedback)))
        .add_option(filter.q.as_ref().map(|text| holding(backend, text)))
        .add_option(open(&filter.status))
        .add(ids.into_iter().flatten().chain(labels).fold(Condition::all(), Condition::add))
        .add(terms.into_iter().fold(Condition::all(), Condition::add))
}

pub(super) fn words<T: ToString>(column: impl ColumnTrait, words: &[Term<T>]) -> Condition {
    terms(column, words, |word| word.to_string().into())
}

/// Any of the values asked for, and none of those left out, which a row without a value is none of.
fn terms<T>(column: impl ColumnTrait, terms: &[Term<T>], value: impl Fn(&T) -> Value) -> Condition {
    let wanted: Vec<Value> = terms.iter().filter_map(Term::wanted).map(&value).collect();
    let unwanted: Vec<Value> = terms.iter().filter_map(Term::unwanted).map(&value).collect();
    Condition::all()
        .add_option((!wanted.is_empty()).then(|| column.is_in(wanted)))
        .add_option((!unwanted.is_empty()).then(|| column.is_not_in(unwanted).or(column.is_null())))
}

/// Whoever asks for states before the end alone asks for what has not ended: that has an index, and states have none.
fn open(status: &[Term<RunStatus>]) -> Option<SimpleExpr> {
    let mut wanted = status.iter().filter_map(Term::wanted).peekable();
    wanted.peek()?;
    wanted.all(|status| !status.is_final()).then(|| Column::EndedAt.is_null())
}

fn any_id(column: Column, ids: impl ExactSizeIterator<Item = Uuid>) -> Option<SimpleExpr> {
    (ids.len() > 0).then(|| column.is_in(ids))
}

/// What a run cost in a currency; null where it has no cost in it.
///
/// The sum of its rows, which is what its totals say: a column that held it would be written by every call and read by
/// hardly anybody.
pub(super) fn cost(currency: Option<Currency>) -> SimpleExpr {
    let Some(currency) = currency else { return Expr::val(None::<i64>) };
    let sum = rows(Expr::cust("CAST(SUM(amount) AS BIGINT)"), cost::Column::Currency.eq(currency.as_str()));
    SimpleExpr::SubQuery(None, Box::new(sum.into()))
}

/// Runs with any of these marks.
fn marked(marks: &[RunMark]) -> Condition {
    let mark = |mark: &RunMark| match mark {
        RunMark::Estimated => charged(PricingStatus::Estimated),
        RunMark::Unpriced => charged(PricingStatus::Unpriced),
        RunMark::Feedback => rated(Rating::ALL),
    };
    marks.iter().map(mark).fold(Condition::any(), Condition::add)
}

/// Runs with a cost row of this kind.
fn charged(status: PricingStatus) -> SimpleExpr {
    Expr::exists(rows(Expr::val(1), cost::Column::PricingStatus.eq(status.as_str())))
}

/// Runs of which somebody says any of these.
fn rated(ratings: &[Rating]) -> SimpleExpr {
    let of_run = Expr::col((feedback::Entity, feedback::Column::RunId)).equals((run::Entity, Column::Id));
    let rating = feedback::Column::Rating.is_in(ratings.iter().map(|rating| rating.as_str()));
    let said = Query::select().expr(Expr::val(1)).from(feedback::Entity).and_where(of_run).and_where(rating).take();
    Expr::exists(said)
}

/// What is wanted of the cost rows of a run.
fn rows(wanted: SimpleExpr, which: SimpleExpr) -> SelectStatement {
    let of_run = Expr::col((cost::Entity, cost::Column::RunId)).equals((run::Entity, Column::Id));
    Query::select().expr(wanted).from(cost::Entity).and_where(of_run).and_where(which).take()
}

/// Runs that asked for a model of these accounts: a model's name begins with its account's.
fn asking(backend: DbBackend, providers: &[Term<String>]) -> Condition {
    let of = |slug: &String| starts(backend, Column::ModelRef, &format!("model:{slug}:"));
    let wanted: Vec<SimpleExpr> = providers.iter().filter_map(Term::wanted).map(of).collect();
    let unwanted =
        providers.iter().filter_map(Term::unwanted).map(|slug| of(slug).not().or(Column::ModelRef.is_null()));
    Condition::all()
        .add_option((!wanted.is_empty()).then(|| wanted.into_iter().fold(Condition::any(), Condition::add)))
        .add(unwanted.fold(Condition::all(), Condition::add))
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
