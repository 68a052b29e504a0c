//! Adds to counters what they lack.

use std::collections::BTreeMap;

use entity::{counter, run_count, sequence};
use kernel::ledger::{Durability, Measure, RunCountKey, UsageKey};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};
use types::id::Uuid;

use super::RECOUNTED;
use super::books::Books;
use crate::ledger::add_to;
use crate::row;
use crate::store::Store;

/// What counters lack.
#[derive(Default)]
pub(super) struct Lacks {
    usage: BTreeMap<UsageKey, BTreeMap<Measure, i64>>,
    runs: BTreeMap<RunCountKey, i64>,
    /// Value and held.
    balances: BTreeMap<(Uuid, String), (i64, i64)>,
}

impl Books {
    /// What the counters lack, those of usage alone or all.
    pub(super) fn lacks(&self, usage_alone: bool) -> Lacks {
        let mut lacks = Lacks::default();
        for (key, measures) in &self.usage {
            let lacking: BTreeMap<Measure, i64> =
                measures.iter().map(|(measure, both)| (*measure, both.lack())).filter(|(_, n)| *n != 0).collect();
            if !lacking.is_empty() {
                lacks.usage.insert(key.clone(), lacking);
            }
        }
        lacks.runs = self.runs.iter().map(|(key, both)| (*key, both.lack())).filter(|(_, n)| *n != 0).collect();
        if !usage_alone {
            for (key, balance) in &self.balances {
                let value = if balance.is_told { balance.value.lack() } else { 0 };
                if value != 0 || balance.held.lack() != 0 {
                    lacks.balances.insert(key.clone(), (value, balance.held.lack()));
                }
            }
        }
        lacks
    }
}

impl Store {
    /// Adds it in one transaction, unless somebody else did so since that moment.
    pub(super) async fn add_lacking(&self, times: i64, lacks: Lacks) -> Result<bool, DbErr> {
        let transaction = self.database().begin(Durability::Power).await?;
        let db = transaction.session();
        let next = sequence::ActiveModel {
            tenant_id: Set(Uuid::nil()),
            key: Set(RECOUNTED.to_owned()),
            value: Set(times + 1),
        };
        let unless = OnConflict::columns([sequence::Column::TenantId, sequence::Column::Key])
            .update_column(sequence::Column::Value)
            .action_and_where(Expr::col((sequence::Entity, sequence::Column::Value)).eq(times))
            .to_owned();
        match sequence::Entity::insert(next).on_conflict(unless).exec_without_returning(db).await {
            Ok(1) => {}
            Ok(_) | Err(DbErr::RecordNotInserted) => {
                transaction.rollback().await?;
                return Ok(false);
            }
            Err(error) => return Err(error),
        }
        // In the order in which batches lock them.
        for ((tenant_id, key), (value, held)) in lacks.balances {
            let empty =
                counter::ActiveModel { tenant_id: Set(tenant_id), key: Set(key.clone()), value: Set(0), held: Set(0) };
            let absent = OnConflict::columns([counter::Column::TenantId, counter::Column::Key]).do_nothing().to_owned();
            match counter::Entity::insert(empty).on_conflict(absent).exec_without_returning(db).await {
                Ok(_) | Err(DbErr::RecordNotInserted) => {}
                Err(error) => return Err(error),
            }
            counter::Entity::update_many()
                .col_expr(counter::Column::Value, Expr::col(counter::Column::Value).add(value))
                .col_expr(counter::Column::Held, Expr::col(counter::Column::Held).add(held))
                .filter(counter::Column::TenantId.eq(tenant_id))
                .filter(counter::Column::Key.eq(key))
                .exec(db)
                .await?;
        }
        let measures: Vec<_> = Measure::all().map(row::usage::column).collect();
        let usage = lacks.usage.iter().map(|(key, measures)| row::usage::active(key, measures)).collect();
        add_to(db, usage, &measures).await?;
        let runs = lacks.runs.iter().map(|(key, n)| row::usage::active_count(key, *n)).collect();
        add_to(db, runs, &[run_count::Column::N]).await?;
        transaction.commit().await?;
        Ok(true)
    }
}
