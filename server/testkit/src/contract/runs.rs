//! Reading runs.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta};
use kernel::ledger::{CounterKey, Fence, HoldLine, NewRun, Op};
use kernel::port::{EventRange, Standing, StoreError};
use kernel::record::Row;
use types::budget::{Budget, BudgetStatus, Period, ScopeKind};
use types::cost::PricingStatus;
use types::id::RunId;
use types::money::{Amount, Currency};
use types::observe::Setup;
use types::run::{Failure, Mode, RunFilter, RunMark, RunQuery, RunSort, RunStatus};

use super::{Store, applied, seeded, seeded_as};
use crate::sample::{Sample, add_cost, append, move_run, noon, open_run, open_step, place, put, run_end, settle};

/// A run that started so many seconds after noon.
pub(super) fn run_at(sample: &Sample, seconds: i64) -> NewRun {
    NewRun { started_at: noon() + TimeDelta::seconds(seconds), ..sample.run() }
}

/// Ends a run so many milliseconds after its start, well or with an error.
pub(super) fn end_after(run: &NewRun, millis: i64, error: Option<&str>) -> Op {
    let mut end = run_end();
    end.ended_at = run.started_at + TimeDelta::milliseconds(millis);
    end.error = error.map(|code| Failure { code: code.to_owned(), message: "It FAILED".to_owned(), step_id: None });
    let to = if error.is_some() { RunStatus::Failed } else { RunStatus::Succeeded };
    Op::RunMove { run_id: run.id, to, end: Some(Arc::new(end)) }
}

/// Every id of a list, page by page.
async fn all_pages(store: &impl Store, sample: &Sample, mut query: RunQuery) -> Vec<RunId> {
    let mut ids = Vec::new();
    loop {
        let page = store.list_runs(sample.scope, &query).await.expect("a page");
        assert!(page.items.len() <= query.limit as usize);
        ids.extend(page.items.iter().map(|run| run.id));
        match page.next_cursor {
            Some(cursor) => query.cursor = Some(cursor),
            None => return ids,
        }
    }
}

pub(super) async fn found(store: &impl Store, sample: &Sample, filter: RunFilter) -> Vec<RunId> {
    let count = store.count_runs(sample.scope, &filter, 100).await.expect("a count");
    let query = RunQuery { filter, descending: false, ..RunQuery::default() };
    let ids = all_pages(store, sample, query).await;
    assert_eq!(count, ids.len() as u64);
    ids
}

/// Without gaps or repeats, in both directions, also where the sorted values are equal.
pub async fn a_page_follows_the_page_before(store: &impl Store) {
    let sample = seeded(store).await;
    let runs: Vec<NewRun> = (0..11).map(|number| run_at(&sample, number / 3)).collect();
    for run in &runs {
        applied(store, sample.opening([open_run(run), end_after(run, 100 - run.started_at.timestamp() % 7, None)]))
            .await;
    }
    let mut ids: Vec<RunId> = runs.iter().map(|run| run.id).collect();
    let query = |descending, limit| RunQuery { descending, limit, ..RunQuery::default() };
    for limit in [1, 3, 11, 200] {
        assert_eq!(all_pages(store, &sample, query(false, limit)).await, ids, "{limit}");
    }
    ids.reverse();
    assert_eq!(all_pages(store, &sample, query(true, 4)).await, ids);
    for sort in [RunSort::EndedAt, RunSort::DurationMs] {
        let ascending = all_pages(store, &sample, RunQuery { sort, limit: 2, ..query(false, 2) }).await;
        let mut descending = all_pages(store, &sample, RunQuery { sort, limit: 3, ..query(true, 3) }).await;
        descending.reverse();
        assert_eq!(ascending, descending);
        assert_eq!(ascending.len(), 11);
    }
    let counted = store.count_runs(sample.scope, &RunFilter::default(), 7).await.expect("a count");
    assert_eq!(counted, 7);
}

