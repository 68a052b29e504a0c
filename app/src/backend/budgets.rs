//! Budgets.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::budget::{Budget, BudgetState, CreateBudget, UpdateBudget};
use types::id::{BudgetId, FormKey};
use types::name::Slug;

use super::{Answer, List};

/// A budget and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetView {
    /// The budget.
    pub budget: Budget,
    /// Where it stands in its present period; absent when that could not be read.
    pub state: Option<BudgetState>,
    /// Name of the key or member it binds; absent for the workspace.
    pub scope_name: Option<String>,
}

/// Budgets.
#[async_trait]
pub trait Budgets: Send + Sync {
    /// The budgets of the workspace, newest first, after a cursor.
    async fn list_budgets(&self, workspace: &Slug, after: Option<String>) -> Answer<List<BudgetView>>;

    /// One of them.
    async fn find_budget(&self, workspace: &Slug, id: BudgetId) -> Answer<BudgetView>;

    /// Makes a budget.
    async fn create_budget(&self, workspace: &Slug, form_key: Option<FormKey>, command: CreateBudget)
    -> Answer<Budget>;

    /// Changes a budget that is still at `version`, else `precondition_failed`.
    async fn update_budget(
        &self,
        workspace: &Slug,
        id: BudgetId,
        version: u64,
        command: UpdateBudget,
    ) -> Answer<Budget>;

    /// Deletes a budget; what was counted stays.
    async fn delete_budget(&self, workspace: &Slug, id: BudgetId) -> Answer<()>;
}
