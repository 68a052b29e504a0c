//! Refusals of known callers in the audit: one row a minute for each caller and code, with how many there were.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use types::problem::Code;

use super::Identity;
use crate::context::OpContext;
use crate::ledger::{Audit, Batch, Durability, Outcome};

const ROW_EVERY: TimeDelta = TimeDelta::minutes(1);
/// Callers remembered at once.
const CAPACITY: usize = 10_000;

/// Refusals since the last row, by caller and code.
#[derive(Debug, Default)]
pub(super) struct Denials(Mutex<HashMap<(String, Code), Since>>);

#[derive(Debug)]
struct Since {
    row_at: DateTime<Utc>,
    count: u64,
}

impl Denials {
    /// Counts a refusal; how many a row is due for, if one is.
    fn count(&self, caller: String, code: Code, now: DateTime<Utc>) -> Option<u64> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= CAPACITY {
            known.retain(|_, since| now - since.row_at < ROW_EVERY);
        }
        match known.get_mut(&(caller.clone(), code)) {
            Some(since) if now - since.row_at < ROW_EVERY => {
                since.count += 1;
                None
            }
            Some(since) => {
                let count = since.count + 1;
                *since = Since { row_at: now, count: 0 };
                Some(count)
            }
            None => {
                known.insert((caller, code), Since { row_at: now, count: 0 });
                Some(1)
            }
        }
    }
}

impl Identity {
    /// Notes that a known caller was turned away or lacks the power, off the request path. Other refusals are no matter of
    /// access.
    pub fn note_denial(&self, ctx: &OpContext, code: Code, detail: &str) {
        if !is_of_access(code) {
            return;
        }
        let Some(credential) = ctx.credential_id() else { return };
        let Some(count) = self.denials.count(credential.clone(), code, ctx.now) else { return };
        let audit = Audit {
            id: self.ports.ids.audit(),
            event_type: "access.denied".to_owned(),
            operation: "access.check".to_owned(),
            outcome: Outcome::Denied,
            resource_type: "credential".to_owned(),
            resource_id: credential.clone(),
            actor: ctx.caller(),
            run_id: None,
            address: ctx.address.map(|address| address.to_canonical().to_string()),
            credential_id: Some(credential),
            payload: Value::Null,
            occurred_at: ctx.now,
        }
        .of(ctx)
        .with_payload(json!({ "code": code, "detail": detail, "count": count }));
        let batch = Batch::opening(ctx.scope, Durability::Power).with([audit.into()]);
        let ledger = Arc::clone(&self.ports.ledger);
        self.ports.spawner.spawn(Box::pin(async move {
            if let Err(error) = ledger.commit(batch).await {
                tracing::warn!(error = %error, "a refusal could not be recorded");
            }
        }));
    }
}

const fn is_of_access(code: Code) -> bool {
    matches!(
        code,
        Code::RoleRequired
            | Code::ScopeRequired
            | Code::StepUpRequired
            | Code::MfaRequired
            | Code::ModelNotAllowed
            | Code::ToolNotAllowed
            | Code::SubjectDisabled
            | Code::AddressNotAllowed
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_gets_one_row_a_minute_and_code() {
        let denials = Denials::default();
        let start: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
        let count = |code, seconds| denials.count("key_1".to_owned(), code, start + TimeDelta::seconds(seconds));
        assert_eq!(count(Code::RoleRequired, 0), Some(1));
        assert_eq!(count(Code::RoleRequired, 1), None);
        assert_eq!(count(Code::RoleRequired, 59), None);
        assert_eq!(count(Code::ScopeRequired, 59), Some(1));
        assert_eq!(count(Code::RoleRequired, 60), Some(3));
        assert_eq!(count(Code::RoleRequired, 61), None);
    }
}
