//! Proving oneself again by the identity provider: how who has no password does it.

use std::sync::Arc;

use serde_json::json;
use types::id::{SessionId, TenantId, UserId};
use types::problem::Code;

use super::claims::Person;
use super::flow::{Purpose, unknown};
use super::{Started, refused};
use crate::context::{Credential, OpContext};
use crate::error::{Error, Result};
use crate::identity::commit::raise_epochs;
use crate::identity::{Client, ELEVATED_FOR, Identity, SignedIn};
use crate::ledger::{Audit, Batch, Durability, Op};
use crate::policy::guard::authorize;
use crate::record::{Digest, Row, Session, SsoConnection};

impl Identity {
    /// Sends who is signed in to the provider they used last, which must ask them again, to go on at `next`. Nothing is written.
    pub async fn start_sso_step_up(&self, client: &Client, ctx: &OpContext, next: &str) -> Result<Started> {
        authorize(ctx, "me.step_up")?;
        let (Credential::Session(session_id), Some(user_id)) = (&ctx.credential, ctx.user_id) else {
            return Err(Error::new(Code::ScopeRequired, "this needs a signed-in session"));
        };
        let (account, _) = self.own_session(ctx).await?;
        let tenants: Vec<TenantId> = account.tenants.iter().map(|(tenant, ..)| tenant.id).collect();
        let connections = self.ports.sso.store.list_connections(&tenants).await?;
        let mut links = self.ports.sso.store.list_links(user_id).await?;
        links.sort_by_key(|link| std::cmp::Reverse(link.last_used_at));
        let used = links.iter().find_map(|link| {
            let own = connections.iter().find(|connection| connection.id == link.connection_id);
            own.or_else(|| connections.iter().find(|connection| connection.issuer == link.issuer))
        });
        let detail =
            "no identity provider of a tenant of yours is linked to your account, ask for a mail that sets a password";
        let connection = used.ok_or_else(|| refused("no_account", detail))?;
        self.start(client, connection.id, next, Purpose::StepUp(user_id, *session_id)).await
    }

    /// Proves the session of `ctx` for ten minutes, if it asked for that and the provider says it is still the same person. The
    /// console's cookie is replaced by `cookie`.
    pub(super) async fn step_up_by_sso(
        &self,
        ctx: Option<&OpContext>,
        asked: (UserId, SessionId),
        connection: &SsoConnection,
        told: &Person,
        cookie: Digest,
    ) -> Result<SignedIn> {
        let ctx = ctx.ok_or_else(unknown)?;
        let is_same = matches!(ctx.credential, Credential::Session(session_id) if session_id == asked.1);
        if !is_same || ctx.user_id != Some(asked.0) {
            return Err(unknown());
        }
        authorize(ctx, "me.step_up")?;
        let (account, session) = self.own_session(ctx).await?;
        let link = self.ports.sso.store.find_link(&connection.issuer, &told.subject).await?;
        if link.is_none_or(|link| link.user_id != account.user.id) {
            return Err(refused("other_account", "you signed in to the provider as somebody else than here"));
        }
        // The proof is of this moment, not of when the request of the way back was admitted.
        let elevated_until = Some(self.ports.clock.now() + ELEVATED_FOR);
        let elevated = Session { token: cookie, elevated_until, version: session.version + 1, ..session };
        let signed_in = SignedIn::on(&elevated);
        let audit = Audit::done(ctx, &*self.ports.ids, "step_up", "me.step_up", ("session", elevated.id))
            .with_payload(json!({ "method": "sso", "connection_id": connection.id }));
        let batch = Batch::opening(ctx.scope, Durability::Power)
            .with([Op::RowPut(Arc::new(Row::Session(elevated))), audit.into()])
            .with(raise_epochs(&account));
        self.commit(ctx, batch, |ctx| authorize(ctx, "me.step_up")).await?;
        Ok(signed_in)
    }
}
