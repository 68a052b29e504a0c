//! Runs and what happened in them.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use types::compare::Comparison;
use types::cost::Cost;
use types::feedback::{Feedback, GiveFeedback};
use types::id::{ApiKeyId, FormKey, RunId};
use types::name::Slug;
use types::page::Page;
use types::replay::{ForkRun, Replay, Replayed, RerunRun, Timeline};
use types::run::{CanceledRuns, Run, RunEvent, RunFacets, RunFilter, RunQuery, Step};

use super::Answer;
use crate::query::Range;

/// How many match, counted up to a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Total {
    /// So many.
    pub count: u64,
    /// Whether there are more than were counted.
    pub is_lower_bound: bool,
}

/// What the filters of the list offer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choices {
    /// Keys of the workspace with their names.
    pub keys: Vec<(ApiKeyId, String)>,
    /// How many runs each choice would show; absent when they could not be counted.
    pub facets: Option<RunFacets>,
}

/// One page of the runs list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunList {
    /// The runs.
    pub page: Page<Run>,
    /// How many match; absent when it could not be counted.
    pub total: Option<Total>,
    /// Start of the range.
    pub from: DateTime<Utc>,
    /// End of the range.
    pub to: DateTime<Utc>,
    /// What the filters offer.
    pub choices: Choices,
    /// Names of the callers and keys on the page or asked for, by id; a service principal's with that of who answers for it.
    pub names: BTreeMap<String, String>,
    /// The cursor was none of this list's, so this is its first page.
    pub cursor_refused: bool,
}

/// A run with everything in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunDetail {
    /// The run.
    pub run: Run,
    /// Its steps, by `seq`.
    pub steps: Vec<Step>,
    /// Its cost rows, oldest first.
    pub costs: Vec<Cost>,
    /// Names of the caller and key, by id.
    pub names: BTreeMap<String, String>,
    /// What people say of it, newest first.
    pub feedback: Vec<Feedback>,
    /// How it came out of another run, if it did.
    pub replay: Option<Replay>,
    /// The newest runs that came out of it.
    pub replays: Vec<Run>,
}

/// Runs and what happened in them.
#[async_trait]
pub trait Runs: Send + Sync {
    /// One page of the runs of a range. `query.filter.started_from` and `started_to` are set from the range by the backend.
    async fn list_runs(&self, workspace: &Slug, range: Range, query: RunQuery) -> Answer<RunList>;

    /// One run with its steps and costs.
    async fn find_run(&self, workspace: &Slug, id: RunId) -> Answer<RunDetail>;

    /// Two runs, step by step.
    async fn compare_runs(&self, workspace: &Slug, a: RunId, b: RunId) -> Answer<Comparison>;

    /// Says something of one, in place of what the reader said of it before.
    async fn give_feedback(&self, workspace: &Slug, id: RunId, command: GiveFeedback) -> Answer<Feedback>;

    /// Does it again, with what went in or with something else.
    async fn rerun_run(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        id: RunId,
        command: RerunRun,
    ) -> Answer<Replayed>;

    /// Repeats it from its record.
    async fn reexecute_run(&self, workspace: &Slug, form_key: Option<FormKey>, id: RunId) -> Answer<Replayed>;

    /// Goes on from one of its steps.
    async fn fork_run(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        id: RunId,
        command: ForkRun,
    ) -> Answer<Replayed>;

    /// Asks it to end.
    async fn cancel_run(&self, workspace: &Slug, id: RunId) -> Answer<Run>;

    /// Asks those of a range that match to end.
    async fn cancel_runs(&self, workspace: &Slug, range: Range, filter: RunFilter) -> Answer<CanceledRuns>;

    /// Its stored events after an offset, oldest first, at most 200.
    async fn list_run_events(&self, workspace: &Slug, id: RunId, after: u64) -> Answer<Page<RunEvent>>;

    /// Its stored events after an offset, oldest first, at most 200, each with how the run stood after it.
    async fn inspect_run(&self, workspace: &Slug, id: RunId, after: u64) -> Answer<Timeline>;
}
