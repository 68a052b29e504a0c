//! Deliveries of events: claimed for a lease, done, tried again, or dead; and how far their consumers are behind.
//!
//! `due_at` is when a pending one is due and when a leased one's lease ends; both are then claimed the same way. Only
//! the first unfinished delivery of a subject is handed out, so a subject's events arrive in order.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use entity::delivery::{Column, Entity};
use entity::event;
use kernel::context::Scope;
use kernel::ledger::{Durability, Fence};
use kernel::port::{Delivery, FoundDelivery, Lag, Outbox, StoreError};
use sea_orm::sea_query::{Alias, Expr, ExprTrait, IntoColumnRef, LockBehavior, LockType, Query, SimpleExpr};
use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect};
use types::id::Uuid;
use types::outbox::{DeadLetter, DeadLetterQuery, DeliveryId, EventQuery, OutboxEvent};
use types::page::Page;

use super::process::clock;
use crate::error::reading;
use crate::row::{self, count, number};
use crate::store::Store;

/// Most rows of one deletion.
const PRUNED: u64 = 1_000;
/// Deliveries whose times tell how fast a consumer is lately.
const LATELY: TimeDelta = TimeDelta::hours(1);
/// Most of them that are looked at.
const TIMED: u64 = 10_000;
const PENDING: &str = "pending";
pub(super) const LEASED: &str = "leased";
const DONE: &str = "done";
pub(super) const DEAD: &str = "dead";

#[async_trait]
impl Outbox for Store {
    async fn claim(&self, consumer: &str, by: Fence, limit: u32, lease: Duration) -> Result<Vec<Delivery>, StoreError> {
        self.claim_deliveries(consumer, by, limit, lease).await.map_err(reading)
    }

    async fn done(&self, consumer: &str, deliveries: &[Delivery]) -> Result<(), StoreError> {
        let finished = |_| (DONE, None, None);
        self.finish_deliveries(consumer, deliveries, finished).await.map_err(reading)
    }

    async fn failed(
        &self,
        consumer: &str,
        delivery: &Delivery,
        error: &str,
        retry_in: Option<Duration>,
    ) -> Result<(), StoreError> {
        let error = error.chars().take(2_000).collect::<String>();
        let outcome = |now: DateTime<Utc>| match retry_in {
            Some(wait) => (PENDING, Some(later(now, wait)), Some(error.clone())),
            None => (DEAD, None, Some(error.clone())),
        };
        self.finish_deliveries(consumer, std::slice::from_ref(delivery), outcome).await.map_err(reading)
    }

    async fn lag(&self) -> Result<Vec<Lag>, StoreError> {
        self.delivery_lag(Condition::all()).await.map_err(reading)
    }

    async fn lag_in(&self, scope: Scope) -> Result<Vec<Lag>, StoreError> {
        self.workspace_lag(scope).await.map_err(reading)
    }

    async fn list_events(&self, scope: Scope, query: &EventQuery) -> Result<Page<OutboxEvent>, StoreError> {
        self.event_page(scope, query).await
    }

    async fn list_dead(&self, scope: Scope, query: &DeadLetterQuery) -> Result<Page<DeadLetter>, StoreError> {
        self.dead_page(scope, query).await
    }

    async fn find_deliveries(&self, scope: Scope, ids: &[DeliveryId]) -> Result<Vec<FoundDelivery>, StoreError> {
        self.deliveries(scope, ids).await.map_err(reading)
    }

    async fn prune(&self, older_than: Duration) -> Result<u64, StoreError> {
        self.prune_deliveries(older_than).await.map_err(reading)
    }
}

fn later(now: DateTime<Utc>, wait: Duration) -> DateTime<Utc> {
    now + TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX)
}

/// No earlier unfinished delivery of the same subject.
fn is_first() -> SimpleExpr {
    earlier(|column| Expr::col(column(Column::FinishedAt)).is_null()).not()
}

/// An earlier delivery of the same subject was given up.
fn is_after_dead() -> SimpleExpr {
    earlier(|column| is_dead(column(Column::Status)))
}

/// As the index of dead deliveries says it: with the word in the statement, or no database takes that index.
pub(super) fn is_dead(status: impl IntoColumnRef) -> SimpleExpr {
    Expr::col(status).eq(SimpleExpr::Constant(DEAD.into()))
}

