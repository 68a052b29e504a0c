//! Statements that write many rows at once.

use sea_orm::sea_query::{Alias, Expr, ExprTrait, OnConflict, Query, SimpleExpr, TableRef, ValueTuple};
use sea_orm::{
    ActiveModelTrait, ActiveValue, ConnectionTrait, DbErr, EntityTrait, IdenStatic, IntoActiveModel, Iterable,
    PrimaryKeyToColumn, Value,
};

/// Values of one statement: SQLite takes 32,766, PostgreSQL 65,535.
const VALUES: usize = 30_000;

fn rows_a_statement(columns: usize) -> usize {
    (VALUES / columns.max(1)).max(1)
}

/// Inserts new rows.
pub(super) async fn insert<A, C>(db: &C, rows: Vec<A>) -> Result<(), DbErr>
where
    A: ActiveModelTrait + IntoActiveModel<A>,
    C: ConnectionTrait,
{
    for rows in chunks(rows, rows_a_statement(<A::Entity as EntityTrait>::Column::iter().count())) {
        A::Entity::insert_many(rows).exec_without_returning(db).await?;
    }
    Ok(())
}

/// Writes rows by primary key, whether they are there or not: every column that is set, but for `kept`.
pub(super) async fn put<A, C>(db: &C, rows: Vec<A>, kept: &[<A::Entity as EntityTrait>::Column]) -> Result<(), DbErr>
where
    A: ActiveModelTrait + IntoActiveModel<A>,
    C: ConnectionTrait,
{
    let Some(first) = rows.first() else { return Ok(()) };
    let key: Vec<_> = <A::Entity as EntityTrait>::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column).collect();
    let left_out: Vec<&str> = key.iter().chain(kept).map(IdenStatic::as_str).collect();
    let written = <A::Entity as EntityTrait>::Column::iter()
        .filter(|column| !matches!(first.get(*column), ActiveValue::NotSet))
        .filter(|column| !left_out.contains(&column.as_str()));
    let conflict = OnConflict::columns(key.iter().copied()).update_columns(written).to_owned();
    for rows in chunks(rows, rows_a_statement(<A::Entity as EntityTrait>::Column::iter().count())) {
        A::Entity::insert_many(rows).on_conflict(conflict.clone()).exec_without_returning(db).await?;
    }
    Ok(())
}

/// Updates rows that are there: each of `rows` holds the values of `key`, then of `columns`.
pub(super) async fn update<E, C>(
    db: &C,
    key: E::Column,
    columns: &[E::Column],
    also: &[(E::Column, SimpleExpr)],
    rows: Vec<Vec<Value>>,
) -> Result<(), DbErr>
where
    E: EntityTrait,
    C: ConnectionTrait,
{
    let value = |position: usize| Expr::col((Alias::new("v"), Alias::new(format!("column{position}"))));
    for rows in chunks(rows, rows_a_statement(columns.len() + 1)) {
        let list = rows.into_iter().map(ValueTuple::Many).collect();
        let mut statement = Query::update();
        statement.table(E::default()).from(TableRef::ValuesList(list, Alias::new("v").into()));
        for (index, column) in columns.iter().enumerate() {
            statement.value(*column, value(index + 2));
        }
        for (column, expression) in also {
            statement.value(*column, expression.clone());
        }
        statement.and_where(Expr::col((E::default(), key)).eq(value(1)));
        db.execute(&statement).await?;
    }
    Ok(())
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
