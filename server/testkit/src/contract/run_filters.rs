//! Filters of runs that leave out, and how many runs each choice of a filter would show.

use kernel::ledger::NewRun;
use kernel::observe::facets;
use types::id::ApiKeyId;
use types::run::{Entry, Mode, RunFilter, RunStatus, Term};

use super::runs::{end_after, found, run_at};
use super::{Store, applied, seeded};
use crate::sample::{Sample, open_run};

fn not<T>(value: T) -> Vec<Term<T>> {
    vec![Term::Not(value)]
}

fn not_text(value: &str) -> Vec<Term<String>> {
    not(value.to_owned())
}

/// Least of all what has no value.
pub async fn what_is_left_out_takes_nothing_else_along(store: &impl Store) {
    let sample = seeded(store).await;
    let mut runs: Vec<NewRun> = (0..4).map(|number| run_at(&sample, number)).collect();
    (runs[1].mode, runs[1].entry) = (Mode::Tool, Entry::Api);
    runs[2].model_ref = Some("model:other:large".to_owned());
    (runs[3].model_ref, runs[3].api_key_id) = (None, None);
    applied(store, sample.opening([open_run(&runs[0]), end_after(&runs[0], 50, None)])).await;
    applied(store, sample.opening([open_run(&runs[1]), end_after(&runs[1], 500, Some("timeout"))])).await;
    applied(store, sample.opening([open_run(&runs[2]), open_run(&runs[3])])).await;
    let ids = |indexes: &[usize]| indexes.iter().map(|index| runs[*index].id).collect::<Vec<_>>();
    let none = RunFilter::default;
    let (is, isnt) = (Term::Is, Term::Not);
    for (filter, expected) in [
        (RunFilter { status: not(RunStatus::Failed), ..none() }, &[0, 2, 3][..]),
        (RunFilter { status: vec![isnt(RunStatus::Failed), isnt(RunStatus::Running)], ..none() }, &[0]),
        (
            RunFilter {
                status: vec![is(RunStatus::Failed), is(RunStatus::Running), isnt(RunStatus::Failed)],
                ..none()
            },
            &[2, 3],
        ),
        (RunFilter { mode: not(Mode::Tool), status: vec![is(RunStatus::Succeeded)], ..none() }, &[0]),
        (RunFilter { entry: not(Entry::Api), ..none() }, &[0, 2, 3]),
        (RunFilter { source: not(types::run::Source::Gateway), ..none() }, &[]),
        (RunFilter { caller_id: not(sample.user_id.to_string()), ..none() }, &[]),
        (RunFilter { caller_id: not_text("nobody"), ..none() }, &[0, 1, 2, 3]),
        (RunFilter { api_key_id: not(sample.key_id), ..none() }, &[3]),
        (RunFilter { model_ref: not_text("model:other:large"), ..none() }, &[0, 1, 3]),
        (RunFilter { error_code: not_text("timeout"), ..none() }, &[0, 2, 3]),
        (RunFilter { provider: not_text("other"), ..none() }, &[0, 1, 3]),
        (RunFilter { provider: not_text("o%"), ..none() }, &[0, 1, 2, 3]),
        (RunFilter { provider: vec![Term::Is("other".to_owned()), Term::Not("test".to_owned())], ..none() }, &[2]),
    ] {
        assert_eq!(found(store, &sample, filter.clone()).await, ids(expected), "{filter:?}");
    }
}

/// Sixty runs of every kind, the same in every run of a test; of the keys one is none of the workspace's any more.
async fn mixed_runs(store: &impl Store, sample: &Sample) -> (Vec<NewRun>, [ApiKeyId; 2]) {
    let keys = [sample.key_id, ApiKeyId::from_uuid(sample.ids().uuid())];
    let mut state: u32 = 7;
    let mut pick = |choices: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % choices
    };
    let mut runs = Vec::new();
    for number in 0..60 {
        let mut run = run_at(sample, number);
        run.model_ref = ["model:a:x", "model:a:y", "model:b:x"].get(pick(4) as usize).map(|model| (*model).to_owned());
        run.api_key_id = keys.get(pick(3) as usize).copied();
        run.mode = Mode::ALL[pick(2) as usize];
        run.entry = Entry::ALL[pick(3) as usize];
        run.sandbox = pick(8) == 0;
        let end = match pick(3) {
            0 => Some(end_after(&run, 10, None)),
            1 => Some(end_after(&run, 10, Some("timeout"))),
            _ => None,
        };
        applied(store, sample.opening([open_run(&run)].into_iter().chain(end))).await;
        runs.push(run);
    }
    (runs, keys)
}

