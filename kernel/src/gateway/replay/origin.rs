//! Where a replayed call comes from.

use std::sync::Arc;

use serde_json::json;
use types::id::RunId;
use types::problem::Code;
use types::replay::{Divergence, ReplayOutcome};
use types::run::{Capture, Step};

use super::script::Script;
use crate::ledger::Op;
use crate::port::Ids;
use crate::replay::{Order, copied};
use crate::{Error, OpContext};

/// Where a replayed call comes from.
#[derive(Debug)]
pub(in crate::gateway) struct Origin {
    /// The order.
    pub(in crate::gateway) order: Order,
    /// Steps that are taken from the record: attempts of the same call.
    pub(in crate::gateway) before: Vec<Step>,
    /// What it is made from again; none where it is live.
    pub(in crate::gateway) script: Option<Arc<Script>>,
}

impl Origin {
    /// The number of the first attempt that is made.
    pub(in crate::gateway) fn first_attempt(&self) -> u32 {
        self.before.last().map_or(1, |step| step.attempt_no.saturating_add(1))
    }

    /// How a repetition that is refused is not as it is in the record.
    pub(in crate::gateway) fn refused(&self, error: &Error) -> Option<Divergence> {
        let (seq, digest) = self.script.as_ref().filter(|_| is_difference(error.code()))?.begin()?;
        let (expected, actual) = (json!({ "request_digest": digest }), json!({ "code": error.code() }));
        Some(Divergence { seq, expected, actual })
    }

    /// The marks of a run that is refused.
    pub(in crate::gateway) fn refused_flags(&self, error: &Error) -> Vec<String> {
        let outcome = self.refused(error).map(|_| ReplayOutcome::Diverged.as_str());
        std::iter::once(self.order.flag()).chain(outcome).map(str::to_owned).collect()
    }

    /// What the run begins with: where it comes from, and the steps of before.
    pub(in crate::gateway) fn begun(
        &self,
        ctx: &OpContext,
        ids: &dyn Ids,
        run_id: RunId,
        capture: Capture,
        at: chrono::DateTime<chrono::Utc>,
    ) -> Vec<Op> {
        let told = self.order.told(ctx, ids, run_id, at);
        told.into_iter().chain(copied(ids, run_id, &self.before, capture, at)).collect()
    }
}

/// Refusals that say of the call, and not of who repeats it or of this moment, that it is not as it was.
pub(super) fn is_difference(code: Code) -> bool {
    matches!(
        code,
        Code::ModelNotFound
            | Code::ModelDisabled
            | Code::ProviderDisabled
            | Code::ModelCapabilityUnavailable
            | Code::ContextLengthExceeded
            | Code::Invalid
            | Code::FieldNotAllowed
            | Code::UnsupportedParameter
            | Code::ServiceTierNotPriced
    )
}
