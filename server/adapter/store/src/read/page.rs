//! Keyset pages of runs.
//!
//! Runs without a value in the sorted column (those not ended) come last in both directions: a page reads the sorted
//! ones first, then, where room is left, the others by id.

use entity::run::{Column, Entity, Model};
use kernel::context::Scope;
use kernel::export;
use kernel::port::{Record, StoreError};
use sea_orm::sea_query::{Expr, ExprTrait, Query, SimpleExpr};
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select};
use types::export::RecordType;
use types::id::{RunId, Uuid};
use types::page::Page;
use types::run::{Run, RunFilter, RunQuery, RunSort, Totals};

use super::filter::{cost, matching};
use crate::cursor::{CursorKey, Position, micros, moment};
use crate::error::reading;
use crate::row;

/// Most runs of a page.
const MOST: u32 = 200;

pub(super) async fn page<C: ConnectionTrait>(
    db: &C,
    key: &CursorKey,
    scope: Scope,
    query: &RunQuery,
) -> Result<Page<Run>, StoreError> {
    let Page { items, next_cursor } = row_page(db, key, scope, query).await?;
    let items: Result<Vec<Run>, _> = items.into_iter().map(row::run::record).collect();
    Ok(Page { items: items.map_err(|corrupt| reading(corrupt.into()))?, next_cursor })
}

/// The same, as they are taken out.
pub(super) async fn records<C: ConnectionTrait>(
    db: &C,
    key: &CursorKey,
    scope: Scope,
    query: &RunQuery,
) -> Result<Page<Record>, StoreError> {
    let Page { items, next_cursor } = row_page(db, key, scope, query).await?;
    let whole = |row| row::record::run(row).map(|record| export::ordered(RecordType::Runs, record));
    let items: Result<Vec<Record>, _> = items.into_iter().map(whole).collect();
    Ok(Page { items: items.map_err(|corrupt| reading(corrupt.into()))?, next_cursor })
}

async fn row_page<C: ConnectionTrait>(
    db: &C,
    key: &CursorKey,
    scope: Scope,
    query: &RunQuery,
) -> Result<Page<Model>, StoreError> {
    let after = query.cursor.as_ref().map(|cursor| key.read(scope, query, cursor)).transpose()?;
    let limit = query.limit.clamp(1, MOST);
    let mut rows = rows(db, scope, query, after, u64::from(limit) + 1).await?;
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let last = rows.last().filter(|_| more).map(|row| position(query, row)).transpose();
    let last = last.map_err(|corrupt| reading(corrupt.into()))?;
    let next_cursor = last.map(|position| key.write(scope, query, position)).transpose()?;
    Ok(Page { items: rows, next_cursor })
}

async fn rows<C: ConnectionTrait>(
    db: &C,
    scope: Scope,
    query: &RunQuery,
    after: Option<Position>,
    limit: u64,
) -> Result<Vec<Model>, StoreError> {
    let (value, id) = (value(query), column(Column::Id));
    let matching = matching(db, scope, &query.filter).await.map_err(reading)?;
    let select = || Entity::find().filter(matching.clone());
    let mut rows = Vec::new();
    if after.is_none_or(|position| position.value.is_some()) {
        let beyond = after.map(|position| beyond(query, position)).transpose()?;
        let sorted = select().filter(value.clone().is_not_null()).apply_if(beyond, Select::filter);
        rows = ordered(sorted, [value.clone(), id.clone()], query.descending)
            .limit(limit)
            .all(db)
            .await
            .map_err(reading)?;
    }
    let room = limit.saturating_sub(rows.len() as u64);
    if room > 0 && query.sort != RunSort::StartedAt {
        let open = after.filter(|position| position.value.is_none());
        let beyond = open.map(|position| past([id.clone()], vec![position.id.as_uuid().into()], query.descending));
        let unsorted = select().filter(value.is_null()).apply_if(beyond, Select::filter);
        let unsorted = ordered(unsorted, [id], query.descending).limit(room);
        rows.extend(unsorted.all(db).await.map_err(reading)?);
    }
    Ok(rows)
}

fn ordered<const N: usize>(select: Select<Entity>, by: [SimpleExpr; N], descending: bool) -> Select<Entity> {
    let order = if descending { Order::Desc } else { Order::Asc };
    by.into_iter().fold(select, |select, value| select.order_by(value, order.clone()))
}

fn column(column: Column) -> SimpleExpr {
    Expr::col((Entity, column))
}

/// What runs are ordered by.
fn value(query: &RunQuery) -> SimpleExpr {
    match query.sort {
        RunSort::StartedAt => column(Column::StartedAt),
        RunSort::EndedAt => column(Column::EndedAt),
        RunSort::DurationMs => column(Column::DurationMs),
        RunSort::Cost => cost(query.filter.currency),
    }
}

fn position(query: &RunQuery, row: &Model) -> Result<Position, row::Corrupt> {
    let value = match query.sort {
        RunSort::StartedAt => Some(micros(row.started_at)),
        RunSort::EndedAt => row.ended_at.map(micros),
        RunSort::DurationMs => row.duration_ms,
        RunSort::Cost => {
            let totals: Totals = row::document(&row.totals, "runs.totals")?;
            let sum = totals.cost.iter().find(|sum| Some(sum.currency) == query.filter.currency);
            sum.map(|sum| sum.amount.nanos())
        }
    };
    Ok(Position { value, id: RunId::from_uuid(row.id) })
}

/// Rows behind a position among the sorted ones.
fn beyond(query: &RunQuery, position: Position) -> Result<SimpleExpr, StoreError> {
    let reached = position.value.unwrap_or_default();
    let reached = match query.sort {
        RunSort::StartedAt | RunSort::EndedAt => moment(reached)?.into(),
        RunSort::DurationMs | RunSort::Cost => reached.into(),
    };
    let id: Uuid = position.id.as_uuid();
    Ok(past([value(query), column(Column::Id)], vec![reached, id.into()], query.descending))
}

/// `(a, b) > (x, y)`: one comparison of rows, which an index answers.
fn past<const N: usize>(wanted: [SimpleExpr; N], values: Vec<sea_orm::Value>, descending: bool) -> SimpleExpr {
    let wanted = Expr::tuple(wanted);
    let values = Expr::tuple(values.into_iter().map(Expr::val));
    if descending { wanted.lt(values) } else { wanted.gt(values) }
}

/// How many runs match, counted no further than `up_to`.
pub(super) async fn count<C: ConnectionTrait>(
    db: &C,
    scope: Scope,
    filter: &RunFilter,
    up_to: u32,
) -> Result<u64, DbErr> {
    let matching = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(matching(db, scope, filter).await?)
        .limit(u64::from(up_to))
        .into_query();
    let counting = Query::select().expr(Expr::cust("COUNT(*)")).from_subquery(matching, "matching").to_owned();
    let row = db.query_one(&counting).await?;
    Ok(row.map(|row| row.try_get_by_index(0)).transpose()?.map_or(0, row::count))
}
