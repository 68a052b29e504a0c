//! Whether a provider answers as a connection needs it.

use serde_json::json;
use types::id::SsoConnectionId;
use types::sso::OidcCheck;

use super::connection::find;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::ledger::{Audit, Batch, Durability, Outcome};
use crate::policy::guard::authorize;
use crate::port::Described;
use crate::record::SsoConnection;

impl Identity {
    /// Reads what the provider says of itself, and its keys, anew. That it fails is an outcome, not an error.
    pub async fn test_sso_connection(&self, ctx: &OpContext, id: SsoConnectionId) -> Result<OidcCheck> {
        authorize(ctx, "sso.test")?;
        let connections = self.ports.sso.store.list_connections(&[ctx.scope.tenant_id]).await?;
        let connection = find(&connections, id)?;
        let started = self.ports.clock.monotonic();
        let outcome = self.try_out(connection).await;
        let took = self.ports.clock.monotonic().saturating_sub(started);
        let error = outcome.as_ref().err();
        let done = if error.is_none() { Outcome::Done } else { Outcome::Failed };
        let audit = Audit::done(ctx, &*self.ports.ids, "sso.tested", "sso.test", ("sso_connection", id))
            .with_payload(json!({ "code": error.map(Error::code) }))
            .with_outcome(done);
        let batch = Batch::opening(ctx.scope, Durability::Process).with([audit.into()]);
        self.ports.ledger.commit(batch).await?;
        Ok(OidcCheck {
            ok: error.is_none(),
            code: error.map(Error::code),
            detail: error.map(|error| error.detail().to_owned()),
            backchannel_logout: outcome.is_ok_and(|described| described.tells_logout),
            latency_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        })
    }

    async fn try_out(&self, connection: &SsoConnection) -> Result<Described> {
        let tenant_id = connection.scope.tenant_id;
        let described = self.describe(tenant_id, &connection.issuer).await?;
        self.read_keys(tenant_id, &described).await?;
        Ok(described)
    }
}
