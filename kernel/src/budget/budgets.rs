//! The use cases.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use types::budget::{Budget, BudgetHold, BudgetState, BudgetStatus, CreateBudget, ScopeKind, UpdateBudget};
use types::id::{ApiKeyId, BudgetId, UserId};

use super::{check, state};
use crate::change::{Change, Editor};
use crate::check::{Checks, normal_name, same_version};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::ledger::Op;
use crate::names::names;
use crate::policy::guard;
use crate::port::{Directory, NamedIds, Runs, Snapshot};
use crate::record::Row;

/// Budgets of workspaces.
#[derive(Clone)]
pub struct Budgets {
    pub(super) editor: Editor,
    directory: Arc<dyn Directory>,
    pub(super) runs: Arc<dyn Runs>,
}

impl Budgets {
    /// The use cases on these ports.
    pub fn new(editor: Editor, directory: Arc<dyn Directory>, runs: Arc<dyn Runs>) -> Self {
        Self { editor, directory, runs }
    }

    /// The workspace's budgets, oldest first.
    pub async fn list_budgets(&self, ctx: &OpContext) -> Result<Vec<Budget>> {
        guard::authorize(ctx, "budget.list")?;
        Ok(self.editor.read(ctx).await?.budgets.clone())
    }

    /// One budget.
    pub async fn find_budget(&self, ctx: &OpContext, id: BudgetId) -> Result<Budget> {
        guard::authorize(ctx, "budget.read")?;
        find(&*self.editor.read(ctx).await?, id).cloned()
    }

    /// Where every budget stands, disabled ones included.
    pub async fn list_states(&self, ctx: &OpContext) -> Result<Vec<BudgetState>> {
        guard::authorize(ctx, "budget.read")?;
        let snapshot = self.editor.read(ctx).await?;
        self.states(ctx, &snapshot.budgets).await
    }

    /// Where one budget stands.
    pub async fn find_state(&self, ctx: &OpContext, id: BudgetId) -> Result<BudgetState> {
        let budget = self.find_budget(ctx, id).await?;
        self.states(ctx, &[budget]).await?.pop().ok_or_else(Error::not_found)
    }

    /// What running calls hold of a budget, oldest first.
    pub async fn list_holds(&self, ctx: &OpContext, id: BudgetId) -> Result<Vec<BudgetHold>> {
        let budget = self.find_budget(ctx, id).await?;
        Ok(self.runs.list_open_holds(ctx.scope, &state::counter_key(&budget, ctx.now)).await?)
    }

    /// Names of the keys and members that budgets bind, by id, as far as the reader may know them.
    pub async fn list_scope_names(&self, ctx: &OpContext, budgets: &[Budget]) -> Result<BTreeMap<String, String>> {
        let mut wanted = NamedIds::default();
        budgets.iter().filter_map(|budget| budget.scope_id.as_deref()).for_each(|id| wanted.note(id));
        names(ctx, &*self.directory, &wanted).await
    }

    /// Makes a budget that has counted what its period spent before.
    pub async fn create_budget(&self, ctx: &OpContext, command: CreateBudget) -> Result<Budget> {
        guard::authorize(ctx, "budget.create")?;
        let budget = self.draft(ctx, &command)?;
        self.check_scope(ctx, &budget).await?;
        let decide = |snapshot: &Snapshot| {
            if let Ok(made) = find(snapshot, budget.id) {
                return Ok(Change::none(made.clone()));
            }
            check::room(&snapshot.budgets, budget.scope_kind, budget.scope_id.as_deref())?;
            let change = Change::new("budget.created", budget.id, json!({ "after": facts(&budget) }), budget.clone());
            Ok(change.row(row(ctx, budget.clone())))
        };
        let made = self.editor.change(ctx, "budget.create", decide).await?;
        // One that was made before by the same form is left as it is by now.
        if made.version == budget.version { self.enable(ctx, "budget.create", made).await } else { Ok(made) }
    }

    /// Changes a budget that is still at the version the caller has seen; it binds so from the next call on.
    pub async fn update_budget(
        &self,
        ctx: &OpContext,
        id: BudgetId,
        version: Option<u64>,
        command: UpdateBudget,
    ) -> Result<Budget> {
        let decide = |snapshot: &Snapshot| {
            let present = find(snapshot, id)?;
            let budget = updated(present, &command)?;
            let wish = Budget { status: command.status.unwrap_or(budget.status), ..budget.clone() };
            if !ctx.must_change(version, present.version, &facts(present), &facts(&wish))? {
                return Ok(Change::none(present.clone()));
            }
            // What is only switched on is left to [`Budgets::enable`]: a repeat in between finds no version of its own.
            if wish.status != budget.status && facts(present) == facts(&budget) {
                return Ok(Change::none(present.clone()));
            }
            let payload = json!({ "before": facts(present), "after": facts(&budget) });
            Ok(Change::new("budget.updated", id, payload, budget.clone()).row(row(ctx, budget)))
        };
        let budget = self.editor.change(ctx, "budget.update", decide).await?;
        match command.status {
            Some(BudgetStatus::Active) if budget.status == BudgetStatus::Disabled => {
                self.enable(ctx, "budget.update", budget).await
            }
            _ => Ok(budget),
        }
    }

    /// Archives a budget; its counters stay.
    pub async fn delete_budget(&self, ctx: &OpContext, id: BudgetId) -> Result<()> {
        let decide = |snapshot: &Snapshot| {
            let present = find(snapshot, id)?;
            let budget = Budget { status: BudgetStatus::Disabled, version: present.version + 1, ..present.clone() };
            let change = Change::new("budget.deleted", id, json!({ "before": facts(present) }), ());
            Ok(change.row(Row::Budget { scope: ctx.scope, budget, archived: true }))
        };
        self.editor.change(ctx, "budget.delete", decide).await
    }

