//! Building audit rows: who, from where, with which credential come from the context.

use std::sync::Arc;

use serde_json::Value;

use super::{Audit, Op, Outcome};
use crate::context::OpContext;
use crate::port::Ids;

impl Audit {
    /// What `ctx` did to a thing: `Audit::done(ctx, ids, "key.created", "api_key.create", ("api_key", id))`.
    pub fn done(
        ctx: &OpContext,
        ids: &dyn Ids,
        event_type: &str,
        operation: &str,
        (resource_type, resource_id): (&str, impl ToString),
    ) -> Self {
        Self {
            id: ids.audit(),
            event_type: event_type.to_owned(),
            operation: operation.to_owned(),
            outcome: Outcome::Done,
            resource_type: resource_type.to_owned(),
            resource_id: resource_id.to_string(),
            actor: ctx.caller(),
            run_id: None,
            address: ctx.address.map(|address| address.to_string()),
            credential_id: ctx.credential_id(),
            payload: Value::Null,
            occurred_at: ctx.now,
        }
    }

    /// Adds details: before and after, never a secret.
    #[must_use]
    pub fn with_payload(mut self, payload: Value) -> Self {
        self.payload = payload;
        self
    }

    /// Says that it was not done.
    #[must_use]
    pub fn with_outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = outcome;
        self
    }
}

impl From<Audit> for Op {
    fn from(audit: Audit) -> Self {
        Self::AuditAppend(Arc::new(audit))
    }
}
