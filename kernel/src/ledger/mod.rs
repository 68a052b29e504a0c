//! The ledger's rules: what a batch may hold and when it is refused.
//!
//! A use case builds a [`Batch`] (a value) and hands it to the `Ledger` port; the store loads the [`State`] the batch
//! touches, lets [`State::apply`] decide, and writes the outcome, all in one transaction. The rules are here, once,
//! so both databases and the fake of the tests decide alike. Invariant: a refused batch changes nothing.

mod apply;
mod audit;
mod batch;
mod claim;
mod counter;
mod event;
mod histogram;
mod measure;
mod refusal;
mod state;
mod tally;
mod task;
mod text;

pub use batch::{
    Audit, Batch, Durability, Event, Fence, Hold, HoldLine, Lane, NewArtifact, NewRun, NewRunEvent, NewStep, Op, Place,
    Resolution, RunEnd, SettleLine, StepEnd, Touch, Verdict,
};
pub use claim::{Claim, ClaimEnd, ClaimKey, ClaimOutcome, ClaimStatus, Fingerprint, NewClaim};
pub use counter::{Counter, CounterKey, period_end, period_start};
pub use histogram::percentile;
pub use measure::{Measure, RunMeasure};
pub use refusal::{LedgerError, Refusal, unique_field};
pub use state::{ChainEnd, Change, Changes, HoldState, RowKey, RunState, Sealed, Sequence, State, StepState, Touched};
pub use tally::{Charge, DAY, Dimensions, HOUR, MINUTE, RunCountKey, Tally, UsageKey, truncated};
pub use task::{NewTask, TaskEnd, TaskOp, TaskOutcome, TaskState};
pub use text::{RunText, folded};
pub use types::audit::Outcome;
