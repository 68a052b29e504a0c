//! Budgets: a new one has counted the past, exactly once.

use std::sync::Arc;

use kernel::ledger::{Batch, CounterKey, Durability, Hold, NewRun, NewStep, Op, SettleLine};
use kernel::policy::budget::{Payer, binding, settle_lines};
use types::budget::{BudgetStatus, CreateBudget, Period, ScopeKind, UpdateBudget};
use types::cost::{Cost, CostKind, PricingStatus, UsageBasis};
use types::id::{BudgetId, CallId, CostId, HoldId, RunId, StepId, Uuid};
use types::identity::Role;
use types::money::{Amount, Currency};
use types::problem::Code;
use types::run::{Capture, Content, Effect, Entry, Mode, RunStatus, Source, StepType, Usage};

use super::world::{World, scope};

pub(super) fn monthly(amount: i64) -> CreateBudget {
    CreateBudget {
        name: "All of it".parse().unwrap(),
        scope_kind: ScopeKind::Workspace,
        scope_id: None,
        period: Period::Month,
        currency: Currency::USD,
        amount: Amount::from_nanos(amount),
        hard_stop: true,
        thresholds: vec![50, 80, 100],
    }
}

/// A call of 10 nano-dollars that is settled as the gateway settles: on every budget of the snapshot's epoch.
fn spend(world: &World, number: u128, seen: &kernel::port::Snapshot) -> bool {
    let (run_id, step_id) = (RunId::from_uuid(Uuid::from_u128(number)), StepId::from_uuid(Uuid::from_u128(number)));
    let hold_id = HoldId::from_uuid(Uuid::from_u128(number));
    let ctx = world.caller(Role::Dev);
    let amount = Amount::from_nanos(10);
    let payer = Payer::of(&ctx);
    let lines: Vec<SettleLine> = settle_lines(&binding(&seen.budgets, &payer), &payer, Currency::USD, amount);
    let run = NewRun {
        id: run_id,
        mode: Mode::Gateway,
        source: Source::Gateway,
        entry: Entry::Openai,
        status: RunStatus::Running,
        caller: ctx.caller(),
        user_id: ctx.user_id,
        api_key_id: None,
        root_run_id: run_id,
        parent_run_id: None,
        source_run_id: None,
        attempt_no: 1,
        capture: Capture::Full,
        trace_id: String::new(),
        request_id: None,
        policy_revision: String::new(),
        sandbox: false,
        model_ref: None,
        input: Content::default(),
        salt: None,
        labels: std::collections::BTreeMap::new(),
        owner: None,
        started_at: ctx.now,
    };
    let step = NewStep {
        id: step_id,
        run_id,
        parent_step_id: None,
        call_id: Some(CallId::from_uuid(Uuid::from_u128(number))),
        step_type: StepType::ModelCall,
        attempt_no: 1,
        effect: Effect::None,
        decision: serde_json::Value::Null,
        request_digest: None,
        input: Content::default(),
        metrics: serde_json::Value::Null,
        started_at: ctx.now,
        outbound_at: Some(ctx.now),
    };
    let cost = Cost {
        id: CostId::from_uuid(Uuid::from_u128(number)),
        run_id,
        step_id,
        kind: CostKind::Charge,
        occurred_at: ctx.now,
        source_ref: format!("step:{step_id}"),
        source_port: "llm".to_owned(),
        operation: "chat".to_owned(),
        provider: "test".to_owned(),
        provider_id: None,
        model_ref: String::new(),
        target_ref: String::new(),
        upstream_model: String::new(),
        upstream_id: None,
        upstream_request_id: None,
        api_key_id: None,
        usage: Usage::default(),
        usage_basis: UsageBasis::Provider,
        pricing_status: PricingStatus::Priced,
        reason: None,
        currency: Some(Currency::USD),
        amount: Some(amount),
        price_id: None,
        snapshot: serde_json::Value::Null,
    };
    let hold = Hold { id: hold_id, run_id, step_id, lines: Vec::new(), worst_case: None };
    let batch = Batch::opening(scope(), Durability::Power).under_epoch(seen.auth_epoch).with([
        Op::RunOpen(Arc::new(run)),
        Op::StepOpen(Arc::new(step)),
        Op::HoldPlace(Arc::new(hold)),
        Op::CostAdd(Arc::new(cost)),
        Op::HoldSettle { hold_id, lines },
    ]);
    world.apply(batch).is_ok()
}

