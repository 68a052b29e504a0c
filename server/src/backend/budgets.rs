//! Budgets and where they stand.

use app::backend::budgets::BudgetView;
use app::backend::{Answer, Budgets, List};
use async_trait::async_trait;
use kernel::OpContext;
use types::budget::{Budget, CreateBudget, ScopeKind, UpdateBudget};
use types::id::{BudgetId, FormKey};
use types::name::Slug;
use types::page::Page;

use super::{Visitor, gone, newest_first};

#[async_trait]
impl Budgets for Visitor {
    async fn list_budgets(&self, workspace: &Slug, after: Option<String>) -> Answer<List<BudgetView>> {
        let listed = async {
            let ctx = self.enter(workspace).await?;
            let List { page, total, cursor_refused } = newest_first(self.app.budgets.list_budgets(&ctx).await?, after)?;
            let page = Page { items: self.budget_views(&ctx, page.items).await?, next_cursor: page.next_cursor };
            Ok(List { page, total, cursor_refused })
        };
        self.answer(listed.await)
    }

    async fn find_budget(&self, workspace: &Slug, id: BudgetId) -> Answer<BudgetView> {
        let found = async {
            let ctx = self.enter(workspace).await?;
            let budget = self.app.budgets.find_budget(&ctx, id).await?;
            self.budget_views(&ctx, vec![budget]).await?.pop().ok_or_else(kernel::Error::not_found)
        };
        self.answer(found.await)
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
        let deleted = async {
            let ctx = self.enter(workspace).await?;
            gone(self.app.budgets.delete_budget(&ctx, id).await)
        };
        self.answer(deleted.await)
    }
}

impl Visitor {
    /// Budgets with where they stand and what they bind.
    pub(super) async fn budget_views(&self, ctx: &OpContext, budgets: Vec<Budget>) -> kernel::Result<Vec<BudgetView>> {
        // Budgets without their state are still budgets.
        let states = self.app.budgets.list_states(ctx).await.unwrap_or_default();
        let names = self.app.budgets.list_scope_names(ctx, &budgets).await?;
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
