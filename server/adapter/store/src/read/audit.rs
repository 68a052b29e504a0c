//! The audit, newest first.

use async_trait::async_trait;
use entity::audit::{Column, Entity};
use kernel::context::Scope;
use kernel::port::{Audits, StoreError};
use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use types::audit::{AuditEntry, AuditFilter, AuditQuery};
use types::id::UserId;
use types::page::Page;
use types::run::CallerKind;

use super::filter::words;
use crate::error::reading;
use crate::row::{self, number};
use crate::store::Store;

/// Most rows of a page.
const MOST: u32 = 200;

#[async_trait]
impl Audits for Store {
    async fn list_audit(
        &self,
        scope: Scope,
        by: Option<UserId>,
        query: &AuditQuery,
    ) -> Result<Page<AuditEntry>, StoreError> {
        let list = ("audit", by, &query.filter);
        let cursor = query.cursor.as_deref();
        let before = cursor.map(|cursor| self.cursor_key().verify(scope, &list, cursor)).transpose()?;
        let limit = query.limit.clamp(1, MOST);
        let mut items = self.audit(scope, by, &query.filter, before, u64::from(limit) + 1).await.map_err(reading)?;
        let more = items.len() > limit as usize;
        items.truncate(limit as usize);
        let last = items.last().filter(|_| more);
        let next_cursor = last.map(|last| self.cursor_key().sign(scope, &list, &last.seq)).transpose()?;
        Ok(Page { items, next_cursor })
    }

    async fn find_audit(&self, scope: Scope, by: Option<UserId>, seq: u64) -> Result<Option<AuditEntry>, StoreError> {
        let read = async {
            let row = Entity::find()
                .filter(within(scope, by))
                .filter(Column::Seq.eq(number(seq)))
                .one(&self.database().reader())
                .await?;
            Ok::<_, DbErr>(row.map(row::audit::record).transpose()?)
        };
        read.await.map_err(reading)
    }
}

impl Store {
    async fn audit(
        &self,
        scope: Scope,
        by: Option<UserId>,
        filter: &AuditFilter,
        before: Option<u64>,
        limit: u64,
    ) -> Result<Vec<AuditEntry>, DbErr> {
        let rows = Entity::find()
            .filter(within(scope, by))
            .filter(matching(filter))
            .filter(Condition::all().add_option(before.map(|seq| Column::Seq.lt(number(seq)))))
            .order_by_desc(Column::Seq)
            .limit(limit)
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::audit::record).collect::<Result<_, _>>()?)
    }
}

/// Of a workspace, and of one person where one is named.
fn within(scope: Scope, by: Option<UserId>) -> Condition {
    let own = |id: UserId| Column::ActorKind.eq(CallerKind::User.as_str()).and(Column::ActorId.eq(id.to_string()));
    Condition::all()
        .add(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .add(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .add_option(by.map(own))
}

/// Several values of one filter mean *or*, different filters mean *and*.
pub(super) fn matching(filter: &AuditFilter) -> Condition {
    let runs = &filter.run_id;
    Condition::all()
        .add(words(Column::ActorKind, &filter.actor_kind))
        .add(words(Column::ActorId, &filter.actor_id))
        .add(words(Column::ResourceType, &filter.resource_type))
        .add(words(Column::ResourceId, &filter.resource_id))
        .add(words(Column::Operation, &filter.operation))
        .add(words(Column::EventType, &filter.event_type))
        .add(words(Column::Outcome, &filter.outcome))
        .add(words(Column::Address, &filter.address))
        .add_option((!runs.is_empty()).then(|| Column::RunId.is_in(runs.iter().map(|id| id.as_uuid()))))
        .add_option(filter.since.map(|since| Column::OccurredAt.gte(since)))
        .add_option(filter.until.map(|until| Column::OccurredAt.lt(until)))
}
