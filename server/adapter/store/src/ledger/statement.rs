//! Statements that write many rows at once: on PostgreSQL one for all, on SQLite one prepared and run for each, which
//! costs less there than a text that differs with the number of rows.

use std::fmt::{Display, Formatter, Write};

use sea_orm::sea_query::{Alias, Expr, ExprTrait, OnConflict, Query, TableRef, ValueTuple};
use sea_orm::{
    ActiveModelTrait, ActiveValue, ConnectionTrait, DbErr, EntityName, EntityTrait, IdenStatic, IntoActiveModel,
    Iterable, PrimaryKeyToColumn, Value,
};

use crate::dialect::{LedgerTransaction, SQLITE_NOW, now};
use crate::error::Trouble;

/// Values of one statement: PostgreSQL takes 65,535.
const VALUES: usize = 30_000;

fn rows_a_statement(columns: usize) -> usize {
    (VALUES / columns.max(1)).max(1)
}

type Column<A> = <<A as ActiveModelTrait>::Entity as EntityTrait>::Column;

/// Inserts new rows.
pub(super) async fn insert<A>(db: &mut LedgerTransaction, rows: Vec<A>) -> Result<(), Trouble>
where
    A: ActiveModelTrait + IntoActiveModel<A>,
{
    let Some(first) = rows.first() else { return Ok(()) };
    match db {
        LedgerTransaction::Pooled(session) => {
            for rows in chunks(rows, rows_a_statement(Column::<A>::iter().count())) {
                A::Entity::insert_many(rows).exec_without_returning(session).await?;
            }
            Ok(())
        }
        LedgerTransaction::Inline { working, meter, .. } => {
            meter.statement();
            let columns = set(first);
            working.execute(&inserting(first, &columns), values(rows, &columns))
        }
    }
}

/// Writes rows by primary key, whether they are there or not: every column that is set, but for `kept`.
pub(super) async fn put<A>(db: &mut LedgerTransaction, rows: Vec<A>, kept: &[Column<A>]) -> Result<(), Trouble>
where
    A: ActiveModelTrait + IntoActiveModel<A>,
{
    let Some(first) = rows.first() else { return Ok(()) };
    let key = key::<A>();
    let left_out: Vec<&str> = key.iter().chain(kept).map(IdenStatic::as_str).collect();
    let columns = set(first);
    let written = columns.iter().copied().filter(|column| !left_out.contains(&column.as_str()));
    match db {
        LedgerTransaction::Pooled(session) => {
            let conflict = OnConflict::columns(key).update_columns(written).to_owned();
            for rows in chunks(rows, rows_a_statement(columns.len())) {
                A::Entity::insert_many(rows).on_conflict(conflict.clone()).exec_without_returning(session).await?;
            }
            Ok(())
        }
        LedgerTransaction::Inline { working, meter, .. } => {
            meter.statement();
            let written = listed(written.map(|column| format!("{0} = excluded.{0}", quoted(column))));
            let (insert, key) = (inserting(first, &columns), names(&key));
            let sql = format!("{insert} ON CONFLICT ({key}) DO UPDATE SET {written}");
            working.execute(&sql, values(rows, &columns))
        }
    }
}

/// Adds to rows by primary key, and makes those that are not there: nothing is read before. What would pass 64 bits stays at
/// the most. Hand the rows in in one order: who adds to several waits for nobody in a circle.
pub(super) async fn add<A>(db: &mut LedgerTransaction, rows: Vec<A>, added: &[Column<A>]) -> Result<(), Trouble>
where
    A: ActiveModelTrait + IntoActiveModel<A>,
{
    let Some(first) = rows.first() else { return Ok(()) };
    match db {
        LedgerTransaction::Pooled(session) => Ok(add_to(session, rows, added).await?),
        LedgerTransaction::Inline { working, meter, .. } => {
            meter.statement();
            let table = A::Entity::default();
            let sum =
                |column: &Column<A>| format!("{} = {}", quoted(*column), sum(table.table_name(), column.as_str()));
            let (columns, moved) = (set(first), listed(added.iter().map(sum)));
            let (insert, key) = (inserting(first, &columns), names(&key::<A>()));
            let sql = format!("{insert} ON CONFLICT ({key}) DO UPDATE SET {moved}");
            working.execute(&sql, values(rows, &columns))
        }
    }
}

