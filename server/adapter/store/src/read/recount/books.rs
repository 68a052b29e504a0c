//! What the rows add up to, beside what the counters say.

use std::collections::{BTreeMap, HashMap};

use entity::{budget, cost, counter, hold, run, run_count, step, usage_daily};
use kernel::context::Scope;
use kernel::ledger::{
    Charge, CounterKey, Dimensions, HoldLine, Measure, RunCountKey, Tally, UsageKey, period_end, truncated,
};
use kernel::port::Difference;
use sea_orm::prelude::DateTimeUtc;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect,
};
use types::budget::{Budget, BudgetStatus, ScopeKind};
use types::id::{ApiKeyId, UserId, Uuid};
use types::money::{Amount, Money};
use types::run::Usage;

use super::super::roll::Marks;
use super::taken::Taken;
use crate::row::run::StoredDimensions;
use crate::row::{self, count, document, small, word};

/// Rows of one statement.
const A_PART: u64 = 1_000;

/// Two numbers that should be one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Both {
    pub(super) counter: i64,
    pub(super) rows: i64,
}

impl Both {
    /// What the counter lacks.
    pub(super) fn lack(self) -> i64 {
        self.rows.saturating_sub(self.counter)
    }
}

/// A row of `counters`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Balance {
    /// Whether rows tell what was booked; what they cannot tell is left as it is.
    pub(super) is_told: bool,
    pub(super) value: Both,
    pub(super) held: Both,
}

/// Every counter.
#[derive(Default)]
pub(super) struct Books {
    pub(super) usage: BTreeMap<UsageKey, BTreeMap<Measure, Both>>,
    pub(super) runs: BTreeMap<RunCountKey, Both>,
    pub(super) balances: BTreeMap<(Uuid, String), Balance>,
}

/// A run as far as counters know it.
#[derive(FromQueryResult)]
struct RunRow {
    id: Uuid,
    tenant_id: Uuid,
    workspace_id: Uuid,
    user_id: Option<Uuid>,
    status: String,
    steps: i64,
    duration_ms: Option<i64>,
    refusals: i64,
    #[sea_orm(nested)]
    dimensions: StoredDimensions,
}

/// A run that steps and costs are looked up for.
struct Counted {
    scope: Scope,
    user_id: Option<UserId>,
    dimensions: Dimensions,
}

impl Books {
    /// Reads everything through one snapshot.
    pub(super) async fn count<C: ConnectionTrait>(db: &C) -> Result<Self, DbErr> {
        let mut books = Self::default();
        let marks = Marks::read(db).await?;
        books.read_balances(db).await?;
        let budgets = books.read_budgets(db).await?;
        books.count_runs(db, &marks, &budgets).await?;
        books.count_holds(db).await?;
        books.read_usage(db).await?;
        books.read_run_counts(db, &marks).await?;
        books.leave_out(&Taken::read(db).await?);
        Ok(books)
    }

    /// What rows tell no more is left as it is.
    fn leave_out(&mut self, taken: &Taken) {
        self.usage.retain(|key, _| !taken.reaches(key.scope, key.day));
        self.runs.retain(|key, _| !taken.reaches(key.scope, key.starts_at));
        for ((tenant_id, key), balance) in &mut self.balances {
            balance.is_told &= !taken.reaches_balance(*tenant_id, key);
        }
    }

    async fn count_runs<C: ConnectionTrait>(
        &mut self,
        db: &C,
        marks: &Marks,
        budgets: &HashMap<Uuid, Vec<Budget>>,
    ) -> Result<(), DbErr> {
        let columns = {
            use run::Column as C;
            [C::Id, C::TenantId, C::WorkspaceId, C::UserId, C::Status, C::Steps, C::DurationMs, C::Refusals]
        };
        let mut last = None;
        loop {
            let mut query = run::Entity::find()
                .select_only()
                .columns(columns.into_iter().chain(StoredDimensions::COLUMNS))
                .order_by_asc(run::Column::Id)
                .limit(A_PART);
            if let Some(last) = last {
                query = query.filter(run::Column::Id.gt(last));
            }
            let rows: Vec<RunRow> = query.into_model().all(db).await?;
            let Some(final_row) = rows.last() else { return Ok(()) };
            last = Some(final_row.id);
            let mut tally = Tally::default();
            let mut runs = HashMap::new();
            for row in rows {
                let id = row.id;
                runs.insert(id, counted(row, &mut tally)?);
            }
            count_steps(db, &runs, &mut tally).await?;
            self.count_costs(db, &runs, budgets, &mut tally).await?;
            self.take(tally, marks);
        }
    }

