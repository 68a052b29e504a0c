//! What was done under callers' keys.

use std::collections::BTreeMap;

use async_trait::async_trait;
use entity::idempotency_key::{Column, Entity};
use entity::process;
use kernel::context::Scope;
use kernel::ledger::{Claim, ClaimKey, ClaimStatus, Durability};
use kernel::port::{Claims, DeadClaim, StoreError};
use sea_orm::sea_query::{Expr, ExprTrait, LockBehavior, LockType, Query};
use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use types::id::Uuid;

use super::process::clock;
use crate::error::reading;
use crate::row::{claim, scope};
use crate::store::Store;

#[async_trait]
impl Claims for Store {
    async fn find_claim(&self, scope: Scope, key: &ClaimKey) -> Result<Option<Claim>, StoreError> {
        self.claim(scope, key).await.map_err(reading)
    }

    async fn dead_claims(&self, limit: u32) -> Result<Vec<DeadClaim>, StoreError> {
        self.claims_of_the_dead(limit).await.map_err(reading)
    }

    async fn prune_claims(&self, limit: u32) -> Result<u64, StoreError> {
        self.forget_claims(limit).await.map_err(reading)
    }
}

impl Store {
    async fn claim(&self, scope: Scope, key: &ClaimKey) -> Result<Option<Claim>, DbErr> {
        let row = Entity::find_by_id((scope.tenant_id.as_uuid(), key.as_str().to_owned()))
            .filter(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .one(&self.database().reader())
            .await?;
        Ok(row.map(claim::record).transpose()?.flatten())
    }

    async fn claims_of_the_dead(&self, limit: u32) -> Result<Vec<DeadClaim>, DbErr> {
        let same = |left: process::Column, right: Column| Expr::col((process::Entity, left)).equals((Entity, right));
        let owner = Query::select()
            .expr(Expr::val(1))
            .from(process::Entity)
            .cond_where(
                Condition::all()
                    .add(same(process::Column::Id, Column::OwnerProcessId))
                    .add(same(process::Column::Epoch, Column::OwnerEpoch))
                    .add(process::Column::Alive.eq(true)),
            )
            .to_owned();
        let rows: Vec<(Uuid, Uuid, String, Uuid)> = Entity::find()
            .select_only()
            .columns([Column::TenantId, Column::WorkspaceId, Column::Key, Column::Holder])
            .filter(Column::Status.eq(ClaimStatus::InProgress.as_str()))
            .filter(Expr::exists(owner).not())
            .limit(u64::from(limit))
            .into_tuple()
            .all(&self.database().reader())
            .await?;
        let dead = |(tenant_id, workspace_id, key, holder)| DeadClaim {
            scope: scope(tenant_id, workspace_id),
            key: ClaimKey::from_text(key),
            holder,
        };
        Ok(rows.into_iter().map(dead).collect())
    }

    async fn forget_claims(&self, limit: u32) -> Result<u64, DbErr> {
        let transaction = self.database().begin(Durability::Process).await?;
        let db = transaction.session();
        let over: Vec<(Uuid, String)> = Entity::find()
            .select_only()
            .columns([Column::TenantId, Column::Key])
            .filter(Column::ExpiresAt.lte(clock(db).await?))
            .order_by_asc(Column::ExpiresAt)
            .limit(u64::from(limit))
            .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
            .into_tuple()
            .all(db)
            .await?;
        let forgotten = over.len() as u64;
        let mut tenants: BTreeMap<Uuid, Vec<String>> = BTreeMap::new();
        for (tenant_id, key) in over {
            tenants.entry(tenant_id).or_default().push(key);
        }
        for (tenant_id, keys) in tenants {
            let over = Entity::delete_many().filter(Column::TenantId.eq(tenant_id));
            over.filter(Column::Key.is_in(keys)).exec(db).await?;
        }
        transaction.commit().await?;
        Ok(forgotten)
    }
}
