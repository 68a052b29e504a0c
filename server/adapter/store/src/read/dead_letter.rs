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
use types::outbox::{DeadLetter, DeadLetterFilter, DeadLetterQuery, DeliveryId};
use types::page::Page;

use super::outbox::{DEAD, is_dead, within};
use crate::cursor::{micros, moment};
use crate::error::reading;
use crate::row::{self, count};
use crate::store::Store;

/// Most dead letters of a page: as many as one command has tried again.
const MOST: u32 = 1_000;
/// What they are ordered by.
const PLACE: [Column; 3] = [Column::FinishedAt, Column::EventId, Column::Consumer];

/// When it was given up, the event, the consumer.
type Place = (DateTime<Utc>, Uuid, String);

impl Store {
    pub(super) async fn dead_page(
        &self,
        scope: Scope,
        query: &DeadLetterQuery,
    ) -> Result<Page<DeadLetter>, StoreError> {
        let list = ("dead letters", &query.filter);
        let cursor = query.cursor.as_deref();
        let before: Option<(i64, Uuid, String)> =
            cursor.map(|cursor| self.cursor_key().verify(scope, &list, cursor)).transpose()?;
        let before = before.map(|(at, id, consumer)| moment(at).map(|at| (at, id, consumer))).transpose()?;
        let limit = query.limit.clamp(1, MOST);
        let mut items = self.dead(scope, &query.filter, before, u64::from(limit) + 1).await.map_err(reading)?;
        let more = items.len() > limit as usize;
        items.truncate(limit as usize);
        let last = items.last().filter(|_| more).and_then(|last| {
            let id: DeliveryId = last.id.parse().ok()?;
            Some((micros(last.died_at), id.event_id.as_uuid(), id.consumer))
        });
        let next_cursor = last.map(|last| self.cursor_key().sign(scope, &list, &last)).transpose()?;
        Ok(Page { items, next_cursor })
    }

    async fn dead(
        &self,
        scope: Scope,
        filter: &DeadLetterFilter,
        before: Option<Place>,
        limit: u64,
    ) -> Result<Vec<DeadLetter>, DbErr> {
        let place = Expr::tuple(PLACE.map(|column| Expr::col((Entity, column))));
        let before = before.map(|(at, id, consumer)| {
            let values = [Expr::val(at), Expr::val(id), Expr::val(consumer)];
            place.lt(Expr::tuple(values))
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
        Ok(whole.map(|(delivery, event)| row::event::dead_letter(delivery, event)).collect())
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