    async fn count_costs<C: ConnectionTrait>(
        &mut self,
        db: &C,
        runs: &HashMap<Uuid, Counted>,
        budgets: &HashMap<Uuid, Vec<Budget>>,
        tally: &mut Tally,
    ) -> Result<(), DbErr> {
        #[derive(FromQueryResult)]
        struct CostRow {
            run_id: Uuid,
            occurred_at: DateTimeUtc,
            operation: String,
            model_ref: String,
            api_key_id: Option<Uuid>,
            usage: String,
            pricing_status: String,
            currency: Option<String>,
            amount: Option<i64>,
        }
        let columns = {
            use cost::Column as C;
            [
                C::RunId,
                C::OccurredAt,
                C::Operation,
                C::ModelRef,
                C::ApiKeyId,
                C::Usage,
                C::PricingStatus,
                C::Currency,
                C::Amount,
            ]
        };
        let query = cost::Entity::find().select_only().columns(columns);
        let rows: Vec<CostRow> =
            query.filter(cost::Column::RunId.is_in(runs.keys().copied())).into_model().all(db).await?;
        for row in rows {
            let Some(run) = runs.get(&row.run_id) else { continue };
            let usage: Usage = document(&row.usage, "costs.usage")?;
            let money = match row.currency.zip(row.amount) {
                Some((currency, nanos)) => {
                    Some(Money { currency: word(&currency, "costs.currency")?, amount: Amount::from_nanos(nanos) })
                }
                None => None,
            };
            let charge = Charge {
                occurred_at: row.occurred_at,
                model_ref: &row.model_ref,
                operation: &row.operation,
                usage: &usage,
                pricing_status: word(&row.pricing_status, "costs.pricing_status")?,
                money,
            };
            tally.charged(run.scope, &run.dimensions, charge);
            let Some(money) = money else { continue };
            let key_id = row.api_key_id.map(ApiKeyId::from_uuid);
            let of_workspace = budgets.get(&run.scope.workspace_id.as_uuid()).map(Vec::as_slice).unwrap_or_default();
            let bound = of_workspace
                .iter()
                .filter(|budget| budget.currency == money.currency && binds(budget, key_id, run.user_id))
                .filter(|budget| counts(budget, row.occurred_at))
                .map(|budget| CounterKey::budget(budget.id, budget.period, row.occurred_at));
            let month = key_id.map(|id| CounterKey::key_spend(id, money.currency, row.occurred_at));
            for key in bound.chain(month) {
                let full = (run.scope.tenant_id.as_uuid(), key.as_str().to_owned());
                let balance = self.balances.entry(full).or_default();
                balance.is_told = true;
                balance.value.rows = balance.value.rows.saturating_add(money.amount.nanos());
            }
        }
        Ok(())
    }

    async fn count_holds<C: ConnectionTrait>(&mut self, db: &C) -> Result<(), DbErr> {
        let mut last = Uuid::nil();
        loop {
            let rows: Vec<(Uuid, Uuid, String)> = hold::Entity::find()
                .select_only()
                .columns([hold::Column::Id, hold::Column::TenantId, hold::Column::Lines])
                .filter(hold::Column::Open.eq(true))
                .filter(hold::Column::Id.gt(last))
                .order_by_asc(hold::Column::Id)
                .limit(A_PART)
                .into_tuple()
                .all(db)
                .await?;
            let Some((id, ..)) = rows.last() else { return Ok(()) };
            last = *id;
            for (_, tenant_id, lines) in rows {
                let lines: Vec<HoldLine> = document(&lines, "holds.lines")?;
                for line in lines {
                    let held = &mut self.balances.entry((tenant_id, line.key.to_string())).or_default().held;
                    held.rows = held.rows.saturating_add(line.amount);
                }
            }
        }
    }

