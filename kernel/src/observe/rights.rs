//! The rights of someone who reads a stream: checked when it opens, and again whenever access rules move.

use std::time::Duration;

use types::problem::Code;

use super::Observe;
use crate::context::OpContext;
use crate::error::Result;
use crate::policy::guard;

/// How often a stream asks whether access rules moved.
pub(super) const ASKED_EVERY: Duration = Duration::from_secs(1);
/// Rights are looked up this often even if nothing moved: a credential may have expired.
const OLDEST: Duration = Duration::from_secs(60);

/// A reader and what it must be allowed.
pub(super) struct Rights {
    ctx: OpContext,
    actions: Vec<&'static str>,
    checked_at: Duration,
}

impl Rights {
    /// The reader's rights now, or a refusal.
    pub(super) fn open(observe: &Observe, ctx: OpContext, actions: Vec<&'static str>) -> Result<Self> {
        authorize(&ctx, &actions)?;
        Ok(Self { ctx, actions, checked_at: observe.ports.clock.monotonic() })
    }

    /// Why the reader may not go on, if so. A store that does not answer takes no rights away.
    pub(super) async fn lost(&mut self, observe: &Observe) -> Option<Code> {
        let now = observe.ports.clock.monotonic();
        let young = now.saturating_sub(self.checked_at) < OLDEST;
        if young && observe.ports.epochs.hold([(self.ctx.scope.tenant_id, self.ctx.auth_epoch)], now) {
            return None;
        }
        let fresh = observe.ports.access.reauthenticate(&self.ctx).await;
        match fresh.and_then(|ctx| authorize(&ctx, &self.actions).map(|()| ctx)) {
            Ok(ctx) => {
                self.ctx = ctx;
                self.checked_at = now;
                None
            }
            Err(error) => matches!(error.code().status(), 401 | 403 | 404).then(|| error.code()),
        }
    }

    /// The reader.
    pub(super) fn ctx(&self) -> &OpContext {
        &self.ctx
    }
}

fn authorize(ctx: &OpContext, actions: &[&str]) -> Result<()> {
    actions.iter().try_for_each(|action| guard::authorize(ctx, action))
}
