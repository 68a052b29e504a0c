//! How many runs match, in groups that are alike: what the counts beside the choices of a filter are made of.

use chrono::{DateTime, Utc};
use entity::run::{Column, Entity};
use kernel::context::Scope;
use kernel::port::{RunGroup, RunTally};
use sea_orm::sea_query::{Expr, ExprTrait, Func, Order, Query, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QuerySelect, Select,
};
use types::id::{ApiKeyId, Uuid};
use types::run::RunFilter;

use super::filter::matching;
use crate::row::{count, word};

/// What the runs of a group have in common.
const ALIKE: [Column; 5] = [Column::Status, Column::Mode, Column::Entry, Column::ModelRef, Column::ApiKeyId];

/// A group as the database counts it.
#[derive(FromQueryResult)]
struct Row {
    status: String,
    mode: String,
    entry: String,
    model_ref: Option<String>,
    api_key_id: Option<Uuid>,
    seen: i64,
    runs: i64,
}

/// One statement over the newest runs, which says of each group how many were seen and how many of them match.
pub(super) async fn tally<C: ConnectionTrait>(
    db: &C,
    scope: Scope,
    filter: &RunFilter,
    newest: u32,
) -> Result<RunTally, DbErr> {
    let matching = matching(db, scope, filter).await?;
    // One lower bound alone: of two, SQLite may enter the index by the earlier one and read every run of the time.
    let looked_at = Condition::all()
        .add(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .add(before(scope, filter))
        .add(Expr::col((Entity, Column::StartedAt)).gte(oldest(scope, filter, newest)));
    let select = Entity::find()
        .select_only()
        .columns(ALIKE)
        .expr_as(Expr::cust("COUNT(*)"), "seen")
        .expr_as(Func::count(Expr::case(matching, 1)), "runs")
        .filter(looked_at);
    let rows: Vec<Row> = ALIKE.into_iter().fold(select, Select::group_by).into_model().all(db).await?;
    let seen: u64 = rows.iter().map(|row| count(row.seen)).sum();
    let groups: Result<_, _> = rows.into_iter().filter(|row| row.runs > 0).map(group).collect();
    Ok(RunTally { groups: groups?, is_whole: seen < u64::from(newest) })
}

/// The workspace's runs up to the end of the time, in terms of the index alone: whose tenant they are stands in the rows.
fn before(scope: Scope, filter: &RunFilter) -> Condition {
    Condition::all()
        .add(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .add_option(filter.started_to.map(|to| Column::StartedAt.lt(to)))
}

/// When the last of the newest runs started; where there are fewer, the beginning of the time.
fn oldest(scope: Scope, filter: &RunFilter, newest: u32) -> SimpleExpr {
    let last = Query::select()
        .column((Entity, Column::StartedAt))
        .from(Entity)
        .cond_where(before(scope, filter).add_option(filter.started_from.map(|from| Column::StartedAt.gte(from))))
        .order_by((Entity, Column::StartedAt), Order::Desc)
        .limit(1)
        .offset(u64::from(newest.saturating_sub(1)))
        .take();
    let last = SimpleExpr::SubQuery(None, Box::new(last.into()));
    let beginning = filter.started_from.unwrap_or(DateTime::<Utc>::UNIX_EPOCH);
    Func::coalesce([last, Expr::val(beginning)]).into()
}

fn group(row: Row) -> Result<RunGroup, DbErr> {
    Ok(RunGroup {
        status: word(&row.status, "runs.status")?,
        mode: word(&row.mode, "runs.mode")?,
        entry: word(&row.entry, "runs.entry")?,
        model_ref: row.model_ref,
        api_key_id: row.api_key_id.map(ApiKeyId::from_uuid),
        runs: count(row.runs),
    })
}