    /// Adds what the counter of a disabled budget lacks and lets it bind.
    async fn enable(&self, ctx: &OpContext, action: &'static str, disabled: Budget) -> Result<Budget> {
        let lacking = self.runs.uncounted(ctx.scope, &disabled, ctx.now).await?;
        let decide = |snapshot: &Snapshot| {
            let present = find(snapshot, disabled.id)?;
            if present.status == BudgetStatus::Active {
                return Ok(Change::none(present.clone()));
            }
            same_version(Some(disabled.version), present.version)?;
            let budget = Budget { status: BudgetStatus::Active, version: present.version + 1, ..present.clone() };
            let payload = json!({ "counted_before": types::money::Amount::from_nanos(lacking) });
            let key = state::counter_key(&budget, ctx.now);
            let change = Change::new("budget.enabled", budget.id, payload, budget.clone());
            Ok(change.row(row(ctx, budget)).op(Op::CounterAdd { key, delta: lacking, limit: None }))
        };
        self.editor.change(ctx, action, decide).await
    }

    async fn states(&self, ctx: &OpContext, budgets: &[Budget]) -> Result<Vec<BudgetState>> {
        let keys: Vec<_> = budgets.iter().map(|budget| state::counter_key(budget, ctx.now)).collect();
        let counters = self.runs.counters(ctx.scope, &keys).await?;
        Ok(budgets.iter().zip(counters).map(|(budget, counter)| state::state(budget, counter, ctx.now)).collect())
    }

    fn draft(&self, ctx: &OpContext, command: &CreateBudget) -> Result<Budget> {
        let mut checks = Checks::default();
        check::amount(command.amount, &mut checks);
        checks.currency(command.currency, "currency");
        let thresholds = check::thresholds(&command.thresholds, &mut checks);
        match command.scope_kind {
            ScopeKind::Workspace => {
                checks.require(
                    command.scope_id.is_none(),
                    "scope_id",
                    "must be absent, the workspace is the one of the request",
                );
            }
            ScopeKind::ApiKey | ScopeKind::User => {
                checks.require(command.scope_id.is_some(), "scope_id", "must say which one");
            }
        }
        checks.done()?;
        Ok(Budget {
            id: ctx.new_id(self.editor.ids(), "budget.create", command)?,
            name: normal_name(&command.name)?,
            status: BudgetStatus::Disabled,
            scope_kind: command.scope_kind,
            scope_id: command.scope_id.clone(),
            period: command.period,
            currency: command.currency,
            amount: command.amount,
            hard_stop: command.hard_stop,
            thresholds,
            version: 1,
            created_at: ctx.now,
        })
    }

    /// What the budget binds must be there, in this workspace.
    async fn check_scope(&self, ctx: &OpContext, budget: &Budget) -> Result<()> {
        let Some(id) = budget.scope_id.as_deref() else { return Ok(()) };
        let is_there = match budget.scope_kind {
            ScopeKind::Workspace => true,
            ScopeKind::ApiKey => self.directory.find_key_by_id(ctx.scope, parse_id::<ApiKeyId>(id)?).await?.is_some(),
            ScopeKind::User => {
                let account = self.directory.find_account(parse_id::<UserId>(id)?).await?;
                let workspaces = account.map(|account| account.workspaces).unwrap_or_default();
                workspaces.iter().any(|(workspace, _)| workspace.id == ctx.scope.workspace_id)
            }
        };
        if is_there {
            Ok(())
        } else {
            Err(Error::not_found().with_field("scope_id", "names nothing in this workspace"))
        }
    }
}

fn parse_id<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T> {
    text.parse().map_err(|error| Error::invalid("scope_id", format!("{error}")))
}

fn find(snapshot: &Snapshot, id: BudgetId) -> Result<&Budget> {
    snapshot.budgets.iter().find(|budget| budget.id == id).ok_or_else(Error::not_found)
}

fn row(ctx: &OpContext, budget: Budget) -> Row {
    Row::Budget { scope: ctx.scope, budget, archived: false }
}

/// The budget after a command. Enabling is left to [`Budgets::enable`], which counts first.
fn updated(present: &Budget, command: &UpdateBudget) -> Result<Budget> {
    let mut checks = Checks::default();
    if let Some(amount) = command.amount {
        check::amount(amount, &mut checks);
    }
    let thresholds = command.thresholds.as_deref().map(|given| check::thresholds(given, &mut checks));
    checks.done()?;
    let status = match command.status {
        Some(BudgetStatus::Disabled) => BudgetStatus::Disabled,
        Some(BudgetStatus::Active) | None => present.status,
    };
    Ok(Budget {
        name: command.name.as_ref().map(normal_name).transpose()?.unwrap_or_else(|| present.name.clone()),
        status,
        amount: command.amount.unwrap_or(present.amount),
        hard_stop: command.hard_stop.unwrap_or(present.hard_stop),
        thresholds: thresholds.unwrap_or_else(|| present.thresholds.clone()),
        version: present.version + 1,
        ..present.clone()
    })
}

/// What the audit says of a budget.
fn facts(budget: &Budget) -> Value {
    json!({
        "name": budget.name,
        "status": budget.status,
        "scope_kind": budget.scope_kind,
        "scope_id": budget.scope_id,
        "period": budget.period,
        "currency": budget.currency,
        "amount": budget.amount,
        "hard_stop": budget.hard_stop,
        "thresholds": budget.thresholds,
    })
}
