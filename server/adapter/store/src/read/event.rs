//! Outbox events, newest first.

use chrono::{DateTime, Utc};
use entity::event::{Column, Entity};
use kernel::context::Scope;
use kernel::port::StoreError;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use types::id::Uuid;
use types::outbox::{EventFilter, EventQuery, OutboxEvent};
use types::page::Page;

use super::filter::words;
use crate::cursor::{micros, moment};
use crate::error::reading;
use crate::row;
use crate::store::Store;

/// Most events of a page.
const MOST: u32 = 200;

impl Store {
    pub(super) async fn event_page(&self, scope: Scope, query: &EventQuery) -> Result<Page<OutboxEvent>, StoreError> {
        let list = ("events", &query.filter);
        let cursor = query.cursor.as_deref();
        let before: Option<(i64, Uuid)> =
            cursor.map(|cursor| self.cursor_key().verify(scope, &list, cursor)).transpose()?;
        let before = before.map(|(at, id)| moment(at).map(|at| (at, id))).transpose()?;
        let limit = query.limit.clamp(1, MOST);
        let mut items = self.events(scope, &query.filter, before, u64::from(limit) + 1).await.map_err(reading)?;
        let more = items.len() > limit as usize;
        items.truncate(limit as usize);
        let last = items.last().filter(|_| more).map(|last| (micros(last.occurred_at), last.id.as_uuid()));
        let next_cursor = last.map(|last| self.cursor_key().sign(scope, &list, &last)).transpose()?;
        Ok(Page { items, next_cursor })
    }

    async fn events(
        &self,
        scope: Scope,
        filter: &EventFilter,
        before: Option<(DateTime<Utc>, Uuid)>,
        limit: u64,
    ) -> Result<Vec<OutboxEvent>, DbErr> {
        let place = Expr::tuple([Expr::col(Column::OccurredAt), Expr::col(Column::Id)]);
        let before = before.map(|(at, id)| place.lt(Expr::tuple([Expr::val(at), Expr::val(id)])));
        let rows = Entity::find()
            .filter(matching(scope, filter))
            .filter(Condition::all().add_option(before))
            .order_by_desc(Column::OccurredAt)
            .order_by_desc(Column::Id)
            .limit(limit)
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::event::record).collect::<Result<_, _>>()?)
    }
}

/// Several values of one filter mean *or*, different filters mean *and*.
pub(super) fn matching(scope: Scope, filter: &EventFilter) -> Condition {
    let runs = &filter.run_id;
    Condition::all()
        .add(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .add(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .add(words(Column::EventType, &filter.event_type))
        .add(words(Column::Subject, &filter.subject))
        .add_option((!runs.is_empty()).then(|| Column::RunId.is_in(runs.iter().map(|id| id.as_uuid()))))
        .add_option(filter.since.map(|since| Column::OccurredAt.gte(since)))
        .add_option(filter.until.map(|until| Column::OccurredAt.lt(until)))
}