/// What has not ended has no end and no duration.
pub async fn runs_without_a_value_come_last(store: &impl Store) {
    let sample = seeded(store).await;
    let runs: Vec<NewRun> = (0..6).map(|number| run_at(&sample, number)).collect();
    for (index, run) in runs.iter().enumerate() {
        let end = (index % 2 == 0).then(|| end_after(run, 1_000 - i64::try_from(index).expect("small"), None));
        applied(store, sample.opening([open_run(run)].into_iter().chain(end))).await;
    }
    let at = |indexes: [usize; 6]| indexes.map(|index| runs[index].id).to_vec();
    for limit in [1, 2, 3, 4, 6] {
        let list =
            |sort, descending| all_pages(store, &sample, RunQuery { sort, descending, limit, ..RunQuery::default() });
        assert_eq!(list(RunSort::DurationMs, false).await, at([4, 2, 0, 1, 3, 5]), "{limit}");
        assert_eq!(list(RunSort::DurationMs, true).await, at([0, 2, 4, 5, 3, 1]), "{limit}");
        assert_eq!(list(RunSort::EndedAt, true).await, at([4, 2, 0, 5, 3, 1]), "{limit}");
    }
}

/// And to nobody else.
pub async fn a_cursor_belongs_to_its_list(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    for number in 0..3 {
        applied(store, sample.opening([open_run(&run_at(&sample, number))])).await;
    }
    let query = RunQuery { limit: 1, ..RunQuery::default() };
    let page = store.list_runs(sample.scope, &query).await.expect("a page");
    let cursor = page.next_cursor.expect("more runs");
    let with = |cursor: &str| RunQuery { cursor: Some(cursor.to_owned()), ..query.clone() };
    assert!(store.list_runs(sample.scope, &with(&cursor)).await.is_ok());
    let mut filtered = with(&cursor);
    filtered.filter.status = vec![RunStatus::Running.into()];
    let ascending = RunQuery { descending: false, ..with(&cursor) };
    let sorted = RunQuery { sort: RunSort::EndedAt, ..with(&cursor) };
    for (scope, query) in [
        (other.scope, &with(&cursor)),
        (sample.scope, &filtered),
        (sample.scope, &ascending),
        (sample.scope, &sorted),
        (sample.scope, &with("")),
        (sample.scope, &with("not a cursor")),
        (sample.scope, &with(&cursor.to_lowercase())),
    ] {
        assert!(matches!(store.list_runs(scope, query).await, Err(StoreError::Cursor)), "{query:?}");
    }
}

/// Several values of one filter mean *or*, different filters mean *and*.
pub async fn filters_narrow_the_list(store: &impl Store) {
    let sample = seeded(store).await;
    let mut runs: Vec<NewRun> = (0..4).map(|number| run_at(&sample, number)).collect();
    runs[1].mode = Mode::Tool;
    runs[2].model_ref = Some("model:other:large".to_owned());
    runs[3].api_key_id = None;
    applied(store, sample.opening([open_run(&runs[0]), end_after(&runs[0], 50, None)])).await;
    applied(store, sample.opening([open_run(&runs[1]), end_after(&runs[1], 500, Some("timeout"))])).await;
    applied(store, sample.opening([open_run(&runs[2]), open_run(&runs[3])])).await;
    let ids = |indexes: &[usize]| indexes.iter().map(|index| runs[*index].id).collect::<Vec<_>>();
    let none = RunFilter::default;
    for (filter, expected) in [
        (none(), &[0, 1, 2, 3][..]),
        (RunFilter { status: vec![RunStatus::Failed.into(), RunStatus::Succeeded.into()], ..none() }, &[0, 1]),
        (RunFilter { status: vec![RunStatus::Failed.into()], mode: vec![Mode::Gateway.into()], ..none() }, &[]),
        (RunFilter { mode: vec![Mode::Tool.into()], ..none() }, &[1]),
        (RunFilter { entry: vec![types::run::Entry::Api.into()], ..none() }, &[]),
        (RunFilter { source: vec![types::run::Source::Gateway.into()], ..none() }, &[0, 1, 2, 3]),
        (RunFilter { caller_id: vec![sample.user_id.to_string().into()], ..none() }, &[0, 1, 2, 3]),
        (RunFilter { api_key_id: vec![sample.key_id.into()], ..none() }, &[0, 1, 2]),
        (RunFilter { model_ref: vec!["model:other:large".to_owned().into()], ..none() }, &[2]),
        (RunFilter { error_code: vec!["timeout".to_owned().into()], ..none() }, &[1]),
        (RunFilter { trace_id: Some(runs[2].trace_id.clone()), ..none() }, &[2]),
        (RunFilter { request_id: runs[3].request_id, ..none() }, &[3]),
        (RunFilter { started_from: Some(runs[1].started_at), started_to: Some(runs[3].started_at), ..none() }, &[1, 2]),
        (RunFilter { min_duration_ms: Some(500), ..none() }, &[1]),
    ] {
        assert_eq!(found(store, &sample, filter.clone()).await, ids(expected), "{filter:?}");
    }
}

