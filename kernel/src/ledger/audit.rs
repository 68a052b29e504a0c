//! Building audit rows: who, from where, with which credential come from the context.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use types::audit::{AuditEntry, AuditResource};

use super::{Audit, Op, Outcome};
use crate::context::OpContext;
use crate::port::Ids;

/// The member of a payload that says who answers for the service principal that acted.
const OWNER: &str = "owner_user_id";
/// The member that says which role the session was lowered to.
const VIEW_AS: &str = "view_as";

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
        .of(ctx)
    }

    /// Says who answers for the service principal that acted, if one did, and as which role somebody was seen.
    #[must_use]
    pub(crate) fn of(mut self, ctx: &OpContext) -> Self {
        let owner = ctx.principal.map(|principal| (OWNER.to_owned(), json!(principal.owner_id)));
        let view_as = ctx.view_as.map(|role| (VIEW_AS.to_owned(), json!(role)));
        let said: Map<String, Value> = owner.into_iter().chain(view_as).collect();
        if !said.is_empty() {
            self.payload = Value::Object(said);
        }
        self
    }

    /// Adds details: before and after, never a secret.
    #[must_use]
    pub fn with_payload(mut self, mut payload: Value) -> Self {
        if let (Value::Object(said), Value::Object(members)) = (&self.payload, &mut payload) {
            let kept = [OWNER, VIEW_AS].into_iter().filter_map(|name| said.get_key_value(name));
            members.extend(kept.map(|(name, value)| (name.clone(), value.clone())));
        }
        self.payload = payload;
        self
    }

    /// The row as readers see it, under its number.
    pub fn entry(&self, seq: u64) -> AuditEntry {
        AuditEntry {
            id: self.id,
            seq,
            event_type: self.event_type.clone(),
            operation: self.operation.clone(),
            outcome: self.outcome,
            resource: AuditResource { kind: self.resource_type.clone(), id: self.resource_id.clone() },
            actor: self.actor.clone(),
            run_id: self.run_id,
            address: self.address.clone(),
            credential_id: self.credential_id.clone(),
            payload: self.payload.clone(),
            occurred_at: self.occurred_at,
        }
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
