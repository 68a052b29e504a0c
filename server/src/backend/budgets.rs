//! Budgets and where they stand.

use app::backend::budgets::BudgetView;
use app::backend::{Answer, Budgets};
use async_trait::async_trait;
use types::budget::{Budget, CreateBudget, ScopeKind, UpdateBudget};
use types::id::{BudgetId, FormKey};
use types::name::Slug;

use super::Visitor;

#[async_trait]
impl Budgets for Visitor {
    async fn list_budgets(&self, workspace: &Slug) -> Answer<Vec<BudgetView>> {
        self.answer(self.budget_views(workspace).await)
    }

    async fn create_budget(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        command: CreateBudget,
    ) -> Answer<Budget> {
        self.answer(
            async { self.app.budgets.create_budget(&self.enter_with(workspace, form_key).await?, command).await }.await,
        )
    }

    async fn update_budget(
        &self,
        workspace: &Slug,
        id: BudgetId,
        version: u64,
        command: UpdateBudget,
    ) -> Answer<Budget> {
        let updated = async {
            let ctx = self.enter(workspace).await?;
            self.app.budgets.update_budget(&ctx, id, Some(version), command).await
        };
        self.answer(updated.await)
    }

    async fn delete_budget(&self, workspace: &Slug, id: BudgetId) -> Answer<()> {
        self.answer(async { self.app.budgets.delete_budget(&self.enter(workspace).await?, id).await }.await)
    }
}

impl Visitor {
    async fn budget_views(&self, workspace: &Slug) -> kernel::Result<Vec<BudgetView>> {
        let ctx = self.enter(workspace).await?;
        let mut budgets = self.app.budgets.list_budgets(&ctx).await?;
        budgets.sort_by(|one, other| one.name.as_str().cmp(other.name.as_str()));
        // Budgets without their state are still budgets.
        let states = self.app.budgets.list_states(&ctx).await.unwrap_or_default();
        let names = self.app.budgets.list_scope_names(&ctx, &budgets).await?;
        let view = |budget: Budget| BudgetView {
            state: states.iter().find(|state| state.budget_id == budget.id).cloned(),
            scope_name: match budget.scope_kind {
                ScopeKind::Workspace => None,
                ScopeKind::ApiKey | ScopeKind::User => {
                    budget.scope_id.as_ref().map(|id| names.get(id).unwrap_or(id).clone())
                }
            },
            budget,
        };
        Ok(budgets.into_iter().map(view).collect())
    }
}