/// What a run cost, who it belongs to and what it is marked with.
pub async fn filters_know_money_labels_and_families(store: &impl Store) {
    let sample = seeded(store).await;
    let mut runs: Vec<NewRun> = (0..5).map(|number| run_at(&sample, number)).collect();
    runs[1].labels.insert("env".to_owned(), "10%".to_owned());
    runs[1].labels.insert("team".to_owned(), "Search".to_owned());
    runs[2].labels.clear();
    (runs[2].root_run_id, runs[2].parent_run_id) = (runs[0].id, Some(runs[0].id));
    (runs[3].sandbox, runs[3].source_run_id) = (true, Some(runs[1].id));
    runs[4].model_ref = Some("model:test_2:echo".to_owned());
    let eur: Currency = "EUR".parse().expect("a currency");
    let costs = [
        (0, Some((Currency::USD, 700))),
        (0, Some((Currency::USD, 50))),
        (0, Some((eur, 9))),
        (1, Some((Currency::USD, 3))),
    ];
    let costs = costs.into_iter().chain([(2, None), (3, Some((Currency::USD, 800)))]).map(|(index, money)| {
        let mut cost = sample.cost(runs[index].id, sample.ids().step(), 0);
        (cost.currency, cost.amount) = (money.map(|(of, _)| of), money.map(|(_, nanos)| Amount::from_nanos(nanos)));
        cost.pricing_status = match (index, money) {
            (_, None) => PricingStatus::Unpriced,
            (1, _) => PricingStatus::Estimated,
            _ => PricingStatus::Priced,
        };
        add_cost(&cost)
    });
    applied(store, sample.opening(runs.iter().map(open_run).chain(costs))).await;
    let ids = |indexes: &[usize]| indexes.iter().map(|index| runs[*index].id).collect::<Vec<_>>();
    let label = |key: &str, values: &[&str]| {
        (key.to_owned(), values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>())
    };
    let labels = |labels: &[(String, Vec<String>)]| RunFilter {
        label: labels.iter().cloned().collect(),
        ..RunFilter::default()
    };
    let usd = || RunFilter { currency: Some(Currency::USD), ..RunFilter::default() };
    let nanos = |nanos| Some(Amount::from_nanos(nanos));
    let none = RunFilter::default;
    for (filter, expected) in [
        (none(), &[0, 1, 2, 4][..]),
        (RunFilter { sandbox: vec![true], ..none() }, &[3]),
        (RunFilter { sandbox: vec![true, false], ..none() }, &[0, 1, 2, 3, 4]),
        (RunFilter { min_cost: nanos(3), ..usd() }, &[0, 1]),
        (RunFilter { min_cost: nanos(4), ..usd() }, &[0]),
        (RunFilter { min_cost: nanos(750), max_cost: nanos(750), ..usd() }, &[0]),
        (RunFilter { max_cost: nanos(749), ..usd() }, &[1]),
        (RunFilter { max_cost: nanos(9), currency: Some(eur), ..none() }, &[0]),
        (RunFilter { has: vec![RunMark::Estimated], ..none() }, &[1]),
        (RunFilter { has: vec![RunMark::Unpriced], ..none() }, &[2]),
        (RunFilter { has: vec![RunMark::Unpriced, RunMark::Estimated], ..none() }, &[1, 2]),
        (labels(&[label("team", &["search"])]), &[0, 4]),
        (labels(&[label("team", &["search", "Search"])]), &[0, 1, 4]),
        (labels(&[label("team", &["search", "Search"]), label("env", &["10%"])]), &[1]),
        (labels(&[label("env", &["%"])]), &[]),
        (RunFilter { root_run_id: vec![runs[0].id], ..none() }, &[0, 2]),
        (RunFilter { parent_run_id: vec![runs[0].id, runs[1].id], ..none() }, &[2]),
        (RunFilter { source_run_id: vec![runs[1].id], sandbox: vec![true], ..none() }, &[3]),
        (RunFilter { provider: vec!["test".to_owned().into()], ..none() }, &[0, 1, 2]),
        (RunFilter { provider: vec!["test_2".to_owned().into()], ..none() }, &[4]),
        (RunFilter { provider: vec!["te_t".to_owned().into(), "%".to_owned().into()], ..none() }, &[]),
    ] {
        assert_eq!(found(store, &sample, filter.clone()).await, ids(expected), "{filter:?}");
    }

    let by_cost = |descending, limit, filter| RunQuery { sort: RunSort::Cost, descending, limit, filter, cursor: None };
    for limit in [1, 2, 3, 4, 200] {
        let dearest = all_pages(store, &sample, by_cost(true, limit, usd())).await;
        assert_eq!(dearest, ids(&[0, 1, 4, 2]), "{limit}");
        let cheapest = all_pages(store, &sample, by_cost(false, limit, usd())).await;
        assert_eq!(cheapest, ids(&[1, 0, 2, 4]), "{limit}");
    }
    let page = store.list_runs(sample.scope, &by_cost(true, 1, usd())).await.expect("a page");
    let euros = by_cost(true, 1, RunFilter { currency: Some(eur), ..none() });
    let foreign = RunQuery { cursor: page.next_cursor, ..euros };
    assert!(matches!(store.list_runs(sample.scope, &foreign).await, Err(StoreError::Cursor)));
}

