//! Ending a key. It stays as a tombstone, for what it did is still told by its name.

use std::sync::Arc;

use types::id::ApiKeyId;
use types::key;

use super::read::view;
use crate::context::OpContext;
use crate::error::Result;
use crate::identity::Identity;
use crate::ledger::{Audit, Batch, Durability, Op};
use crate::policy::guard::authorize_own;
use crate::record::{ApiKey, Row};

impl Identity {
    /// Ends a key: once this is answered, no call starts with it. Ending it again changes nothing.
    pub async fn revoke_key(&self, ctx: &OpContext, id: ApiKeyId) -> Result<key::ApiKey> {
        let (key, owner) = self.visible_key(ctx, id).await?;
        let decide = |ctx: &OpContext| authorize_own(ctx, "api_key.revoke", owner);
        decide(ctx)?;
        if key.revoked_at.is_some() {
            return Ok(view(&key, ctx.now));
        }
        let revoked = ApiKey { revoked_at: Some(ctx.now), version: key.version + 1, ..key };
        let item = view(&revoked, ctx.now);
        let batch = Batch::opening(ctx.scope, Durability::Power).with([
            Op::RowPut(Arc::new(Row::ApiKey(revoked))),
            Audit::done(ctx, &*self.ports.ids, "key.revoked", "api_key.revoke", ("api_key", id)).into(),
            Op::EpochRaise(ctx.scope.tenant_id),
        ]);
        self.commit(ctx, batch, decide).await?;
        Ok(item)
    }
}