/// Whether there is an earlier delivery of the same subject to the same consumer that is so.
fn earlier(is_so: impl FnOnce(&dyn Fn(Column) -> (Alias, Column)) -> SimpleExpr) -> SimpleExpr {
    let earlier = Alias::new("earlier");
    let so = is_so(&|column| (Alias::new("earlier"), column));
    let same = |column: Column| Expr::col((earlier.clone(), column)).equals((Entity, column));
    let query = Query::select()
        .expr(Expr::val(1))
        .from_as(Entity, earlier.clone())
        .cond_where(
            Condition::all()
                .add(same(Column::Consumer))
                .add(same(Column::TenantId))
                .add(same(Column::Subject))
                .add(so)
                .add(Expr::col((earlier.clone(), Column::SubjectSeq)).lt(Expr::col((Entity, Column::SubjectSeq)))),
        )
        .to_owned();
    Expr::exists(query)
}

impl Store {
    async fn claim_deliveries(
        &self,
        consumer: &str,
        by: Fence,
        limit: u32,
        lease: Duration,
    ) -> Result<Vec<Delivery>, DbErr> {
        let transaction = self.database().begin(Durability::Process).await?;
        let db = transaction.session();
        let now = clock(db).await?;
        let due = Entity::find()
            .filter(Column::Consumer.eq(consumer))
            .filter(Column::FinishedAt.is_null())
            .filter(Column::DueAt.lte(now))
            .filter(is_first())
            .order_by_asc(Column::DueAt)
            .order_by_asc(Column::EventId)
            .limit(u64::from(limit))
            .lock_with_behavior(LockType::NoKeyUpdate, LockBehavior::SkipLocked)
            .all(db)
            .await?;
        if due.is_empty() {
            transaction.rollback().await?;
            return Ok(Vec::new());
        }
        let ids: Vec<Uuid> = due.iter().map(|row| row.event_id).collect();
        Entity::update_many()
            .col_expr(Column::Status, Expr::val(LEASED))
            .col_expr(Column::Attempts, Expr::col(Column::Attempts).add(1))
            .col_expr(Column::Epoch, Expr::col(Column::Epoch).add(1))
            .col_expr(Column::DueAt, Expr::val(later(now, lease)))
            .col_expr(Column::LeasedBy, Expr::val(by.process_id.as_uuid()))
            .col_expr(Column::AfterDead, Expr::col(Column::AfterDead).or(is_after_dead()))
            .filter(Column::Consumer.eq(consumer))
            .filter(Column::EventId.is_in(ids.iter().copied()))
            .exec(db)
            .await?;
        let claimed = Entity::find()
            .find_also_related(event::Entity)
            .filter(Column::Consumer.eq(consumer))
            .filter(Column::EventId.is_in(ids))
            .order_by_asc(Column::SubjectSeq)
            .order_by_asc(Column::EventId)
            .all(db)
            .await?;
        transaction.commit().await?;
        let whole = claimed.into_iter().filter_map(|(delivery, event)| Some((delivery, event?)));
        Ok(whole.map(|(delivery, event)| row::event::delivery(&delivery, event)).collect::<Result<_, _>>()?)
    }

