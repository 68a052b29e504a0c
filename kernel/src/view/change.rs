//! Deciding on what somebody sees: read it, decide, commit; decide anew if somebody was faster.

use std::collections::BTreeMap;
use std::sync::Arc;

use types::id::{UserId, ViewId};
use types::name::Name;
use types::problem::Code;
use types::view::ViewPage;

use super::rules::person;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::gateway::Access;
use crate::ledger::{Batch, Durability, LedgerError, Op, Refusal};
use crate::port::{self, Directory, Ids, Ledger, SeenViews};
use crate::record::{Row, SavedView, ViewDefaults};

/// How often a change is decided before the caller is asked to come again.
const ATTEMPTS: usize = 5;

/// What saved views need from the world.
pub struct Ports {
    /// Deciding anew who asks.
    pub access: Arc<dyn Access>,
    /// Reading views.
    pub views: Arc<dyn port::Views>,
    /// Reading who owns them.
    pub directory: Arc<dyn Directory>,
    /// Writing.
    pub ledger: Arc<dyn Ledger>,
    /// Ids of what is made.
    pub ids: Arc<dyn Ids>,
}

/// Saved views of lists.
pub struct Views {
    pub(super) ports: Ports,
}

impl std::fmt::Debug for Views {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Views").finish_non_exhaustive()
    }
}

/// What somebody sees, and who that is.
pub(super) struct Seen {
    pub(super) user_id: UserId,
    pub(super) views: Vec<SavedView>,
    pub(super) owners: BTreeMap<UserId, Name>,
    defaults: Option<ViewDefaults>,
}

impl Seen {
    /// A view by its id. What they do not see is not there.
    pub(super) fn find(&self, id: ViewId) -> Result<&SavedView> {
        self.views.iter().find(|view| view.id == id).ok_or_else(Error::not_found)
    }

    /// Their own views.
    pub(super) fn own(&self) -> impl Iterator<Item = &SavedView> {
        self.views.iter().filter(|view| view.owner_id == self.user_id)
    }

    /// With which view a list opens; one they do not see any more counts as none.
    pub(super) fn default_of(&self, page: ViewPage) -> Option<ViewId> {
        self.defaults.as_ref().and_then(|defaults| defaults.views.get(&page)).copied()
    }

    /// Whether the view's list opens with it.
    pub(super) fn is_default(&self, view: &SavedView) -> bool {
        self.default_of(view.page) == Some(view.id)
    }

    /// With which views their lists open once that of `page` opens with `view`.
    pub(super) fn defaults_with(&self, ctx: &OpContext, page: ViewPage, view: Option<ViewId>) -> Row {
        let (mut views, version) =
            self.defaults.as_ref().map(|defaults| (defaults.views.clone(), defaults.version)).unwrap_or_default();
        views.remove(&page);
        views.extend(view.map(|view| (page, view)));
        Row::ViewDefaults(ViewDefaults { scope: ctx.scope, user_id: self.user_id, views, version: version + 1 })
    }
}

/// What was decided. Without operations everything is as it was asked for already.
pub(super) struct Change<T> {
    ops: Vec<Op>,
    answer: T,
}

impl<T> Change<T> {
    /// What is answered; so far nothing is written.
    pub(super) fn to(answer: T) -> Self {
        Self { ops: Vec::new(), answer }
    }

    /// Writes a row.
    pub(super) fn row(self, row: Row) -> Self {
        self.op(Op::RowPut(Arc::new(row)))
    }

    /// Writes something else.
    pub(super) fn op(mut self, op: Op) -> Self {
        self.ops.push(op);
        self
    }
}

impl Views {
    /// The use cases on these ports.
    pub fn new(ports: Ports) -> Self {
        Self { ports }
    }

    /// What the caller sees.
    pub(super) async fn see(&self, ctx: &OpContext) -> Result<Seen> {
        let user_id = person(ctx)?;
        let SeenViews { defaults, views, owners } = self.ports.views.list_views(ctx.scope, user_id).await?;
        Ok(Seen { user_id, views, owners, defaults })
    }

    /// Commits what `decide` makes of what the caller sees. Where a row or the caller's rights moved meanwhile, it is asked
    /// again.
    pub(super) async fn change<T>(
        &self,
        ctx: &OpContext,
        decide: impl Fn(&OpContext, &Seen) -> Result<Change<T>> + Send + Sync,
    ) -> Result<T> {
        let mut ctx = ctx.clone();
        for _ in 0..ATTEMPTS {
            let Change { ops, answer } = decide(&ctx, &self.see(&ctx).await?)?;
            if ops.is_empty() {
                return Ok(answer);
            }
            let batch = Batch::opening(ctx.scope, Durability::Power).with(ops);
            let batch = if ctx.token.is_some() { batch.under_epoch(ctx.auth_epoch) } else { batch };
            match self.ports.ledger.commit(batch).await {
                Ok(_) => return Ok(answer),
                Err(LedgerError::Refused(Refusal::AuthEpoch { .. })) => {
                    ctx = self.ports.access.reauthenticate(&ctx).await?;
                }
                Err(LedgerError::Refused(Refusal::Version { .. } | Refusal::Unique { .. })) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(Code::Busy, "your views change at the same time, try again").with_retry_after(1))
    }
}
