//! What workspaces have set up, read whole at one moment and kept until it changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use entity::{budget, egress_layer, model, price, provider, secret, tenant, workspace};
use kernel::context::Scope;
use kernel::port::{Catalog, Snapshot, StoreError};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};
use types::id::TenantId;

use crate::error::reading;
use crate::row;
use crate::store::Store;

/// Most workspaces kept; beyond that all are read anew.
const MOST: usize = 10_000;

/// Snapshots kept in memory.
#[derive(Default)]
pub(crate) struct Snapshots(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    snapshots: HashMap<Scope, Arc<Snapshot>>,
    /// Counts what was forgotten of a tenant: what was read before is not kept after.
    forgotten: HashMap<TenantId, u64>,
}

impl Snapshots {
    /// The next read of the tenant's workspaces is fresh, also where one is under way.
    pub(crate) fn forget(&self, tenant_id: TenantId) {
        let mut kept = self.lock();
        kept.snapshots.retain(|scope, _| scope.tenant_id != tenant_id);
        *kept.forgotten.entry(tenant_id).or_default() += 1;
    }

    fn find(&self, scope: Scope) -> Result<Arc<Snapshot>, u64> {
        let kept = self.lock();
        let found = kept.snapshots.get(&scope).map(Arc::clone);
        found.ok_or_else(|| kept.forgotten.get(&scope.tenant_id).copied().unwrap_or_default())
    }

    fn keep(&self, scope: Scope, forgotten: u64, snapshot: &Arc<Snapshot>) {
        let mut kept = self.lock();
        if kept.forgotten.get(&scope.tenant_id).copied().unwrap_or_default() != forgotten {
            return;
        }
        if kept.snapshots.len() >= MOST {
            kept.snapshots.clear();
        }
        kept.snapshots.insert(scope, Arc::clone(snapshot));
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Catalog for Store {
    async fn snapshot(&self, scope: Scope) -> Result<Option<Arc<Snapshot>>, StoreError> {
        let forgotten = match self.snapshots().find(scope) {
            Ok(snapshot) => return Ok(Some(snapshot)),
            Err(forgotten) => forgotten,
        };
        let moment = self.database().snapshot().await.map_err(reading)?;
        let Some(snapshot) = read(&moment, scope).await.map_err(reading)? else { return Ok(None) };
        let snapshot = Arc::new(snapshot);
        self.snapshots().keep(scope, forgotten, &snapshot);
        Ok(Some(snapshot))
    }

    fn forget(&self, scope: Scope) {
        self.snapshots().forget(scope.tenant_id);
    }
}

async fn read<C: ConnectionTrait>(db: &C, scope: Scope) -> Result<Option<Snapshot>, DbErr> {
    let (tenant_id, workspace_id) = (scope.tenant_id.as_uuid(), scope.workspace_id.as_uuid());
    let workspace =
        workspace::Entity::find_by_id(workspace_id).filter(workspace::Column::TenantId.eq(tenant_id)).one(db).await?;
    let tenant = tenant::Entity::find_by_id(tenant_id).one(db).await?;
    let Some((workspace, tenant)) = workspace.zip(tenant) else { return Ok(None) };
    let active = provider::Column::WorkspaceId.eq(workspace_id);
    let providers = provider::Entity::find()
        .filter(active)
        .filter(provider::Column::Archived.eq(false))
        .order_by_asc(provider::Column::CreatedAt)
        .order_by_asc(provider::Column::Id)
        .all(db)
        .await?;
    let models = model::Entity::find()
        .filter(model::Column::WorkspaceId.eq(workspace_id))
        .filter(model::Column::ProviderId.is_in(providers.iter().map(|provider| provider.id)))
        .order_by_asc(model::Column::CreatedAt)
        .order_by_asc(model::Column::Id)
        .all(db)
        .await?;
    let prices = price::Entity::find()
        .filter(price::Column::WorkspaceId.eq(workspace_id))
        .order_by_desc(price::Column::ValidFrom)
        .order_by_desc(price::Column::Id)
        .all(db)
        .await?;
    let budgets = budget::Entity::find()
        .filter(budget::Column::WorkspaceId.eq(workspace_id))
        .filter(budget::Column::Archived.eq(false))
        .order_by_asc(budget::Column::CreatedAt)
        .order_by_asc(budget::Column::Id)
        .all(db)
        .await?;
    let egress = egress_layer::Entity::find_by_id(workspace_id).one(db).await?;
    let secrets = secret::Entity::find()
        .filter(secret::Column::WorkspaceId.eq(workspace_id))
        .order_by_asc(secret::Column::Id)
        .all(db)
        .await?;
    let (auth_epoch, tenant) = (row::count(tenant.auth_epoch), row::tenant::record(tenant)?);
    Ok(Some(Snapshot {
        auth_epoch,
        workspace: row::workspace::record(workspace)?,
        tenant_capture: tenant.content_capture,
        providers: providers.into_iter().map(row::provider::record).collect::<Result<_, _>>()?,
        models: models.into_iter().map(row::model::record).collect::<Result<_, _>>()?,
        prices: prices.into_iter().map(row::price::record).collect::<Result<_, _>>()?,
        budgets: budgets.into_iter().map(row::budget::record).collect::<Result<_, _>>()?,
        egress: egress.as_ref().map(row::egress_layer::record).transpose()?,
        secrets: secrets.into_iter().map(row::secret::record).collect(),
    }))
}

#[cfg(test)]
mod tests {
    use types::id::{Uuid, WorkspaceId};

    use super::*;

    #[test]
    fn what_was_read_before_a_change_is_not_kept_after_it() {
        let id = Uuid::from_u128(1);
        let scope = Scope { tenant_id: TenantId::from_uuid(id), workspace_id: WorkspaceId::from_uuid(id) };
        let snapshots = Snapshots::default();
        let forgotten = snapshots.find(scope).expect_err("nothing is kept");
        snapshots.forget(scope.tenant_id);
        assert_ne!(snapshots.find(scope).expect_err("nothing is kept"), forgotten);
    }
}
