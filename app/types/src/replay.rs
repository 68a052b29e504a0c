//! Replaying runs: doing one again, repeating it from its record, going on from one of its steps, looking at how it went.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{RunId, StepId};
use crate::money::Money;
use crate::run::{Run, RunEvent, RunStatus, Usage};
use crate::word::words;

words! {
    /// How a run came out of another one.
    pub enum ReplayKind {
        /// Done again, with all its effects.
        Rerun = "rerun",
        /// Repeated from the record, without any effect.
        Reexecute = "reexecute",
        /// The first steps from the record, the others anew.
        Fork = "fork",
    }
}
words! {
    /// Which version of what ran is run again.
    pub enum RunVersion {
        /// The one that ran.
        Same = "same",
        /// The one that is published now.
        Published = "published",
    }
}
words! {
    /// What becomes of tool calls behind the step a fork begins with.
    pub enum ReplayTools {
        /// The recorded result, else a simulated one.
        Simulated = "simulated",
        /// The recorded result, else an error result.
        Recorded = "recorded",
        /// They are made, through every gate.
        Live = "live",
    }
}
words! {
    /// What a repetition came to.
    pub enum ReplayOutcome {
        /// Every step was as it is in the record.
        Identical = "identical",
        /// A step was not.
        Diverged = "diverged",
    }
}

/// Does a run again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RerunRun {
    /// Which version; the same one without a word.
    #[serde(default)]
    pub version: Option<RunVersion>,
    /// What goes in instead: a text, or what the run takes as its input.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub input: Option<Value>,
}

/// Goes on from a step of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ForkRun {
    /// The first step that is made anew; those before it are taken from the record.
    pub from_seq: u32,
    /// What becomes of tool calls; simulated without a word.
    #[serde(default)]
    pub tools: Option<ReplayTools>,
    /// Another model.
    #[serde(default)]
    pub model_ref: Option<String>,
    /// Another system prompt.
    #[serde(default)]
    pub system_prompt: Option<String>,
    /// Other parameters of model calls, such as `temperature`; null takes one out.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub params: BTreeMap<String, Value>,
    /// What goes in instead: a text, or what the run takes as its input.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub input: Option<Value>,
}

/// The first difference between a run and its repetition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Divergence {
    /// The step.
    pub seq: u32,
    /// What the record says, as far as it differs; null where it holds no such step.
    #[schema(value_type = Object)]
    pub expected: Value,
    /// What it was instead; null where there was no such step.
    #[schema(value_type = Object)]
    pub actual: Value,
}

/// How a run came out of another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Replay {
    /// In which way.
    pub kind: ReplayKind,
    /// The other one.
    pub source_run_id: RunId,
    /// The first step that was made anew, of forks.
    #[serde(default)]
    pub from_seq: Option<u32>,
    /// What becomes of tool calls, of forks.
    #[serde(default)]
    pub tools: Option<ReplayTools>,
    /// Fields that were given anew: `model_ref`, `params.temperature` …
    #[serde(default)]
    pub overrides: Vec<String>,
    /// What a repetition came to; null until it is over, and of other kinds.
    #[serde(default)]
    pub outcome: Option<ReplayOutcome>,
    /// Where it was not as it is in the record.
    #[serde(default)]
    pub divergence: Option<Divergence>,
}

/// A run that came out of another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Replayed {
    /// The new run.
    pub run: Run,
    /// How it came out of the other one.
    pub replay: Replay,
}

/// How a run stands after one of its events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunState {
    /// Where it stands.
    pub status: RunStatus,
    /// Steps opened so far.
    pub steps: u32,
    /// Steps that are open.
    pub open_steps: Vec<StepId>,
    /// Quantities so far, by class.
    pub usage: Usage,
    /// Costs so far, one entry a currency.
    pub cost: Vec<Money>,
    /// Metered attempts without a price so far.
    pub unpriced: u32,
}

/// An event of a run, and how the run stands after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Moment {
    /// What happened.
    pub event: RunEvent,
    /// How the run stands.
    pub state: RunState,
}

/// The timeline of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Timeline {
    /// How the run came out of another one, if it did.
    pub replay: Option<Replay>,
    /// Its events by offset, each with the state after it.
    pub items: Vec<Moment>,
    /// `after` of the next page; null on the last one.
    pub next_after: Option<u64>,
}
