//! The figures of the home page: counted by the database, bounded by the window.

use chrono::{DateTime, Utc};
use entity::{api_key, budget, cost, provider, run};
use kernel::context::Scope;
use kernel::port::{bucket_seconds, empty_buckets};
use sea_orm::sea_query::{Expr, ExprTrait, Query, SimpleExpr};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Select,
};
use types::money::{Amount, Money};
use types::observe::{Bucket, Overview, Setup, Window};
use types::run::RunStatus;

use crate::dialect::epoch_seconds;
use crate::row::{count, word};

/// A time window of a workspace.
#[derive(Clone, Copy)]
struct Span {
    scope: Scope,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
}

pub(super) async fn overview<C: ConnectionTrait>(
    db: &C,
    scope: Scope,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> Result<Overview, DbErr> {
    let span = Span { scope, from, to };
    let before = Span { from: from - (to - from), to: from, ..span };
    let seconds = bucket_seconds(from, to);
    let present = outcomes(db, span, seconds).await?;
    let earlier = outcomes(db, before, seconds).await?;
    Ok(Overview {
        from,
        to,
        now: window(db, span, &present).await?,
        previous: window(db, before, &earlier).await?,
        buckets: buckets(span, seconds, present),
        active: active(db, scope).await?,
        setup: setup(db, scope).await?,
    })
}

/// How many runs of a bucket came to what.
#[derive(FromQueryResult)]
struct Outcome {
    bucket: i64,
    status: String,
    refused: bool,
    runs: i64,
}

impl Span {
    fn runs(self) -> Select<run::Entity> {
        run::Entity::find()
            .filter(run::Column::TenantId.eq(self.scope.tenant_id.as_uuid()))
            .filter(run::Column::WorkspaceId.eq(self.scope.workspace_id.as_uuid()))
            .filter(run::Column::StartedAt.gte(self.from))
            .filter(run::Column::StartedAt.lt(self.to))
            .filter(run::Column::Sandbox.eq(false))
    }
}

/// A refused run failed without a step: nothing was tried.
fn is_refused() -> SimpleExpr {
    run::Column::Status.eq(RunStatus::Failed.as_str()).and(run::Column::Steps.eq(0))
}

async fn outcomes<C: ConnectionTrait>(db: &C, span: Span, seconds: i64) -> Result<Vec<Outcome>, DbErr> {
    let started = epoch_seconds(db.get_database_backend(), run::Column::StartedAt);
    let bucket = started.div(seconds);
    span.runs()
        .select_only()
        .expr_as(bucket, "bucket")
        .column(run::Column::Status)
        .expr_as(is_refused(), "refused")
        .expr_as(Expr::cust("COUNT(*)"), "runs")
        .group_by(Expr::cust("1"))
        .group_by(Expr::cust("2"))
        .group_by(Expr::cust("3"))
        .into_model()
        .all(db)
        .await
}

async fn window<C: ConnectionTrait>(db: &C, span: Span, outcomes: &[Outcome]) -> Result<Window, DbErr> {
    let mut window = Window::default();
    for outcome in outcomes {
        let runs = count(outcome.runs);
        window.runs += runs;
        match word::<RunStatus>(&outcome.status, "runs.status")? {
            RunStatus::Failed if outcome.refused => {
                window.failed += runs;
                window.refused += runs;
            }
            RunStatus::Failed => window.failed += runs,
            status if !status.is_final() => window.active += runs,
            _ => {}
        }
    }
    let ended = window.runs - window.active;
    window.p50_ms = percentile(db, span, ended, 50).await?;
    window.p95_ms = percentile(db, span, ended, 95).await?;
    charges(db, span, &mut window).await?;
    Ok(window)
}

/// Nearest rank: the smallest duration that at least so many percent of the ended runs do not exceed.
async fn percentile<C: ConnectionTrait>(db: &C, span: Span, ended: u64, percent: u64) -> Result<Option<u64>, DbErr> {
    let rank = (ended * percent).div_ceil(100);
    let Some(skipped) = rank.checked_sub(1) else { return Ok(None) };
    let duration: Option<i64> = span
        .runs()
        .select_only()
        .column(run::Column::DurationMs)
        .filter(run::Column::DurationMs.is_not_null())
        .order_by_asc(run::Column::DurationMs)
        .offset(skipped)
        .limit(1)
        .into_tuple()
        .one(db)
        .await?;
    Ok(duration.map(count))
}

async fn charges<C: ConnectionTrait>(db: &C, span: Span, window: &mut Window) -> Result<(), DbErr> {
    let sums: Vec<(Option<String>, Option<i64>, i64)> = cost::Entity::find()
        .select_only()
        .column(cost::Column::Currency)
        .expr(Expr::cust("CAST(SUM(amount) AS BIGINT)"))
        .expr(Expr::cust("COUNT(*)"))
        .filter(cost::Column::TenantId.eq(span.scope.tenant_id.as_uuid()))
        .filter(cost::Column::WorkspaceId.eq(span.scope.workspace_id.as_uuid()))
        .filter(cost::Column::OccurredAt.gte(span.from))
        .filter(cost::Column::OccurredAt.lt(span.to))
        .group_by(cost::Column::Currency)
        .order_by_asc(cost::Column::Currency)
        .into_tuple()
        .all(db)
        .await?;
    for (currency, sum, rows) in sums {
        match currency.zip(sum) {
            Some((currency, sum)) => {
                let currency = word(&currency, "costs.currency")?;
                window.cost.push(Money { currency, amount: Amount::from_nanos(sum) });
            }
            None => window.unpriced += count(rows),
        }
    }
    Ok(())
}

fn buckets(span: Span, seconds: i64, outcomes: Vec<Outcome>) -> Vec<Bucket> {
    let mut buckets = empty_buckets(span.from, span.to);
    let first = span.from.timestamp().div_euclid(seconds);
    for outcome in outcomes {
        let index = usize::try_from(outcome.bucket - first).ok();
        let Some(bucket) = index.and_then(|index| buckets.get_mut(index)) else { continue };
        let runs = count(outcome.runs);
        match outcome.status.parse::<RunStatus>() {
            Ok(RunStatus::Succeeded) => bucket.succeeded += runs,
            Ok(RunStatus::Failed) if outcome.refused => bucket.refused += runs,
            Ok(RunStatus::Failed) => bucket.failed += runs,
            Ok(status) if !status.is_final() => bucket.active += runs,
            _ => {}
        }
    }
    buckets
}

async fn active<C: ConnectionTrait>(db: &C, scope: Scope) -> Result<u64, DbErr> {
    let runs: Option<i64> = run::Entity::find()
        .select_only()
        .expr(Expr::cust("COUNT(*)"))
        .filter(run::Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .filter(run::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .filter(run::Column::EndedAt.is_null())
        .filter(run::Column::Sandbox.eq(false))
        .into_tuple()
        .one(db)
        .await?;
    Ok(runs.map(count).unwrap_or_default())
}

async fn setup<C: ConnectionTrait>(db: &C, scope: Scope) -> Result<Setup, DbErr> {
    let id = scope.workspace_id.as_uuid();
    let steps = [
        any::<provider::Entity>(provider::Column::WorkspaceId.eq(id).and(provider::Column::Archived.eq(false))),
        any::<api_key::Entity>(api_key::Column::WorkspaceId.eq(id)),
        any::<run::Entity>(run::Column::WorkspaceId.eq(id)),
        any::<budget::Entity>(budget::Column::WorkspaceId.eq(id).and(budget::Column::Archived.eq(false))),
    ];
    let row = db.query_one(&Query::select().exprs(steps).take()).await?;
    let done = |index| row.as_ref().map_or(Ok(false), |row| row.try_get_by_index(index));
    Ok(Setup { provider: done(0)?, key: done(1)?, run: done(2)?, budget: done(3)? })
}

/// Whether a table has a row like this.
fn any<E: EntityTrait>(like: SimpleExpr) -> SimpleExpr {
    Expr::exists(E::find().select_only().expr(Expr::val(1)).filter(like).into_query())
}
