//! What a workspace has set up.

use std::cmp::Reverse;
use std::sync::Arc;

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::port::{Catalog, Snapshot, StoreError};
use kernel::record::Row;

use super::store::{FakeStore, Rows, rows};

#[async_trait]
impl Catalog for FakeStore {
    async fn snapshot(&self, scope: Scope) -> Result<Option<Arc<Snapshot>>, StoreError> {
        let mut rows = self.rows();
        if let Some(kept) = rows.snapshots.get(&scope) {
            return Ok(Some(Arc::clone(kept)));
        }
        let Some(snapshot) = rows.snapshot(scope).map(Arc::new) else { return Ok(None) };
        rows.snapshots.insert(scope, Arc::clone(&snapshot));
        Ok(Some(snapshot))
    }

    fn forget(&self, scope: Scope) {
        self.rows().snapshots.retain(|of, _| of.tenant_id != scope.tenant_id);
    }
}

impl Rows {
    fn snapshot(&self, scope: Scope) -> Option<Snapshot> {
        let workspace = self.workspace(scope)?.clone();
        let tenant = rows!(self, Tenant).find(|tenant| tenant.id == scope.tenant_id)?;
        let mut snapshot = Snapshot {
            auth_epoch: self.epoch(scope.tenant_id),
            tenant_capture: tenant.content_capture,
            workspace,
            providers: Vec::new(),
            models: Vec::new(),
            prices: Vec::new(),
            budgets: Vec::new(),
            egress: None,
            secrets: Vec::new(),
        };
        for row in self.records.values() {
            match row {
                Row::Provider { scope: of, provider, archived: false } if *of == scope => {
                    snapshot.providers.push(provider.clone());
                }
                Row::Model(of, model) if *of == scope => snapshot.models.push(model.clone()),
                Row::Price(of, price) if *of == scope => snapshot.prices.push(price.clone()),
                Row::Budget { scope: of, budget, archived: false } if *of == scope => {
                    snapshot.budgets.push(budget.clone());
                }
                Row::EgressLayer(layer) if layer.scope == scope => snapshot.egress = Some(layer.clone()),
                Row::Secret(secret) if secret.scope == scope => snapshot.secrets.push(secret.clone()),
                _ => {}
            }
        }
        snapshot.models.retain(|model| snapshot.providers.iter().any(|provider| provider.id == model.provider_id));
        snapshot.providers.sort_by_key(|provider| (provider.created_at, provider.id));
        snapshot.models.sort_by_key(|model| (model.created_at, model.id));
        snapshot.prices.sort_by_key(|price| Reverse((price.valid_from, price.id)));
        snapshot.budgets.sort_by_key(|budget| (budget.created_at, budget.id));
        Some(snapshot)
    }
}
