//! Which runs a list asks for, as a condition.

use entity::run::{self, Column};
use entity::{cost, feedback};
use kernel::context::Scope;
use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr, Value};
use types::cost::PricingStatus;
use types::feedback::Rating;
use types::id::Uuid;
use types::money::Currency;
use types::run::{RunFilter, RunMark, RunStatus, Term};

use super::text;
use crate::dialect::{member, starts, unindexed};
use crate::row::number;

/// Several values of one filter mean *or*, different filters mean *and*.
pub(super) async fn matching<C: ConnectionTrait>(db: &C, scope: Scope, filter: &RunFilter) -> Result<Condition, DbErr> {
    let backend = db.get_database_backend();
    let found = match &filter.q {
        Some(text) => Some(text::find(db, scope, text).await?),
        None => None,
    };
    let are_few = found.as_ref().is_some_and(|found| found.are_few);
    let own = |column| if are_few { unindexed(backend, column) } else { Expr::col((run::Entity, column)) };
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
    let condition = Condition::all()
        .add(own(Column::TenantId).eq(scope.tenant_id.as_uuid()))
        .add(own(Column::WorkspaceId).eq(scope.workspace_id.as_uuid()))
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
        .add_option(found.map(|found| found.runs))
        .add_option(open(&filter.status))
        .add(ids.into_iter().flatten().chain(labels).fold(Condition::all(), Condition::add))
        .add(terms.into_iter().fold(Condition::all(), Condition::add));
    Ok(condition)
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