/// Wildcards are letters, and an id is found by its start.
pub async fn text_is_found_in_any_case(store: &impl Store) {
    let sample = seeded(store).await;
    let mut runs: Vec<NewRun> = (0..3).map(|number| run_at(&sample, number)).collect();
    runs[0].input.preview = Some("50%_off \\ Today".to_owned());
    runs[1].input.preview = Some("500 of today".to_owned());
    runs[2].labels.insert("team".to_owned(), "Refunds".to_owned());
    for run in &runs[..2] {
        applied(store, sample.opening([open_run(run)])).await;
    }
    applied(store, sample.opening([open_run(&runs[2]), end_after(&runs[2], 1, Some("upstream_error"))])).await;
    let (id, request) = (runs[1].id.to_string(), runs[2].request_id.expect("a request").to_string());
    for (text, expected) in [
        ("TODAY", &[0, 1][..]),
        ("50%", &[0]),
        ("%_O", &[0]),
        ("\\ T", &[0]),
        ("_of", &[0]),
        ("refunds", &[2]),
        ("it failed", &[2]),
        ("Upstream_Error", &[2]),
        ("AN ANSWER", &[2]),
        ("nowhere", &[]),
        (&id, &[1]),
        (&request, &[2]),
        (&id[..12], &[0, 1, 2]),
        (&runs[0].trace_id, &[0]),
    ] {
        let filter = RunFilter { q: Some(text.to_owned()), ..RunFilter::default() };
        let expected: Vec<RunId> = expected.iter().map(|index| runs[*index].id).collect();
        assert_eq!(found(store, &sample, filter).await, expected, "{text}");
    }
}

/// Newest first, sandboxed ones included, and no more than were asked for.
pub async fn a_run_is_read_with_what_came_out_of_it(store: &impl Store) {
    let sample = seeded(store).await;
    let source = run_at(&sample, 0);
    let from = |run: NewRun| NewRun { source_run_id: Some(source.id), ..run };
    let first = from(run_at(&sample, 1));
    let second = NewRun { sandbox: true, ..from(run_at(&sample, 2)) };
    let third = from(run_at(&sample, 2));
    let other = run_at(&sample, 3);
    let runs = [&source, &third, &first, &other, &second];
    applied(store, sample.opening(runs.map(open_run))).await;
    let read = async |id, limit| store.find_run_and_replays(sample.scope, id, limit).await.expect("a read");
    let (run, replays) = read(source.id, 9).await.expect("it is there");
    assert_eq!(Some(run), store.find_run(sample.scope, source.id).await.expect("a read"));
    let ids = |runs: &[types::run::Run]| runs.iter().map(|run| run.id).collect::<Vec<_>>();
    let late = [second.id, third.id];
    let newest = [late.into_iter().max(), late.into_iter().min()].map(|id| id.expect("two"));
    assert_eq!(ids(&replays), [newest[0], newest[1], first.id]);
    assert_eq!(ids(&read(source.id, 2).await.expect("it is there").1), newest);
    assert_eq!(read(other.id, 9).await.map(|(run, replays)| (run.id, replays)), Some((other.id, Vec::new())));
    assert_eq!(read(sample.ids().run(), 9).await, None);
}

