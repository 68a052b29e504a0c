//! Two runs side by side.

use serde::{Deserialize, Serialize};

use crate::money::Money;
use crate::run::{Run, Step};
use crate::word::words;

words! {
    /// In what a step of one run differs from its counterpart in the other.
    pub enum StepChange {
        /// Only the first run has it.
        OnlyA = "only_a",
        /// Only the second run has it.
        OnlyB = "only_b",
        /// What it works with: its model.
        Subject = "subject",
        /// How it ended, or why it failed.
        Status = "status",
        /// What the gates said of it.
        Verdict = "verdict",
        /// What went in.
        Input = "input",
        /// What came out.
        Output = "output",
    }
}
words! {
    /// Where a piece of a text stands.
    pub enum PieceKind {
        /// In both texts.
        Same = "same",
        /// In the first alone.
        Removed = "removed",
        /// In the second alone.
        Added = "added",
    }
}

/// A piece of two texts that are compared word by word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Piece {
    /// Where it stands.
    pub kind: PieceKind,
    /// What it says.
    pub text: String,
}

/// The second minus the first. What one of them lacks has no difference.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Delta {
    /// Milliseconds.
    pub duration_ms: Option<i64>,
    /// Tokens of every class together.
    pub tokens: Option<i64>,
    /// One entry a currency in which either has a cost.
    pub cost: Vec<Money>,
    /// Metered attempts without a price, whose cost is unknown.
    pub unpriced: i64,
}

/// A step and its counterpart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ComparedStep {
    /// Of the first run.
    pub a: Option<Step>,
    /// Of the second.
    pub b: Option<Step>,
    /// In what they differ; empty where they are alike but for time, tokens and cost.
    pub changes: Vec<StepChange>,
    /// The second minus the first.
    pub delta: Delta,
    /// What went in, word by word; absent where it is the same, or not kept of both.
    pub input: Option<Vec<Piece>>,
    /// What came out, word by word; absent where it is the same, or not kept of both.
    pub output: Option<Vec<Piece>>,
}

/// Two runs, step by step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Comparison {
    /// The first run.
    pub a: Run,
    /// The second run.
    pub b: Run,
    /// The second minus the first.
    pub delta: Delta,
    /// Their steps in order: those of one type and model, else of one type at the same place, stand side by side.
    pub steps: Vec<ComparedStep>,
}