async fn snapshot(world: &World) -> Arc<kernel::port::Snapshot> {
    kernel::port::Catalog::forget(world, scope());
    kernel::port::Catalog::snapshot(world, scope()).await.unwrap().unwrap()
}

fn counted(world: &World, id: BudgetId) -> i64 {
    let key = CounterKey::budget(id, Period::Month, world.caller(Role::Dev).now);
    world.rows().state.counters.get(&(scope().tenant_id, key)).map_or(0, |counter| counter.value)
}

#[tokio::test]
async fn a_new_budget_has_counted_what_its_period_spent() {
    let world = World::new();
    let before = snapshot(&world).await;
    assert!(spend(&world, 1, &before) && spend(&world, 2, &before));
    let budget = world.budgets().create_budget(&world.caller(Role::Admin), monthly(100)).await.unwrap();
    assert_eq!((budget.status, budget.version), (BudgetStatus::Active, 2));
    let state = world.budgets().find_state(&world.caller(Role::Viewer), budget.id).await.unwrap();
    assert_eq!((state.spent.nanos(), state.remaining.nanos(), state.percent.hundredths), (20, 80, 2000));
}

#[tokio::test]
async fn calls_that_settle_while_it_is_made_count_once() {
    let world = World::new();
    let old = snapshot(&world).await;
    assert!(spend(&world, 1, &old));
    let late = Arc::clone(&old);
    // The first commit is the disabled budget; this settles before it, without knowing it.
    *world.in_between.lock().unwrap() = Some(Box::new(move |world: &World| {
        assert!(spend(world, 2, &late));
        let after = Arc::clone(&late);
        // The second commit enables it: whoever settles before that knows it, or is refused.
        *world.in_between.lock().unwrap() = Some(Box::new(move |world: &World| {
            assert!(!spend(world, 3, &after), "a settlement that does not know the budget is made anew");
            kernel::port::Catalog::forget(world, scope());
            let seen = futures::executor::block_on(kernel::port::Catalog::snapshot(world, scope())).unwrap().unwrap();
            assert_eq!(seen.budgets[0].status, BudgetStatus::Disabled);
            assert!(spend(world, 3, &seen));
        }));
    }));
    let budget = world.budgets().create_budget(&world.caller(Role::Admin), monthly(100)).await.unwrap();
    assert_eq!(counted(&world, budget.id), 30);
    let now = snapshot(&world).await;
    assert!(spend(&world, 4, &now));
    assert_eq!(counted(&world, budget.id), 40);
}

#[tokio::test]
async fn a_disabled_budget_counts_on_and_is_right_when_it_binds_again() {
    let world = World::new();
    let (budgets, ctx) = (world.budgets(), world.caller(Role::Admin));
    let budget = budgets.create_budget(&ctx, monthly(100)).await.unwrap();
    let set = |status| UpdateBudget { status: Some(status), ..UpdateBudget::default() };
    let off = budgets.update_budget(&ctx, budget.id, Some(2), set(BudgetStatus::Disabled)).await.unwrap();
    assert!(spend(&world, 1, &*snapshot(&world).await));
    let on = budgets.update_budget(&ctx, budget.id, Some(off.version), set(BudgetStatus::Active)).await.unwrap();
    assert_eq!((on.status, counted(&world, budget.id)), (BudgetStatus::Active, 10));
}

