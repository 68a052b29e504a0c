//! Finding runs by a text, and giving a text to those of an earlier soit.

use entity::run_text::{Column, Entity};
use entity::{run, run_text_backlog};
use kernel::context::Scope;
use kernel::ledger::{Durability, folded};
use kernel::port::StoreError;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query, SimpleExpr, UnionType};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};

use crate::dialect::{candidates, holding, indexed};
use crate::error::reading;
use crate::row;
use crate::store::Store;

/// So many runs are looked up one by one. Of a text that more may hold, a page is found sooner by reading the list itself.
const FEW: u64 = 2_000;
/// The one row of the backlog.
const ID: i64 = 1;

/// Runs that hold a text.
pub(super) struct Found {
    /// Which of the runs.
    pub(super) runs: SimpleExpr,
    /// Whether they are few: then they are looked up, whatever else is asked of them.
    pub(super) are_few: bool,
}

/// The runs of a scope that hold a text, in any case: the index finds those that are over, the others are read.
pub(super) async fn find<C: ConnectionTrait>(db: &C, scope: Scope, text: &str) -> Result<Found, DbErr> {
    let (backend, text) = (db.get_database_backend(), folded(text));
    let row = db.query_one(&candidates(backend, within(scope), &text, FEW + 1)).await?;
    let count: i64 = row.map(|row| row.try_get_by_index(0)).transpose()?.unwrap_or_default();
    let are_few = row::count(count) <= FEW;
    let held = |scoped: Condition| Query::select().cond_where(scoped).cond_where(holding(backend, &text)).take();
    let runs = if are_few {
        let of = |which: SimpleExpr| {
            held(within(scope)).column((Entity, Column::RunId)).from(Entity).and_where(which).take()
        };
        let open = of(Expr::cust("NOT is_over"));
        let ids = of(indexed(backend, &text)).union(UnionType::All, open).take();
        Expr::col((run::Entity, run::Column::Id)).in_subquery(ids)
    } else {
        let of_run = Expr::col((Entity, Column::RunId)).equals((run::Entity, run::Column::Id));
        Expr::exists(held(Condition::all()).expr(Expr::val(1)).from(Entity).and_where(of_run).take())
    };
    Ok(Found { runs, are_few })
}

fn within(scope: Scope) -> Condition {
    Condition::all()
        .add(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .add(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
}

impl Store {
    /// Whether the database has an index of texts. PostgreSQL has none where the extension is missing.
    pub async fn has_text_index(&self) -> Result<bool, StoreError> {
        if self.database().backend() == DbBackend::Sqlite {
            return Ok(true);
        }
        let asking = Query::select().expr(Expr::cust("to_regclass('run_texts_search_idx') IS NOT NULL")).to_owned();
        let read = async {
            let row = self.database().reader().query_one(&asking).await?;
            row.map(|row| row.try_get_by_index(0)).transpose()
        };
        Ok(read.await.map_err(reading)?.unwrap_or_default())
    }

    /// Gives some runs of an earlier soit their texts, the newest first; whether there are more. Several may do it at once.
    pub async fn index_older_runs(&self, limit: u32) -> Result<bool, StoreError> {
        self.index_older(limit).await.map_err(reading)
    }

    async fn index_older(&self, limit: u32) -> Result<bool, DbErr> {
        let Some(place) = run_text_backlog::Entity::find_by_id(ID).one(&self.database().reader()).await? else {
            return Ok(false);
        };
        let transaction = self.database().begin(Durability::Process).await?;
        let db = transaction.session();
        let runs = run::Entity::find()
            .filter(run::Column::Id.lt(place.below))
            .order_by_desc(run::Column::Id)
            .limit(u64::from(limit))
            .all(db)
            .await?;
        let reached = runs.last().map(|run| run.id);
        let mut texts = Vec::with_capacity(runs.len());
        for run in runs {
            let scope = row::scope(run.tenant_id, run.workspace_id);
            texts.push(row::run_text::kept(scope, &row::run::record(run)?));
        }
        match reached {
            Some(below) => {
                // What has a text has a newer one.
                let absent = OnConflict::column(Column::RunId).do_nothing().to_owned();
                match Entity::insert_many(texts).on_conflict(absent).exec_without_returning(db).await {
                    Ok(_) | Err(DbErr::RecordNotInserted) => {}
                    Err(error) => return Err(error),
                }
                run_text_backlog::Entity::update_many()
                    .col_expr(run_text_backlog::Column::Below, Expr::val(below))
                    .filter(run_text_backlog::Column::Id.eq(ID))
                    .filter(run_text_backlog::Column::Below.gt(below))
                    .exec(db)
                    .await?;
            }
            None => {
                run_text_backlog::Entity::delete_by_id(ID).exec(db).await?;
            }
        }
        transaction.commit().await?;
        Ok(reached.is_some())
    }
}
