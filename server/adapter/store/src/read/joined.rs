//! Reading several tables by one statement: each column is named after its table, so that rows are told apart.

use sea_orm::sea_query::{Alias, Condition, Expr, ExprTrait, JoinType, SelectStatement};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, FromQueryResult, IdenStatic, Iterable, QueryResult};

/// Joins a table that must be there.
pub(super) fn join<E: EntityTrait>(
    select: &mut SelectStatement,
    entity: E,
    left: impl ColumnTrait,
    right: impl ColumnTrait,
) {
    select.join(JoinType::InnerJoin, entity, on(left, right));
}

/// Where two columns are equal.
pub(super) fn on(left: impl ColumnTrait, right: impl ColumnTrait) -> Condition {
    Condition::all().add(Expr::col(left.as_column_ref()).equals(right.as_column_ref()))
}

/// Every column of a table, named after it: `users_id`.
pub(super) fn columns<E: EntityTrait>(select: &mut SelectStatement) {
    for column in E::Column::iter() {
        select.expr_as(Expr::col(column.as_column_ref()), Alias::new(format!("{}{}", prefix::<E>(), column.as_str())));
    }
}

fn prefix<E: EntityTrait>() -> String {
    format!("{}.", E::default().table_name())
}

/// A row of the table.
pub(super) fn read<E: EntityTrait>(row: &QueryResult) -> Result<E::Model, DbErr> {
    E::Model::from_query_result(row, &prefix::<E>())
}

/// A row of a joined table, if it is there.
pub(super) fn maybe<E: EntityTrait>(row: &QueryResult) -> Result<Option<E::Model>, DbErr> {
    Option::<E::Model>::from_query_result(row, &prefix::<E>())
}

/// A row of each of two joined tables.
pub(super) type Pair<A, B> = (<A as EntityTrait>::Model, <B as EntityTrait>::Model);

/// Two joined rows, if they are there.
pub(super) fn both<A: EntityTrait, B: EntityTrait>(row: &QueryResult) -> Result<Option<Pair<A, B>>, DbErr> {
    Ok(maybe::<A>(row)?.zip(maybe::<B>(row)?))
}