#[tokio::test]
async fn a_form_sent_again_finds_its_change_made_and_a_stale_one_changes_nothing() {
    let world = World::new();
    let budgets = world.budgets();
    let api = world.caller(Role::Admin);
    let form = kernel::OpContext { entry: Entry::Console, ..api.clone() };
    let made = budgets.create_budget(&api, monthly(100)).await.unwrap();
    let rename = |name: &str| UpdateBudget { name: Some(name.parse().unwrap()), ..UpdateBudget::default() };
    let code =
        |answer: kernel::Result<_>| answer.map(|budget: types::budget::Budget| budget.version).map_err(|e| e.code());
    let first = budgets.update_budget(&form, made.id, Some(2), rename("Team")).await.unwrap();
    let again = budgets.update_budget(&form, made.id, Some(2), rename("Team")).await.unwrap();
    assert_eq!((first.version, &again), (3, &first));
    let stale = Err(Code::PreconditionFailed);
    assert_eq!(code(budgets.update_budget(&form, made.id, Some(2), rename("Other")).await), stale);
    assert_eq!(code(budgets.update_budget(&api, made.id, Some(2), rename("Team")).await), stale);
    // Switching on and off: what is to be switched is no repeat, whatever else it finds.
    let set = |status| UpdateBudget { status: Some(status), ..UpdateBudget::default() };
    for _ in 0..2 {
        let off = budgets.update_budget(&form, made.id, Some(3), set(BudgetStatus::Disabled)).await.unwrap();
        assert_eq!((off.status, off.version), (BudgetStatus::Disabled, 4));
    }
    assert_eq!(code(budgets.update_budget(&form, made.id, Some(3), set(BudgetStatus::Active)).await), stale);
    for _ in 0..2 {
        let on = budgets.update_budget(&form, made.id, Some(4), set(BudgetStatus::Active)).await.unwrap();
        assert_eq!(on.status, BudgetStatus::Active);
    }
}

#[tokio::test]
async fn a_budget_that_was_left_half_made_counts_when_it_is_enabled() {
    let world = World::new();
    assert!(spend(&world, 1, &*snapshot(&world).await));
    let (budgets, ctx) = (world.budgets(), world.caller(Role::Admin));
    let budget = budgets.create_budget(&ctx, monthly(100)).await.unwrap();
    // As if the process had died between the two commits.
    {
        let mut rows = world.rows();
        let row = rows.budgets.get_mut(&budget.id).unwrap();
        row.0.status = BudgetStatus::Disabled;
        let key = CounterKey::budget(budget.id, Period::Month, ctx.now);
        rows.state.counters.remove(&(scope().tenant_id, key));
    }
    kernel::port::Catalog::forget(&*world, scope());
    let enable = UpdateBudget { status: Some(BudgetStatus::Active), ..UpdateBudget::default() };
    budgets.update_budget(&ctx, budget.id, Some(2), enable).await.unwrap();
    assert_eq!(counted(&world, budget.id), 10);
}

#[tokio::test]
async fn wrong_budgets_are_refused_by_field() {
    let world = World::new();
    let (budgets, ctx) = (world.budgets(), world.caller(Role::Admin));
    let key = "key_01jz8k0000000000000000000a";
    for (command, code, field) in [
        (CreateBudget { amount: Amount::ZERO, ..monthly(1) }, Code::Invalid, "amount"),
        (CreateBudget { currency: "XXX".parse().unwrap(), ..monthly(1) }, Code::Invalid, "currency"),
        (CreateBudget { thresholds: vec![0], ..monthly(1) }, Code::Invalid, "thresholds[0]"),
        (CreateBudget { thresholds: (1..12).collect(), ..monthly(1) }, Code::Invalid, "thresholds"),
        (CreateBudget { scope_kind: ScopeKind::ApiKey, ..monthly(1) }, Code::Invalid, "scope_id"),
        (CreateBudget { scope_id: Some("x".to_owned()), ..monthly(1) }, Code::Invalid, "scope_id"),
        (
            CreateBudget { scope_kind: ScopeKind::User, scope_id: Some(key.to_owned()), ..monthly(1) },
            Code::Invalid,
            "scope_id",
        ),
        (
            CreateBudget { scope_kind: ScopeKind::ApiKey, scope_id: Some(key.to_owned()), ..monthly(1) },
            Code::NotFound,
            "scope_id",
        ),
    ] {
        let refused = budgets.create_budget(&ctx, command.clone()).await.unwrap_err();
        assert_eq!((refused.code(), refused.field()), (code, Some(field)), "{command:?}");
    }
    assert!(world.rows().budgets.is_empty());
}

#[tokio::test]
async fn a_deleted_budget_is_gone_from_lists_and_its_counter_stays() {
    let world = World::new();
    assert!(spend(&world, 1, &*snapshot(&world).await));
    let (budgets, ctx) = (world.budgets(), world.caller(Role::Admin));
    let budget = budgets.create_budget(&ctx, monthly(100)).await.unwrap();
    budgets.delete_budget(&ctx, budget.id).await.unwrap();
    assert_eq!(budgets.find_budget(&ctx, budget.id).await.unwrap_err().code(), Code::NotFound);
    assert_eq!(counted(&world, budget.id), 10);
}