    /// Ends claims that are still valid: to a status, with the time it is due again (none: finished) and an error.
    async fn finish_deliveries(
        &self,
        consumer: &str,
        deliveries: &[Delivery],
        outcome: impl Fn(DateTime<Utc>) -> (&'static str, Option<DateTime<Utc>>, Option<String>) + Send,
    ) -> Result<(), DbErr> {
        if deliveries.is_empty() {
            return Ok(());
        }
        let transaction = self.database().begin(Durability::Process).await?;
        let db = transaction.session();
        let now = clock(db).await?;
        let (status, due_at, error) = outcome(now);
        let mut claims: BTreeMap<u64, Vec<Uuid>> = BTreeMap::new();
        for delivery in deliveries {
            claims.entry(delivery.epoch).or_default().push(delivery.event_id.as_uuid());
        }
        for (epoch, event_ids) in claims {
            Entity::update_many()
                .col_expr(Column::Status, Expr::val(status))
                .col_expr(Column::DueAt, Expr::val(due_at.unwrap_or(now)))
                .col_expr(Column::FinishedAt, Expr::val(due_at.is_none().then_some(now)))
                .col_expr(Column::LastError, Expr::val(error.clone()))
                .filter(Column::Consumer.eq(consumer))
                .filter(Column::Status.eq(LEASED))
                .filter(Column::Epoch.eq(number(epoch)))
                .filter(Column::EventId.is_in(event_ids))
                .exec(db)
                .await?;
        }
        transaction.commit().await
    }

    async fn delivery_lag(&self, of: Condition) -> Result<Vec<Lag>, DbErr> {
        let db = &self.database().reader();
        let now = clock(db).await?;
        let rows: Vec<Waiting> = Entity::find()
            .select_only()
            .columns([Column::Consumer, Column::Status])
            .expr_as(Expr::cust("COUNT(*)"), "deliveries")
            .expr_as(Column::CreatedAt.min(), "oldest")
            .filter(of)
            .filter(Column::Status.is_in([PENDING, LEASED, DEAD]))
            .group_by(Column::Consumer)
            .group_by(Column::Status)
            .order_by_asc(Column::Consumer)
            .into_model()
            .all(db)
            .await?;
        let mut lags: Vec<Lag> = Vec::new();
        for row in rows {
            if lags.last().is_none_or(|lag| lag.consumer != row.consumer) {
                lags.push(Lag { consumer: row.consumer.clone(), ..Lag::default() });
            }
            let Some(lag) = lags.last_mut() else { continue };
            match row.status.as_str() {
                PENDING => {
                    lag.pending = count(row.deliveries);
                    lag.oldest = row.oldest.map(|oldest| (now - oldest).to_std().unwrap_or_default());
                }
                LEASED => lag.leased = count(row.deliveries),
                _ => lag.dead = count(row.deliveries),
            }
        }
        Ok(lags)
    }

    async fn workspace_lag(&self, scope: Scope) -> Result<Vec<Lag>, DbErr> {
        let mut lags = self.delivery_lag(within(scope)).await?;
        let db = &self.database().reader();
        let since = clock(db).await? - LATELY;
        let delivered: Vec<(String, DateTime<Utc>, DateTime<Utc>)> = Entity::find()
            .select_only()
            .columns([Column::Consumer, Column::CreatedAt, Column::FinishedAt])
            .filter(within(scope))
            .filter(Column::Status.eq(DONE))
            .filter(Column::FinishedAt.gte(since))
            .order_by_desc(Column::FinishedAt)
            .limit(TIMED)
            .into_tuple()
            .all(db)
            .await?;
        let mut times: BTreeMap<String, Vec<TimeDelta>> = BTreeMap::new();
        for (consumer, created_at, finished_at) in delivered {
            times.entry(consumer).or_default().push(finished_at - created_at);
        }
        for (consumer, times) in times {
            let p95 = Some(percentile_95(times));
            match lags.iter_mut().find(|lag| lag.consumer == consumer) {
                Some(lag) => lag.p95 = p95,
                None => lags.push(Lag { consumer, p95, ..Lag::default() }),
            }
        }
        Ok(lags)
    }

    async fn prune_deliveries(&self, older_than: Duration) -> Result<u64, DbErr> {
        let transaction = self.database().begin(Durability::Process).await?;
        let db = transaction.session();
        let before = clock(db).await? - TimeDelta::from_std(older_than).unwrap_or(TimeDelta::MAX);
        let old: Vec<(String, Uuid)> = Entity::find()
            .select_only()
            .columns([Column::Consumer, Column::EventId])
            .filter(Column::Status.eq(DONE))
            .filter(Column::FinishedAt.lte(before))
            .order_by_asc(Column::FinishedAt)
            .limit(PRUNED)
            .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
            .into_tuple()
            .all(db)
            .await?;
        let pruned = old.len() as u64;
        let mut consumers: BTreeMap<String, Vec<Uuid>> = BTreeMap::new();
        for (consumer, event_id) in old {
            consumers.entry(consumer).or_default().push(event_id);
        }
        for (consumer, event_ids) in consumers {
            let old = Entity::delete_many().filter(Column::Consumer.eq(consumer));
            old.filter(Column::EventId.is_in(event_ids)).exec(db).await?;
        }
        transaction.commit().await?;
        Ok(pruned)
    }
}

/// Of a workspace.
pub(super) fn within(scope: Scope) -> Condition {
    Condition::all()
        .add(Expr::col((Entity, Column::TenantId)).eq(scope.tenant_id.as_uuid()))
        .add(Expr::col((Entity, Column::WorkspaceId)).eq(scope.workspace_id.as_uuid()))
}

/// The time within which 95 of 100 are; zero of none.
fn percentile_95(mut times: Vec<TimeDelta>) -> Duration {
    times.sort_unstable();
    let place = (times.len() * 95).div_ceil(100).saturating_sub(1);
    times.get(place).and_then(|time| time.to_std().ok()).unwrap_or_default()
}

/// Unfinished and dead deliveries of a consumer.
#[derive(FromQueryResult)]
struct Waiting {
    consumer: String,
    status: String,
    deliveries: i64,
    oldest: Option<DateTime<Utc>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ninety_five_of_a_hundred_are_within_the_percentile() {
        let times = |count| (1..=count).rev().map(TimeDelta::milliseconds).collect::<Vec<_>>();
        for (count, expected) in [(0, 0), (1, 1), (19, 19), (20, 19), (100, 95), (200, 190)] {
            assert_eq!(percentile_95(times(count)), Duration::from_millis(expected), "{count}");
        }
    }
}
