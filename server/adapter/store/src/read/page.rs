//! Keyset pages of runs.
//!
//! Runs without a value in the sorted column (those not ended) come last in both directions: a page reads the sorted
//! ones first, then, where room is left, the others by id.

use entity::run::{Column, Entity, Model};
use kernel::context::Scope;
use kernel::port::StoreError;
use sea_orm::sea_query::{Expr, ExprTrait, Query, SimpleExpr};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
};
use types::id::{RunId, Uuid};
use types::page::Page;
use types::run::{Run, RunFilter, RunQuery, RunSort};

use super::filter::matching;
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
    let after = query.cursor.as_ref().map(|cursor| key.read(scope, query, cursor)).transpose()?;
    let limit = query.limit.clamp(1, MOST);
    let mut rows = rows(db, scope, query, after, u64::from(limit) + 1).await?;
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let last = rows.last().filter(|_| more).map(|row| position(query.sort, row));
    let next_cursor = last.map(|position| key.write(scope, query, position)).transpose()?;
    let items = rows.into_iter().map(row::run::record).collect::<Result<_, _>>();
    Ok(Page { items: items.map_err(|corrupt| reading(corrupt.into()))?, next_cursor })
}

async fn rows<C: ConnectionTrait>(
    db: &C,
    scope: Scope,
    query: &RunQuery,
    after: Option<Position>,
    limit: u64,
) -> Result<Vec<Model>, StoreError> {
    let column = column(query.sort);
    let select = || Entity::find().filter(matching(db.get_database_backend(), scope, &query.filter));
    let mut rows = Vec::new();
    if after.is_none_or(|position| position.value.is_some()) {
        let beyond = after.map(|position| beyond(query, position)).transpose()?;
        let sorted = select().filter(column.is_not_null()).apply_if(beyond, Select::filter);
        rows = ordered(sorted, &[column, Column::Id], query.descending).limit(limit).all(db).await.map_err(reading)?;
    }
    let room = limit.saturating_sub(rows.len() as u64);
    if room > 0 && query.sort != RunSort::StartedAt {
        let open = after.filter(|position| position.value.is_none());
        let beyond = open.map(|position| past(&[Column::Id], vec![position.id.as_uuid().into()], query.descending));
        let unsorted = select().filter(column.is_null()).apply_if(beyond, Select::filter);
        let unsorted = ordered(unsorted, &[Column::Id], query.descending).limit(room);
        rows.extend(unsorted.all(db).await.map_err(reading)?);
    }
    Ok(rows)
}

fn ordered(select: Select<Entity>, columns: &[Column], descending: bool) -> Select<Entity> {
    columns.iter().fold(
        select,
        |select, column| {
            if descending { select.order_by_desc(*column) } else { select.order_by_asc(*column) }
        },
    )
}

const fn column(sort: RunSort) -> Column {
    match sort {
        RunSort::StartedAt => Column::StartedAt,
        RunSort::EndedAt => Column::EndedAt,
        RunSort::DurationMs => Column::DurationMs,
    }
}

fn position(sort: RunSort, row: &Model) -> Position {
    let value = match sort {
        RunSort::StartedAt => Some(micros(row.started_at)),
        RunSort::EndedAt => row.ended_at.map(micros),
        RunSort::DurationMs => row.duration_ms,
    };
    Position { value, id: RunId::from_uuid(row.id) }
}

/// Rows behind a position among the sorted ones.
fn beyond(query: &RunQuery, position: Position) -> Result<SimpleExpr, StoreError> {
    let value = position.value.unwrap_or_default();
    let value = match query.sort {
        RunSort::StartedAt | RunSort::EndedAt => moment(value)?.into(),
        RunSort::DurationMs => value.into(),
    };
    let id: Uuid = position.id.as_uuid();
    Ok(past(&[column(query.sort), Column::Id], vec![value, id.into()], query.descending))
}

/// `(a, b) > (x, y)`: one comparison of rows, which an index answers.
fn past(columns: &[Column], values: Vec<sea_orm::Value>, descending: bool) -> SimpleExpr {
    let columns = Expr::tuple(columns.iter().map(|column| Expr::col((Entity, *column))));
    let values = Expr::tuple(values.into_iter().map(Expr::val));
    if descending { columns.lt(values) } else { columns.gt(values) }
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
        .filter(matching(db.get_database_backend(), scope, filter))
        .limit(u64::from(up_to))
        .into_query();
    let counting = Query::select().expr(Expr::cust("COUNT(*)")).from_subquery(matching, "matching").to_owned();
    let row = db.query_one(&counting).await?;
    Ok(row.map(|row| row.try_get_by_index(0)).transpose()?.map_or(0, row::count))
}
