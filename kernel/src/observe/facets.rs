//! How many runs each choice of a filter would show.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use types::run::{RunFacets, RunFilter, Term};

use super::Observe;
use super::reading::check_counts;
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::Result;
use crate::policy::guard;
use crate::port::{RunGroup, RunTally};

/// How many of the newest runs are looked at.
const NEWEST: u32 = 10_000;
/// Most models of one answer: what callers name has no bound.
const MOST_MODELS: usize = 100;

impl Observe {
    /// How many runs each state, mode, door, model and key would show beside the other filters.
    ///
    /// The work has a bound: only the newest 10,000 runs of the filter's time are looked at. Where there are more, every
    /// number is a lower bound.
    pub async fn count_facets(&self, ctx: &OpContext, filter: &RunFilter) -> Result<RunFacets> {
        guard::authorize(ctx, "run.list")?;
        let mut checks = Checks::default();
        check_counts(&mut checks, filter);
        checks.done()?;
        let others = RunFilter {
            status: Vec::new(),
            mode: Vec::new(),
            entry: Vec::new(),
            model_ref: Vec::new(),
            api_key_id: Vec::new(),
            ..filter.clone()
        };
        Ok(facets(filter, self.ports.runs.tally_runs(ctx.scope, &others, NEWEST).await?))
    }
}

/// What a tally of the runs that match all filters but those of state, mode, door, model and key says of these.
pub fn facets(filter: &RunFilter, tally: RunTally) -> RunFacets {
    let mut facets = RunFacets { is_lower_bound: !tally.is_whole, ..RunFacets::default() };
    for RunGroup { status, mode, entry, model_ref, api_key_id, runs } in tally.groups {
        let of_status = Term::pass(&filter.status, |wanted| *wanted == status);
        let of_mode = Term::pass(&filter.mode, |wanted| *wanted == mode);
        let of_entry = Term::pass(&filter.entry, |wanted| *wanted == entry);
        let of_model = Term::pass(&filter.model_ref, |wanted| model_ref.as_ref() == Some(wanted));
        let of_key = Term::pass(&filter.api_key_id, |wanted| api_key_id == Some(*wanted));
        let misses = [of_status, of_mode, of_entry, of_model, of_key].into_iter().filter(|passes| !passes).count();
        // A filter does not narrow its own choices: nothing else may refuse the group.
        let others_pass = |own: bool| misses == usize::from(!own);
        if misses == 0 {
            facets.total += runs;
        }
        if others_pass(of_status) {
            *facets.status.entry(status).or_default() += runs;
        }
        if others_pass(of_mode) {
            *facets.mode.entry(mode).or_default() += runs;
        }
        if others_pass(of_entry) {
            *facets.entry.entry(entry).or_default() += runs;
        }
        if let Some(model) = model_ref.filter(|_| others_pass(of_model)) {
            *facets.model_ref.entry(model).or_default() += runs;
        }
        if let Some(key) = api_key_id.filter(|_| others_pass(of_key)) {
            *facets.api_key_id.entry(key).or_default() += runs;
        }
    }
    RunFacets { model_ref: most(facets.model_ref), ..facets }
}

/// The models with the most runs.
fn most(models: BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    let mut models: Vec<(String, u64)> = models.into_iter().collect();
    models.sort_by_key(|(_, runs)| Reverse(*runs));
    models.truncate(MOST_MODELS);
    models.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use types::run::{Entry, Mode, RunStatus};

    use super::*;

    fn group(status: RunStatus, model: &str, runs: u64) -> RunGroup {
        let (mode, entry) = (Mode::Gateway, Entry::Openai);
        RunGroup { status, mode, entry, model_ref: Some(model.to_owned()), api_key_id: None, runs }
    }

    #[test]
    fn a_filter_narrows_every_choice_but_its_own() {
        let groups = vec![
            group(RunStatus::Failed, "a", 1),
            group(RunStatus::Succeeded, "a", 20),
            group(RunStatus::Failed, "b", 300),
        ];
        let filter = RunFilter {
            status: vec![RunStatus::Failed.into()],
            model_ref: vec![Term::Not("b".to_owned())],
            ..RunFilter::default()
        };
        let facets = facets(&filter, RunTally { groups, is_whole: false });
        assert_eq!(facets.status, BTreeMap::from([(RunStatus::Failed, 1), (RunStatus::Succeeded, 20)]));
        assert_eq!(facets.model_ref, BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 300)]));
        assert_eq!(facets.mode, BTreeMap::from([(Mode::Gateway, 1)]));
        assert_eq!((facets.total, facets.is_lower_bound), (1, true));
    }

    #[test]
    fn of_many_models_those_with_the_most_runs_are_told() {
        let groups = (1..=150).map(|runs| group(RunStatus::Failed, &format!("m{runs}"), runs)).collect();
        let facets = facets(&RunFilter::default(), RunTally { groups, is_whole: true });
        assert_eq!(facets.model_ref.len(), MOST_MODELS);
        assert_eq!(facets.model_ref.values().min(), Some(&51));
    }
}