    async fn read_balances<C: ConnectionTrait>(&mut self, db: &C) -> Result<(), DbErr> {
        // What keys have spent is told by their costs, budgets by those they bind.
        let mut rows = counter::Entity::find().cursor_by((counter::Column::TenantId, counter::Column::Key));
        loop {
            let part = rows.first(A_PART).all(db).await?;
            let Some(last) = part.last() else { return Ok(()) };
            rows.after((last.tenant_id, last.key.clone()));
            for row in part {
                let is_told = row.key.starts_with("spend:");
                let value = Both { counter: row.value, rows: 0 };
                let held = Both { counter: row.held, rows: 0 };
                self.balances.insert((row.tenant_id, row.key), Balance { is_told, value, held });
            }
        }
    }

    /// Active budgets by workspace: what a disabled one counted before it was enabled is added when it is.
    async fn read_budgets<C: ConnectionTrait>(&mut self, db: &C) -> Result<HashMap<Uuid, Vec<Budget>>, DbErr> {
        let rows = budget::Entity::find()
            .filter(budget::Column::Archived.eq(false))
            .filter(budget::Column::Status.eq(BudgetStatus::Active.as_str()))
            .all(db)
            .await?;
        let mut budgets: HashMap<Uuid, Vec<Budget>> = HashMap::new();
        let mut periods: HashMap<String, Budget> = HashMap::new();
        for row in rows {
            let workspace_id = row.workspace_id;
            let budget = row::budget::record(row)?;
            periods.insert(budget.id.to_string(), budget.clone());
            budgets.entry(workspace_id).or_default().push(budget);
        }
        for ((_, key), balance) in &mut self.balances {
            let Some((id, start)) = key.strip_prefix("budget:").and_then(|rest| rest.split_once(':')) else { continue };
            let Some(budget) = periods.get(id) else { continue };
            let start = format!("{start}T00:00:00Z").parse::<DateTimeUtc>();
            balance.is_told = start.map_or(true, |start| counts(budget, start));
        }
        Ok(budgets)
    }

    async fn read_usage<C: ConnectionTrait>(&mut self, db: &C) -> Result<(), DbErr> {
        let mut rows = usage_daily::Entity::find().cursor_by(usage_daily::Column::Id);
        loop {
            let part = rows.first(A_PART).all(db).await?;
            let Some(last) = part.last() else { return Ok(()) };
            rows.after(last.id);
            for row in part {
                let (key, measures) = row::usage::record(row)?;
                let sums = self.usage.entry(key).or_default();
                for (measure, n) in measures.into_iter().filter(|(measure, _)| measure.is_in_rows()) {
                    let counter = &mut sums.entry(measure).or_default().counter;
                    *counter = counter.saturating_add(n);
                }
            }
        }
    }

    async fn read_run_counts<C: ConnectionTrait>(&mut self, db: &C, marks: &Marks) -> Result<(), DbErr> {
        use run_count::Column as C;
        let workspaces: Vec<Uuid> =
            run_count::Entity::find().select_only().column(C::WorkspaceId).distinct().into_tuple().all(db).await?;
        for workspace_id in workspaces {
            let mut last: Option<DateTimeUtc> = None;
            loop {
                // Parts of whole times: a time has as many rows as there are measures.
                let mut query = run_count::Entity::find().filter(C::WorkspaceId.eq(workspace_id));
                if let Some(last) = last {
                    query = query.filter(C::StartsAt.gt(last));
                }
                let rows = query.order_by_asc(C::StartsAt).limit(A_PART).all(db).await?;
                let Some(end) = rows.last().map(|row| row.starts_at) else { break };
                let is_whole = (rows.len() as u64) < A_PART;
                let same = run_count::Entity::find().filter(C::WorkspaceId.eq(workspace_id));
                let same = if is_whole { Vec::new() } else { same.filter(C::StartsAt.eq(end)).all(db).await? };
                let before = rows.into_iter().filter(|row| is_whole || row.starts_at != end);
                for row in before.chain(same) {
                    let (key, n) = row::usage::count_record(&row)?;
                    let counter = &mut self.runs.entry(coarse(key, marks)).or_default().counter;
                    *counter = counter.saturating_add(n);
                }
                last = Some(end);
            }
        }
        Ok(())
    }

