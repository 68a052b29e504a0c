//! Changing what a workspace has set up: read a snapshot, decide on it, commit; decide again if somebody was faster.
//!
//! A use case decides purely, on one [`Snapshot`]. Its rows, the audit row and the raised epoch are one synced batch,
//! committed under the epoch the snapshot was read at. So no two changes build on the same state, every process drops
//! what it kept, and no call in flight is decided under rules that are no longer there.

use std::sync::Arc;

use serde_json::Value;
use types::problem::Code;

use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::gateway::Access;
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Refusal};
use crate::policy::guard;
use crate::port::{Catalog, Ids, Ledger, Snapshot};
use crate::record::Row;

/// How often a change is decided before the caller is asked to come again.
const ATTEMPTS: usize = 5;

/// What a use case decided.
pub(crate) struct Change<T> {
    ops: Vec<Op>,
    event: Option<Event>,
    answer: T,
}

/// What the audit says of a change.
struct Event {
    event_type: &'static str,
    resource_id: String,
    payload: Value,
}

impl<T> Change<T> {
    /// `provider.created` on a thing. The payload says before and after, and never holds a secret.
    pub(crate) fn new(event_type: &'static str, resource_id: impl ToString, payload: Value, answer: T) -> Self {
        let event = Event { event_type, resource_id: resource_id.to_string(), payload };
        Self { ops: Vec::new(), event: Some(event), answer }
    }

    /// Everything is as it was asked for already: nothing is written.
    pub(crate) fn none(answer: T) -> Self {
        Self { ops: Vec::new(), event: None, answer }
    }

    /// Writes a row.
    pub(crate) fn row(self, row: Row) -> Self {
        self.op(Op::RowPut(Arc::new(row)))
    }

    /// Writes something else.
    pub(crate) fn op(mut self, op: Op) -> Self {
        self.ops.push(op);
        self
    }
}

/// Reads and changes what workspaces have set up.
#[derive(Clone)]
pub struct Editor {
    access: Arc<dyn Access>,
    ledger: Arc<dyn Ledger>,
    catalog: Arc<dyn Catalog>,
    ids: Arc<dyn Ids>,
}

impl Editor {
    /// An editor on these ports.
    pub fn new(access: Arc<dyn Access>, ledger: Arc<dyn Ledger>, catalog: Arc<dyn Catalog>, ids: Arc<dyn Ids>) -> Self {
        Self { access, ledger, catalog, ids }
    }

    /// Fresh ids.
    pub(crate) fn ids(&self) -> &dyn Ids {
        &*self.ids
    }

    /// What the workspace has set up, at least as new as the caller's own rights.
    pub(crate) async fn read(&self, ctx: &OpContext) -> Result<Arc<Snapshot>> {
        let snapshot = self.catalog.snapshot(ctx.scope).await?.ok_or_else(Error::not_found)?;
        if snapshot.auth_epoch >= ctx.auth_epoch {
            return Ok(snapshot);
        }
        self.catalog.forget(ctx.scope);
        self.catalog.snapshot(ctx.scope).await?.ok_or_else(Error::not_found)
    }

    /// Commits what `decide` makes of the snapshot, if the caller may do `action`. Where somebody was faster, the caller
    /// is looked up, the snapshot read, and `decide` asked again.
    pub(crate) async fn change<T>(
        &self,
        ctx: &OpContext,
        action: &'static str,
        decide: impl Fn(&Snapshot) -> Result<Change<T>> + Send + Sync,
    ) -> Result<T> {
        let mut ctx = ctx.clone();
        for _ in 0..ATTEMPTS {
            guard::authorize(&ctx, action)?;
            let snapshot = self.read(&ctx).await?;
            let change = decide(&snapshot)?;
            let Some(event) = &change.event else { return Ok(change.answer) };
            if ctx.token.is_none() || ctx.auth_epoch == snapshot.auth_epoch {
                let audit = self.audit(&ctx, action, event).into();
                let batch = Batch::opening(ctx.scope, Durability::Power)
                    .under_epoch(snapshot.auth_epoch)
                    .with(change.ops)
                    .with([audit, Op::EpochRaise(ctx.scope.tenant_id)]);
                match self.ledger.commit(batch).await {
                    Ok(_) => return Ok(change.answer),
                    Err(LedgerError::Refused(Refusal::AuthEpoch { .. })) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            self.catalog.forget(ctx.scope);
            ctx = self.access.reauthenticate(&ctx).await?;
        }
        Err(Error::new(Code::Busy, "others change this workspace at the same time, try again").with_retry_after(1))
    }

    fn audit(&self, ctx: &OpContext, action: &str, event: &Event) -> Audit {
        let resource = action.split_once('.').map_or(action, |(resource, _)| resource);
        Audit::done(ctx, &*self.ids, event.event_type, action, (resource, &event.resource_id))
            .with_payload(event.payload.clone())
    }
}
