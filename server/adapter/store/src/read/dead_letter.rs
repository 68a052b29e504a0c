//! Deliveries that were given up.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use entity::delivery::{Column, Entity};
use entity::event;
use kernel::context::Scope;
use kernel::port::{FoundDelivery, StoreError};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect};
use types::id::Uuid;
use types::outbox::{DeadLetter, DeadLetterFilter, DeadLetterKind, DeadLetterQuery, DeliveryId};
use types::page::Page;
use types::task::TaskStatus;

use super::outbox::{DEAD, is_dead, within};
use super::tasks;
use crate::cursor::{micros, moment};
use crate::error::reading;
use crate::row::{self, count};
use crate::store::Store;

/// Most dead letters of a page: as many as one command has tried again.
const MOST: u32 = 1_000;
/// What they are ordered by.
const PLACE: [Column; 3] = [Column::FinishedAt, Column::EventId, Column::Consumer];

/// Kinds in the order of those of one moment, the last first.
const OUTBOX: u8 = 0;
const TASK: u8 = 1;

/// Where a dead letter stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// When it was given up.
    at: DateTime<Utc>,
    kind: u8,
    /// The event, or the task.
    id: Uuid,
    /// The consumer; of a task nobody.
    who: String,
}

impl Store {
    pub(super) async fn dead_page(
        &self,
        scope: Scope,
        query: &DeadLetterQuery,
    ) -> Result<Page<DeadLetter>, StoreError> {
        let list = ("dead letters", &query.filter);
        let cursor = query.cursor.as_deref();
        let before: Option<(i64, u8, Uuid, String)> =
            cursor.map(|cursor| self.cursor_key().verify(scope, &list, cursor)).transpose()?;
        let before = before.map(|(at, kind, id, who)| moment(at).map(|at| Place { at, kind, id, who })).transpose()?;
        let limit = query.limit.clamp(1, MOST);
        let mut items =
            self.dead(scope, &query.filter, before.as_ref(), u64::from(limit) + 1).await.map_err(reading)?;
        let more = items.len() > limit as usize;
        items.truncate(limit as usize);
        let last = items.last().filter(|_| more).map(|(place, _)| place);
        let last = last.map(|Place { at, kind, id, who }| (micros(*at), kind, id, who));
        let next_cursor = last.map(|last| self.cursor_key().sign(scope, &list, &last)).transpose()?;
        Ok(Page { items: items.into_iter().map(|(_, letter)| letter).collect(), next_cursor })
    }

    /// Those of every kind that is asked for, last given up first.
    async fn dead(
        &self,
        scope: Scope,
        filter: &DeadLetterFilter,
        before: Option<&Place>,
        limit: u64,
    ) -> Result<Vec<(Place, DeadLetter)>, DbErr> {
        let wants = |kind| filter.kind.is_none_or(|wanted| wanted == kind);
        let mut letters = Vec::new();
        if wants(DeadLetterKind::Outbox) {
            letters.extend(self.dead_deliveries(scope, filter, before, limit).await?);
        }
        let of_tasks = filter.event_type.as_deref().is_none_or(|name| name == kernel::task::FAILED);
        if wants(DeadLetterKind::Task) && of_tasks {
            letters.extend(self.dead_tasks(scope, filter, before, limit).await?);
        }
        letters.sort_by(|(one, _), (other, _)| other.cmp(one));
        letters.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(letters)
    }

    async fn dead_deliveries(
        &self,
        scope: Scope,
        filter: &DeadLetterFilter,
        before: Option<&Place>,
        limit: u64,
    ) -> Result<Vec<(Place, DeadLetter)>, DbErr> {
        let at = || Expr::col((Entity, Column::FinishedAt));
        let place = Expr::tuple(PLACE.map(|column| Expr::col((Entity, column))));
        let before = before.map(|before| match before.kind {
            OUTBOX => {
                place.lt(Expr::tuple([Expr::val(before.at), Expr::val(before.id), Expr::val(before.who.as_str())]))
            }
            // A task of the same moment comes before every delivery.
            _ => at().lte(before.at),
        });
        let wanted = Condition::all()
            .add(is_dead((Entity, Column::Status)))
            .add_option(filter.consumer.as_ref().map(|consumer| Column::Consumer.eq(consumer.as_str())))
            .add_option(filter.event_type.as_ref().map(|name| event::Column::EventType.eq(name.as_str())))
            .add_option(before);
        let select = Entity::find().find_also_related(event::Entity).filter(within(scope)).filter(wanted);
        let rows = PLACE
            .into_iter()
            .fold(select, |select, column| select.order_by(Expr::col((Entity, column)), Order::Desc))
            .limit(limit)
            .all(&self.database().reader())
            .await?;
        let whole = rows.into_iter().filter_map(|(delivery, event)| Some((delivery, event?)));
        let placed = whole.map(|(delivery, event)| {
            let (id, who) = (delivery.event_id, delivery.consumer.clone());
            let letter = row::event::dead_letter(delivery, event);
            (Place { at: letter.died_at, kind: OUTBOX, id, who }, letter)
        });
        Ok(placed.collect())
    }

    async fn dead_tasks(
        &self,
        scope: Scope,
        filter: &DeadLetterFilter,
        before: Option<&Place>,
        limit: u64,
    ) -> Result<Vec<(Place, DeadLetter)>, DbErr> {
        use entity::task::{Column, Entity};
        let place = Expr::tuple([Expr::col(Column::FinishedAt), Expr::col(Column::Id)]);
        let before = before.map(|before| match before.kind {
            TASK => place.lt(Expr::tuple([Expr::val(before.at), Expr::val(before.id)])),
            _ => Expr::col(Column::FinishedAt).lt(before.at),
        });
        let rows = Entity::find()
            .filter(tasks::within(scope))
            .filter(tasks::is_any(&[TaskStatus::Failed]))
            .filter(Column::DiscardReason.is_null())
            .filter(
                Condition::all().add_option(filter.consumer.as_ref().map(|name| Column::TaskType.eq(name.as_str()))),
            )
            .filter(Condition::all().add_option(before))
            .order_by_desc(Column::FinishedAt)
            .order_by_desc(Column::Id)
            .limit(limit)
            .all(&self.database().reader())
            .await?;
        let placed = rows.into_iter().map(|task| {
            let id = task.id;
            let letter = row::task::dead_letter(task);
            (Place { at: letter.died_at, kind: TASK, id, who: String::new() }, letter)
        });
        Ok(placed.collect())
    }

    pub(super) async fn deliveries(&self, scope: Scope, ids: &[DeliveryId]) -> Result<Vec<FoundDelivery>, DbErr> {
        let mut consumers: BTreeMap<&str, Vec<Uuid>> = BTreeMap::new();
        for id in ids {
            consumers.entry(&id.consumer).or_default().push(id.event_id.as_uuid());
        }
        let mut found = Vec::with_capacity(ids.len());
        for (consumer, event_ids) in consumers {
            let rows = Entity::find()
                .filter(within(scope))
                .filter(Column::Consumer.eq(consumer))
                .filter(Column::EventId.is_in(event_ids))
                .all(&self.database().reader())
                .await?;
            found.extend(rows.into_iter().map(|row| FoundDelivery {
                id: row::event::delivery_id(&row),
                is_dead: row.status == DEAD,
                epoch: count(row.epoch),
            }));
        }
        Ok(found)
    }
}
