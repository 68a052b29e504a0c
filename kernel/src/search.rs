//! Finding things by a few letters: only what the caller may list anyway.

use std::sync::Arc;

use types::id::RunId;
use types::problem::Code;
use types::search::{Hit, HitKind, Search};

use crate::budget::Budgets;
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::modelhub::ModelHub;
use crate::observe::Observe;
use crate::policy::guard;

/// Looks through what the other use cases list.
#[derive(Clone)]
pub struct Finder {
    identity: Arc<Identity>,
    budgets: Budgets,
    modelhub: ModelHub,
    observe: Observe,
}

impl Finder {
    /// A finder over these use cases.
    pub fn new(identity: Arc<Identity>, budgets: Budgets, modelhub: ModelHub, observe: Observe) -> Self {
        Self { identity, budgets, modelhub, observe }
    }

    /// What has the id, or holds the letters in its name; names that begin with them come first.
    pub async fn search(&self, ctx: &OpContext, search: &Search) -> Result<Vec<Hit>> {
        guard::authorize(ctx, "search.read")?;
        let mut checks = Checks::default();
        let letters = search.q.trim().to_lowercase();
        let count = letters.chars().count();
        checks.require((2..=200).contains(&count), "q", "must have 2 to 200 characters");
        checks.within(Some(search.limit), 1, 20, "limit");
        checks.done()?;
        let mut hits = Vec::new();
        for kind in HitKind::ALL.iter().filter(|kind| search.kinds.is_empty() || search.kinds.contains(kind)) {
            match self.candidates(ctx, *kind, &letters).await {
                Ok(candidates) => hits.extend(candidates),
                // What one may not list is not found.
                Err(error) if matches!(error.code(), Code::RoleRequired | Code::ScopeRequired | Code::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        hits.retain(|hit| hit.id == letters || hit.name.to_lowercase().contains(&letters));
        hits.sort_by_cached_key(|hit| (hit.id != letters, !hit.name.to_lowercase().starts_with(&letters)));
        hits.truncate(search.limit as usize);
        Ok(hits)
    }

    async fn candidates(&self, ctx: &OpContext, kind: HitKind, letters: &str) -> Result<Vec<Hit>> {
        let hit = |id: String, name: String| Hit { kind, id, name, parent_id: None };
        Ok(match kind {
            HitKind::Run => {
                let id: RunId = letters.parse().map_err(|_| Error::not_found())?;
                let run = self.observe.find_run(ctx, id).await?;
                vec![hit(run.id.to_string(), run.model_ref.unwrap_or_default())]
            }
            HitKind::ApiKey => {
                let keys = self.identity.list_keys(ctx).await?;
                keys.into_iter().map(|key| hit(key.id.to_string(), key.name.to_string())).collect()
            }
            HitKind::Budget => {
                let budgets = self.budgets.list_budgets(ctx).await?;
                budgets.into_iter().map(|budget| hit(budget.id.to_string(), budget.name.to_string())).collect()
            }
            HitKind::Provider => {
                let accounts = self.modelhub.list_providers(ctx).await?;
                accounts.into_iter().map(|account| hit(account.id.to_string(), account.name.to_string())).collect()
            }
            HitKind::Model => {
                let mut found = Vec::new();
                for account in self.modelhub.list_providers(ctx).await? {
                    let models = self.modelhub.list_models(ctx, account.id).await?;
                    found.extend(models.into_iter().map(|model| Hit {
                        parent_id: Some(account.id.to_string()),
                        ..hit(model.id.to_string(), model.display_name)
                    }));
                }
                found
            }
        })
    }
}