/// Nor of another tenant with the same workspace.
pub async fn nothing_of_another_workspace_is_there(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let run = sample.run();
    let step = sample.step(run.id);
    let cost = sample.cost(run.id, step.id, 1);
    let ops = [open_run(&run), open_step(&step), add_cost(&cost), append(sample.run_event(run.id, "a"))];
    applied(store, sample.opening(ops)).await;
    let mixed = kernel::context::Scope { tenant_id: other.scope.tenant_id, ..sample.scope };
    let range = EventRange { after: 0, limit: 10 };
    for scope in [other.scope, mixed] {
        assert_eq!(store.find_run(scope, run.id).await.expect("a read"), None);
        assert_eq!(store.find_run_and_replays(scope, run.id, 9).await.expect("a read"), None);
        assert!(store.list_runs(scope, &RunQuery::default()).await.expect("a page").items.is_empty());
        assert!(store.list_steps(scope, run.id).await.expect("steps").is_empty());
        assert!(store.list_costs(scope, run.id).await.expect("costs").is_empty());
        assert!(store.list_run_events(scope, run.id, range).await.expect("events").is_empty());
        assert!(store.list_changed(scope, DateTime::UNIX_EPOCH, 9).await.expect("runs").is_empty());
    }
    assert_eq!(store.list_steps(sample.scope, run.id).await.expect("steps").len(), 1);
}

/// Above the one asked for, no more than asked for.
pub async fn events_are_read_by_offset(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let events = (0..5).map(|_| append(sample.run_event(run.id, "counted")));
    applied(store, sample.opening([open_run(&run)].into_iter().chain(events))).await;
    for (after, limit, expected) in [(0, 2, &[1, 2][..]), (2, 10, &[3, 4, 5]), (5, 10, &[]), (9, 1, &[])] {
        let range = EventRange { after, limit };
        let read = store.list_run_events(sample.scope, run.id, range).await.expect("events");
        assert_eq!(read.iter().map(|event| event.offset).collect::<Vec<_>>(), expected);
    }
}

/// For processes that tail the store.
pub async fn changed_runs_are_listed(store: &impl Store) {
    let sample = seeded(store).await;
    let before = store.database_now().await.expect("a time") - TimeDelta::seconds(1);
    let runs = [sample.run(), sample.run()];
    applied(store, sample.opening([open_run(&runs[0])])).await;
    applied(store, sample.opening([open_run(&runs[1])])).await;
    let mut changed = store.runs_changed_since(before).await.expect("runs");
    changed.sort();
    assert_eq!(changed, [(sample.scope, runs[0].id), (sample.scope, runs[1].id)]);
    let later = store.database_now().await.expect("a time") + TimeDelta::seconds(60);
    assert!(store.runs_changed_since(later).await.expect("runs").is_empty());
    for (since, limit, count) in [(before, 9, 2), (before, 1, 1), (later, 9, 0)] {
        let own = store.list_changed(sample.scope, since, limit).await.expect("runs");
        assert_eq!(own.len(), count);
        assert!(own.iter().all(|id| runs.iter().any(|run| run.id == *id)));
    }
}

/// Of one process, those that were asked to end and have not.
pub async fn runs_that_are_to_end_are_listed(store: &impl Store) {
    let sample = seeded(store).await;
    let owner = store.register(sample.ids().process(), "all", "0", false).await.expect("a fence");
    let other = store.register(sample.ids().process(), "all", "0", false).await.expect("a fence");
    let runs = [sample.owned_run(owner), sample.owned_run(owner), sample.owned_run(owner), sample.owned_run(other)];
    applied(store, sample.opening(runs.iter().map(open_run))).await;
    assert!(store.list_canceling(owner).await.expect("runs").is_empty());
    let asked = [&runs[0], &runs[1], &runs[3]].map(|run| move_run(run.id, RunStatus::Canceling));
    applied(store, sample.opening(asked)).await;
    applied(store, sample.closing([move_run(runs[1].id, RunStatus::Canceled)])).await;
    assert_eq!(store.list_canceling(owner).await.expect("runs"), [runs[0].id]);
    let earlier = Fence { epoch: owner.epoch + 1, ..owner };
    assert!(store.list_canceling(earlier).await.expect("runs").is_empty(), "under another epoch");
}