/// Whatever else the list is narrowed by.
pub async fn facets_count_what_the_list_would_show(store: &impl Store) {
    let sample = seeded(store).await;
    let (runs, keys) = mixed_runs(store, &sample).await;
    let beside = [
        RunFilter::default(),
        RunFilter {
            started_from: Some(runs[7].started_at),
            started_to: Some(runs[50].started_at),
            ..RunFilter::default()
        },
        RunFilter { error_code: not_text("timeout"), sandbox: vec![true, false], ..RunFilter::default() },
        RunFilter { provider: vec!["a".to_owned().into()], ..RunFilter::default() },
    ];
    for beside in beside {
        let tally = store.tally_runs(sample.scope, &beside, 1_000).await.expect("a tally");
        for filter in [
            beside.clone(),
            RunFilter { status: vec![RunStatus::Failed.into()], ..beside.clone() },
            RunFilter { status: not(RunStatus::Failed), model_ref: not_text("model:a:x"), ..beside.clone() },
            RunFilter { api_key_id: not(keys[0]), entry: vec![Entry::ALL[0].into()], ..beside.clone() },
            RunFilter { mode: not(Mode::ALL[0]), model_ref: vec!["model:a:y".to_owned().into()], ..beside },
        ] {
            let facets = facets(&filter, tally.clone());
            assert!(!facets.is_lower_bound);
            let shown = async |filter: RunFilter| found(store, &sample, filter).await.len() as u64;
            assert_eq!(facets.total, shown(filter.clone()).await, "{filter:?}");
            for status in RunStatus::ALL {
                let alone = RunFilter { status: vec![(*status).into()], ..filter.clone() };
                assert_eq!(facets.status.get(status).copied().unwrap_or(0), shown(alone).await, "{status} {filter:?}");
            }
            for mode in &Mode::ALL[..3] {
                let alone = RunFilter { mode: vec![(*mode).into()], ..filter.clone() };
                assert_eq!(facets.mode.get(mode).copied().unwrap_or(0), shown(alone).await, "{mode} {filter:?}");
            }
            for entry in &Entry::ALL[..4] {
                let alone = RunFilter { entry: vec![(*entry).into()], ..filter.clone() };
                assert_eq!(facets.entry.get(entry).copied().unwrap_or(0), shown(alone).await, "{entry} {filter:?}");
            }
            for model in ["model:a:x", "model:a:y", "model:b:x", "model:c:x"] {
                let alone = RunFilter { model_ref: vec![model.to_owned().into()], ..filter.clone() };
                assert_eq!(facets.model_ref.get(model).copied().unwrap_or(0), shown(alone).await, "{model} {filter:?}");
            }
            for key in keys {
                let alone = RunFilter { api_key_id: vec![key.into()], ..filter.clone() };
                assert_eq!(facets.api_key_id.get(&key).copied().unwrap_or(0), shown(alone).await, "{key} {filter:?}");
            }
        }
    }
}

/// However many there are, and whether they match or not.
pub async fn no_more_than_the_newest_runs_are_counted(store: &impl Store) {
    let sample = seeded(store).await;
    let (runs, _) = mixed_runs(store, &sample).await;
    let all = RunFilter { sandbox: vec![true, false], ..RunFilter::default() };
    let failed = RunFilter { status: vec![RunStatus::Failed.into()], ..all.clone() };
    let until = RunFilter { started_to: Some(runs[50].started_at), ..all.clone() };
    for newest in [1, 9, 60, 61] {
        let started_from = runs.get(60_usize.saturating_sub(newest as usize)).map(|run| run.started_at);
        for filter in [&all, &failed] {
            let tally = store.tally_runs(sample.scope, filter, newest).await.expect("a tally");
            let matching = found(store, &sample, RunFilter { started_from, ..filter.clone() }).await.len();
            assert_eq!(
                tally.groups.iter().map(|group| group.runs).sum::<u64>(),
                matching as u64,
                "{newest} {filter:?}"
            );
            assert_eq!(tally.is_whole, newest == 61);
        }
    }
    let tally = store.tally_runs(sample.scope, &until, 10).await.expect("a tally");
    assert_eq!((tally.groups.iter().map(|group| group.runs).sum::<u64>(), tally.is_whole), (10, false));
    let elsewhere = super::seeded_as(store, "other", 2).await;
    let mixed = kernel::context::Scope { tenant_id: elsewhere.scope.tenant_id, ..sample.scope };
    for scope in [elsewhere.scope, mixed] {
        assert!(store.tally_runs(scope, &all, 10).await.expect("a tally").groups.is_empty());
    }
}
