//! Server functions of budgets.

use leptos::prelude::*;
use types::budget::{Budget, BudgetStatus};
use types::id::{BudgetId, FormKey};
use types::name::Slug;

use super::{Seen, ask, change, submit};
use crate::backend::budgets::BudgetView;
use crate::backend::{List, redirect};
use crate::error::{AppError, Typed};
use crate::form::{BudgetForm, with_status};
use crate::route::At;

/// One page of the budgets.
#[server(prefix = "/ui/fn", endpoint = "list_budgets")]
pub(crate) async fn list_budgets(workspace: Slug, after: Option<String>) -> Result<List<BudgetView>, AppError> {
    ask(|backend| async move { backend.budgets.list_budgets(&workspace, after).await }).await
}

/// One budget.
#[server(prefix = "/ui/fn", endpoint = "find_budget")]
pub(crate) async fn find_budget(workspace: Slug, id: BudgetId) -> Result<BudgetView, AppError> {
    ask(|backend| async move { backend.budgets.find_budget(&workspace, id).await }).await
}

/// Makes a budget.
#[server(prefix = "/ui/fn", endpoint = "create_budget")]
pub(crate) async fn create_budget(
    workspace: Slug,
    form_key: Option<FormKey>,
    form: BudgetForm,
) -> Result<Budget, AppError> {
    let at = At::workspace(&workspace);
    let budget = submit(&form, form.create(), |backend, command| async move {
        backend.budgets.create_budget(&workspace, form_key, command).await
    })
    .await?;
    redirect(&at.budgets());
    Ok(budget)
}

/// Changes a budget.
#[server(prefix = "/ui/fn", endpoint = "update_budget")]
pub(crate) async fn update_budget(
    workspace: Slug,
    id: BudgetId,
    version: u64,
    form: BudgetForm,
    seen: Option<Typed>,
) -> Result<Budget, AppError> {
    let at = At::workspace(&workspace);
    let seen = Seen { id: Some(id.to_string()), version, fields: seen };
    let budget = change(&form, seen, form.update(), |backend, command| async move {
        backend.budgets.update_budget(&workspace, id, version, command).await
    })
    .await?;
    redirect(&at.budgets());
    Ok(budget)
}

/// Switches a budget on or off.
#[server(prefix = "/ui/fn", endpoint = "set_budget_status")]
pub(crate) async fn set_budget_status(
    workspace: Slug,
    id: BudgetId,
    version: u64,
    status: BudgetStatus,
) -> Result<Budget, AppError> {
    let command = with_status(status);
    ask(|backend| async move { backend.budgets.update_budget(&workspace, id, version, command).await }).await
}

/// Deletes a budget.
#[server(prefix = "/ui/fn", endpoint = "delete_budget")]
pub(crate) async fn delete_budget(workspace: Slug, id: BudgetId) -> Result<(), AppError> {
    let at = At::workspace(&workspace);
    ask(|backend| async move { backend.budgets.delete_budget(&workspace, id).await }).await?;
    redirect(&at.budgets());
    Ok(())
}