    fn take(&mut self, tally: Tally, marks: &Marks) {
        for (key, measures) in tally.usage {
            let sums = self.usage.entry(key).or_default();
            for (measure, n) in measures {
                let rows = &mut sums.entry(measure).or_default().rows;
                *rows = rows.saturating_add(n);
            }
        }
        for (key, n) in tally.runs {
            let rows = &mut self.runs.entry(coarse(key, marks)).or_default().rows;
            *rows = rows.saturating_add(n);
        }
    }

    /// What differs, as it is told.
    pub(super) fn differences(&self, usage_alone: bool) -> Vec<Difference> {
        let mut differences = Vec::new();
        let mut tell = |table, key: String, measure: String, both: Both| {
            if both.lack() != 0 {
                differences.push(Difference { table, key, measure, counter: both.counter, rows: both.rows });
            }
        };
        for (key, measures) in &self.usage {
            for (measure, both) in measures {
                tell("usage_daily", row::usage::told(key), measure.as_str().to_owned(), *both);
            }
        }
        for (key, both) in &self.runs {
            tell("run_counts", row::usage::told_count(key), key.measure.to_string(), *both);
        }
        for ((_, key), balance) in self.balances.iter().filter(|_| !usage_alone) {
            if balance.is_told {
                tell("counters", key.clone(), "value".to_owned(), balance.value);
            }
            tell("counters", key.clone(), "held".to_owned(), balance.held);
        }
        differences
    }
}

fn counted(row: RunRow, tally: &mut Tally) -> Result<Counted, DbErr> {
    let scope = row::scope(row.tenant_id, row.workspace_id);
    let dimensions = row.dimensions.read()?;
    tally.run_opened(scope, &dimensions);
    if let Some(duration_ms) = row.duration_ms {
        let status = word(&row.status, "runs.status")?;
        tally.run_ended(scope, &dimensions, status, small(row.steps), count(duration_ms));
    }
    tally.refused(scope, &dimensions, small(row.refusals));
    Ok(Counted { scope, user_id: row.user_id.map(UserId::from_uuid), dimensions })
}

async fn count_steps<C: ConnectionTrait>(
    db: &C,
    runs: &HashMap<Uuid, Counted>,
    tally: &mut Tally,
) -> Result<(), DbErr> {
    use step::Column as C;
    type Row = (Uuid, String, String, Option<i64>, Option<i64>);
    let rows: Vec<Row> = step::Entity::find()
        .select_only()
        .columns([C::RunId, C::StepType, C::Status, C::LatencyMs, C::TtftMs])
        .filter(C::RunId.is_in(runs.keys().copied()))
        .into_tuple()
        .all(db)
        .await?;
    for (run_id, step_type, status, latency_ms, ttft_ms) in rows {
        let Some(run) = runs.get(&run_id) else { continue };
        let step_type = word(&step_type, "steps.step_type")?;
        tally.step_opened(run.scope, &run.dimensions, step_type);
        if let Some(latency_ms) = latency_ms {
            let status = word(&status, "steps.status")?;
            tally.step_closed(run.scope, &run.dimensions, step_type, status, count(latency_ms), ttft_ms.map(count));
        }
    }
    Ok(())
}

fn binds(budget: &Budget, key_id: Option<ApiKeyId>, user_id: Option<UserId>) -> bool {
    let names = |id: Option<String>| id.is_some() && budget.scope_id == id;
    match budget.scope_kind {
        ScopeKind::Workspace => true,
        ScopeKind::ApiKey => names(key_id.map(|id| id.to_string())),
        ScopeKind::User => names(user_id.map(|id| id.to_string())),
    }
}

/// A period that was over before there was the budget is not counted.
fn counts(budget: &Budget, at: DateTimeUtc) -> bool {
    period_end(budget.period, at).is_none_or(|end| end > budget.created_at)
}

/// The row that covers a count by now.
fn coarse(key: RunCountKey, marks: &Marks) -> RunCountKey {
    let seconds = marks.seconds(key.starts_at).max(key.seconds);
    RunCountKey { seconds, starts_at: truncated(key.starts_at, seconds), ..key }
}