/// What goes on, rehearsals left out, and what is there of what a new workspace needs.
pub async fn a_workspace_stands_as_its_rows_say(store: &impl Store) {
    let sample = seeded(store).await;
    let before = store.standing(sample.scope).await.expect("how it stands");
    assert_eq!(before, Standing { active: 0, setup: Setup { key: true, ..Setup::default() } });
    let (running, ended, rehearsed) = (sample.run(), sample.run(), NewRun { sandbox: true, ..sample.run() });
    let budget = budget(&sample, ScopeKind::Workspace, None);
    let budget = put(Row::Budget { scope: sample.scope, budget, archived: false });
    let ops = [open_run(&running), open_run(&ended), end_after(&ended, 5, None), open_run(&rehearsed), budget];
    applied(store, sample.opening(ops)).await;
    let stands = store.standing(sample.scope).await.expect("how it stands");
    let setup = Setup { provider: false, key: true, run: true, budget: true };
    assert_eq!(stands, Standing { active: 1, setup });
    let other = seeded_as(store, "other", 2).await;
    let elsewhere = store.standing(other.scope).await.expect("how it stands");
    assert_eq!((elsewhere.active, elsewhere.setup.run), (0, false));
}

/// A budget.
pub fn budget(sample: &Sample, scope_kind: ScopeKind, scope_id: Option<String>) -> Budget {
    Budget {
        id: sample.ids().budget(),
        name: "Budget".parse().expect("a name"),
        status: BudgetStatus::Active,
        scope_kind,
        scope_id,
        period: Period::Day,
        currency: Currency::USD,
        amount: Amount::from_nanos(1_000),
        hard_stop: true,
        thresholds: vec![50, 80, 100],
        version: 1,
        created_at: noon(),
    }
}

/// What its scope spent in the period, less what its counter has.
pub async fn a_new_budget_learns_what_was_spent(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let anonymous = NewRun { user_id: None, api_key_id: None, ..sample.run() };
    let mut ops = vec![open_run(&run), open_run(&anonymous)];
    let eur: Currency = "EUR".parse().expect("a currency");
    for (run, key, nanos, days, currency) in [
        (&run, Some(sample.key_id), 100, 0, Currency::USD),
        (&run, Some(sample.key_id), 20, 0, eur),
        (&anonymous, None, 3, 0, Currency::USD),
        (&run, Some(sample.key_id), 4_000, 1, Currency::USD),
    ] {
        let mut cost = sample.cost(run.id, sample.ids().step(), nanos);
        (cost.api_key_id, cost.currency) = (key, Some(currency));
        cost.occurred_at = noon() - TimeDelta::days(days);
        ops.push(add_cost(&cost));
    }
    applied(store, sample.opening(ops)).await;
    let uncounted =
        |budget: Budget| async move { store.uncounted(sample.scope, &budget, noon()).await.expect("a sum") };
    let sample = &sample;
    assert_eq!(uncounted(budget(sample, ScopeKind::Workspace, None)).await, 103);
    assert_eq!(uncounted(budget(sample, ScopeKind::ApiKey, Some(sample.key_id.to_string()))).await, 100);
    assert_eq!(uncounted(budget(sample, ScopeKind::User, Some(sample.user_id.to_string()))).await, 100);
    let total = Budget { period: Period::Total, ..budget(sample, ScopeKind::Workspace, None) };
    assert_eq!(uncounted(total).await, 4_103);

    let counted = budget(sample, ScopeKind::Workspace, None);
    let key = CounterKey::budget(counted.id, counted.period, noon());
    let put = put(Row::Budget { scope: sample.scope, budget: counted.clone(), archived: false });
    applied(store, sample.opening([put, Op::CounterAdd { key, delta: 103, limit: None }])).await;
    assert_eq!(uncounted(counted).await, 0);
}

/// Of one counter, oldest first.
pub async fn open_holds_are_listed(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let step = sample.step(run.id);
    let key = super::ledger::counter("budget");
    let lines = |amount| vec![HoldLine { key: key.clone(), amount, limit: None }];
    let holds = [1, 2, 3].map(|amount| sample.hold(&step, lines(amount)));
    let elsewhere = sample.hold(&step, vec![super::ledger::line("budget2", 9, None)]);
    let placed = holds.iter().chain([&elsewhere]).map(place);
    applied(store, sample.opening([open_run(&run), open_step(&step)].into_iter().chain(placed))).await;
    applied(store, sample.closing([settle(&holds[1], 2)])).await;
    let open = store.list_open_holds(sample.scope, &key).await.expect("holds");
    let told: Vec<_> = open.iter().map(|hold| (hold.id, hold.run_id, hold.step_id, hold.amount.nanos())).collect();
    assert_eq!(told, [(holds[0].id, run.id, step.id, 1), (holds[2].id, run.id, step.id, 3)]);
    assert!(
        store.find_run(sample.scope, run.id).await.expect("a read").is_some_and(|run| run.status == RunStatus::Running)
    );
    applied(store, sample.opening([move_run(run.id, RunStatus::Paused)])).await;
}