/// The same through a pooled connection of either database.
pub(crate) async fn add_to<A, C>(db: &C, rows: Vec<A>, added: &[Column<A>]) -> Result<(), DbErr>
where
    A: ActiveModelTrait + IntoActiveModel<A>,
    C: ConnectionTrait,
{
    let table = A::Entity::default();
    let moved = added.iter().map(|column| (*column, Expr::cust(sum(table.table_name(), column.as_str()))));
    let conflict = OnConflict::columns(key::<A>()).values(moved).to_owned();
    for rows in chunks(rows, rows_a_statement(Column::<A>::iter().count())) {
        A::Entity::insert_many(rows).on_conflict(conflict.clone()).exec_without_returning(db).await?;
    }
    Ok(())
}

/// What a row has and what is added, at most 64 bits.
fn sum(table: &str, column: &str) -> String {
    let (has, more, most) = (format!("\"{table}\".\"{column}\""), format!("excluded.\"{column}\""), i64::MAX);
    format!(
        "CASE WHEN {more} <= 0 THEN {has} + {more} WHEN {has} > {most} - {more} THEN {most} ELSE {has} + {more} END"
    )
}

fn key<A: ActiveModelTrait>() -> Vec<Column<A>> {
    <A::Entity as EntityTrait>::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column).collect()
}

/// Updates rows that are there: each of `rows` holds the values of `key`, then of `columns`; `stamped` get the
/// database's time.
pub(super) async fn update<E: EntityTrait>(
    db: &mut LedgerTransaction,
    key: E::Column,
    columns: &[E::Column],
    stamped: &[E::Column],
    rows: Vec<Vec<Value>>,
) -> Result<(), Trouble> {
    if rows.is_empty() {
        return Ok(());
    }
    match db {
        LedgerTransaction::Pooled(session) => {
            let value = |position: usize| Expr::col((Alias::new("v"), Alias::new(format!("column{position}"))));
            for rows in chunks(rows, rows_a_statement(columns.len() + 1)) {
                let list = rows.into_iter().map(ValueTuple::Many).collect();
                let mut statement = Query::update();
                statement.table(E::default()).from(TableRef::ValuesList(list, Alias::new("v").into()));
                for (index, column) in columns.iter().enumerate() {
                    statement.value(*column, value(index + 2));
                }
                for column in stamped {
                    statement.value(*column, now(session.get_database_backend()));
                }
                statement.and_where(Expr::col((E::default(), key)).eq(value(1)));
                session.execute(&statement).await?;
            }
            Ok(())
        }
        LedgerTransaction::Inline { working, meter, .. } => {
            meter.statement();
            let placed = columns.iter().zip(2..).map(|(column, place)| format!("{} = ?{place}", quoted(*column)));
            let stamped = stamped.iter().map(|column| format!("{} = {SQLITE_NOW}", quoted(*column)));
            let assigned = listed(placed.chain(stamped));
            let table = E::default();
            let sql = format!("UPDATE \"{}\" SET {assigned} WHERE {} = ?1", table.table_name(), quoted(key));
            working.execute(&sql, rows)
        }
    }
}

/// The columns that the row sets; rows of one call all set the same.
fn set<A: ActiveModelTrait>(row: &A) -> Vec<Column<A>> {
    Column::<A>::iter().filter(|column| !matches!(row.get(*column), ActiveValue::NotSet)).collect()
}

fn values<A: ActiveModelTrait>(rows: Vec<A>, columns: &[Column<A>]) -> impl Iterator<Item = Vec<Value>> {
    rows.into_iter().map(move |mut row| columns.iter().filter_map(|column| row.take(*column).into_value()).collect())
}

fn inserting<A: ActiveModelTrait>(_: &A, columns: &[Column<A>]) -> String {
    let places = listed(columns.iter().map(|_| "?"));
    format!("INSERT INTO \"{}\" ({}) VALUES ({places})", A::Entity::default().table_name(), names(columns))
}

pub(super) fn names<C: IdenStatic>(columns: &[C]) -> String {
    listed(columns.iter().map(|column| Quoted(column.as_str())))
}

pub(super) fn quoted(column: impl IdenStatic) -> impl Display {
    Quoted(column.as_str())
}

struct Quoted(&'static str);

impl Display for Quoted {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "\"{}\"", self.0)
    }
}

/// Parts of a statement behind each other, with commas between.
fn listed(parts: impl Iterator<Item = impl Display>) -> String {
    let mut list = String::new();
    for part in parts {
        let comma = if list.is_empty() { "" } else { ", " };
        // Writing into a text cannot fail.
        let _ = write!(list, "{comma}{part}");
    }
    list
}

fn chunks<T>(mut rows: Vec<T>, size: usize) -> Vec<Vec<T>> {
    let mut chunks = Vec::new();
    while rows.len() > size {
        let rest = rows.split_off(size);
        chunks.push(std::mem::replace(&mut rows, rest));
    }
    if !rows.is_empty() {
        chunks.push(rows);
    }
    chunks
}
