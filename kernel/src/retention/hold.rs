//! Legal holds: placed, listed, released.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;
use types::id::{LegalHoldId, RunId};
use types::problem::Code;
use types::retention::{self, CreateLegalHold, HoldFilter, ReleaseLegalHold};

use super::Retention;
use super::rules::{MOST_REASON, check_filter};
use super::settings::busy;
use crate::check::{Checks, normal_name};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::ledger::{Audit, Op};
use crate::policy::guard;
use crate::record::{LegalHold, Release, Row};

/// How often it is tried where somebody was faster.
const ATTEMPTS: usize = 5;
/// Most holds of a workspace, released ones too.
const MOST_HOLDS: usize = 1_000;

impl Retention {
    /// Every hold of the workspace, in no order.
    pub async fn list_legal_holds(&self, ctx: &OpContext) -> Result<Vec<retention::LegalHold>> {
        guard::authorize(ctx, "legal_hold.list")?;
        let holds = self.ports.retentions.list_legal_holds(ctx.scope).await?;
        Ok(holds.into_iter().map(shown).collect())
    }

    /// Holds what the filter says, also what will match it later. What a purge has taken out by then is gone. The same form sent
    /// again finds the hold it made.
    pub async fn create_legal_hold(&self, ctx: &OpContext, command: &CreateLegalHold) -> Result<retention::LegalHold> {
        guard::authorize(ctx, "legal_hold.create")?;
        let name = normal_name(&command.name)?;
        let mut checks = Checks::default();
        checks.text(&command.reason, 1, MOST_REASON, "reason");
        check_filter(&command.filter, &mut checks);
        checks.done()?;
        let run_ids: BTreeSet<RunId> = command.filter.run_ids.iter().copied().collect();
        let run_ids: Vec<RunId> = run_ids.into_iter().collect();
        if let Some(unknown) = self.ports.retentions.unknown_runs(ctx.scope, &run_ids).await?.first() {
            let message = format!("`{unknown}` is no run of this workspace");
            return Err(Error::invalid("filter.run_ids", message));
        }
        let HoldFilter { caller_id, from, to, .. } = command.filter.clone();
        let hold = LegalHold {
            id: ctx.new_id(&*self.ports.ids, "legal_hold.create", command)?,
            scope: ctx.scope,
            name,
            reason: command.reason.clone(),
            run_ids,
            caller_id,
            starts_from: from,
            starts_before: to,
            created_by: ctx.caller(),
            created_at: ctx.now,
            released: None,
            version: 1,
        };
        let mut ctx = ctx.clone();
        for _ in 0..ATTEMPTS {
            guard::authorize(&ctx, "legal_hold.create")?;
            if let Some(made) = self.ports.retentions.find_legal_hold(ctx.scope, hold.id).await? {
                return Ok(shown(made));
            }
            if self.ports.retentions.list_legal_holds(ctx.scope).await?.len() >= MOST_HOLDS {
                let detail = format!("a workspace has at most {MOST_HOLDS} legal holds, use wider filters");
                return Err(Error::new(Code::QuotaExceeded, detail));
            }
            let resource = ("legal_hold", hold.id);
            let audit = Audit::done(&ctx, &*self.ports.ids, "legal_hold.created", "legal_hold.create", resource)
                .with_payload(json!({ "after": told(&hold) }));
            let ops = [Op::RowPut(Arc::new(Row::LegalHold(hold.clone()))), audit.into()];
            if self.commit(&mut ctx, ops).await? {
                return Ok(shown(hold));
            }
        }
        Err(busy())
    }

    /// Lets go of what a hold holds: it goes when its time is over, which may be at once.
    pub async fn release_legal_hold(
        &self,
        ctx: &OpContext,
        id: LegalHoldId,
        command: &ReleaseLegalHold,
    ) -> Result<retention::LegalHold> {
        guard::authorize(ctx, "legal_hold.release")?;
        let mut checks = Checks::default();
        checks.text(&command.reason, 1, MOST_REASON, "reason");
        checks.done()?;
        let mut ctx = ctx.clone();
        for _ in 0..ATTEMPTS {
            guard::authorize(&ctx, "legal_hold.release")?;
            let hold = self.ports.retentions.find_legal_hold(ctx.scope, id).await?.ok_or_else(Error::not_found)?;
            if let Some(release) = &hold.released {
                let detail = format!("the hold was released at {}", release.at.to_rfc3339());
                return Err(Error::new(Code::InvalidTransition, detail));
            }
            let release = Release { at: ctx.now, by: ctx.caller(), reason: command.reason.clone() };
            let released = LegalHold { released: Some(release), version: hold.version + 1, ..hold };
            let resource = ("legal_hold", id);
            let audit = Audit::done(&ctx, &*self.ports.ids, "legal_hold.released", "legal_hold.release", resource)
                .with_payload(json!({ "name": released.name, "reason": command.reason }));
            let ops = [Op::RowPut(Arc::new(Row::LegalHold(released.clone()))), audit.into()];
            if self.commit(&mut ctx, ops).await? {
                return Ok(shown(released));
            }
        }
        Err(busy())
    }
}

/// All that a hold is.
fn told(hold: &LegalHold) -> serde_json::Value {
    let shown = shown(hold.clone());
    json!({ "name": shown.name, "reason": shown.reason, "filter": shown.filter })
}

fn shown(hold: LegalHold) -> retention::LegalHold {
    let (released_at, released_by, release_reason) = match hold.released {
        Some(Release { at, by, reason }) => (Some(at), Some(by), Some(reason)),
        None => (None, None, None),
    };
    retention::LegalHold {
        id: hold.id,
        name: hold.name,
        reason: hold.reason,
        filter: HoldFilter {
            run_ids: hold.run_ids,
            caller_id: hold.caller_id,
            from: hold.starts_from,
            to: hold.starts_before,
        },
        created_by: hold.created_by,
        created_at: hold.created_at,
        released_at,
        released_by,
        release_reason,
    }
}
