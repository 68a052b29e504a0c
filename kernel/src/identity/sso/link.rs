//! One's own links: an account at a provider signs in to one's account once its owner, signed in and freshly proven, says so.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::json;
use types::id::{SessionId, SsoConnectionId, SsoLinkId, TenantId, UserId};
use types::problem::Code;
use types::sso::{self, SsoLinks, SsoOffer};

use super::claims::Person;
use super::flow::unknown;
use super::{PATH, refused};
use crate::context::{Credential, OpContext};
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::commit::raise_epochs;
use crate::ledger::{Audit, Batch, Durability, Op};
use crate::policy::guard::authorize;
use crate::port::Account;
use crate::record::{Row, SsoConnection, SsoLink};

impl Identity {
    /// One's links, and the connections of one's tenants.
    pub async fn list_sso_links(&self, ctx: &OpContext) -> Result<SsoLinks> {
        authorize(ctx, "me.list_sso")?;
        let (account, session) = self.own_session(ctx).await?;
        let links = self.ports.sso.store.list_links(account.user.id).await?;
        let tenants: Vec<TenantId> = account.tenants.iter().map(|(tenant, ..)| tenant.id).collect();
        let connections = self.ports.sso.store.list_connections(&tenants).await?;
        let offer = |connection: SsoConnection| SsoOffer {
            link_url: format!("{PATH}/{}/start?link={}", connection.id, self.link_proof(session.id, connection.id)),
            id: connection.id,
            label: connection.label,
        };
        Ok(SsoLinks { items: links.iter().map(view).collect(), offers: connections.into_iter().map(offer).collect() })
    }

    /// Takes one of one's links away. Who has no password keeps the last one.
    pub async fn unlink_sso(&self, ctx: &OpContext, id: SsoLinkId) -> Result<()> {
        authorize(ctx, "me.unlink_sso")?;
        let (account, _) = self.own_session(ctx).await?;
        let links = self.ports.sso.store.list_links(account.user.id).await?;
        let link = links.iter().find(|link| link.id == id).ok_or_else(Error::not_found)?;
        if account.user.password_hash.is_none() && links.len() == 1 {
            let detail = "it is your only way to sign in, set a password or link another account first";
            return Err(Error::new(Code::InUse, detail));
        }
        let audit = Audit::done(ctx, &*self.ports.ids, "sso.unlinked", "me.unlink_sso", ("sso_link", id))
            .with_payload(json!({ "issuer": link.issuer }));
        let removed = SsoLink { removed_at: Some(ctx.now), version: link.version + 1, ..link.clone() };
        let batch = Batch::opening(ctx.scope, Durability::Power)
            .with([Op::RowPut(Arc::new(Row::SsoLink(removed))), audit.into()])
            .with(raise_epochs(&account));
        self.commit(ctx, batch, |ctx| authorize(ctx, "me.unlink_sso")).await?;
        Ok(())
    }

    /// Links who came back from the provider to the account of `ctx`: in the session that asked for it, still freshly proven.
    pub(super) async fn link_sso(
        &self,
        ctx: Option<&OpContext>,
        asked: (UserId, SessionId),
        connection: &SsoConnection,
        told: &Person,
    ) -> Result<()> {
        let ctx = ctx.ok_or_else(unknown)?;
        let is_same = matches!(ctx.credential, Credential::Session(session_id) if session_id == asked.1);
        if !is_same || ctx.user_id != Some(asked.0) {
            return Err(unknown());
        }
        authorize(ctx, "me.link_sso")?;
        let (account, _) = self.own_session(ctx).await?;
        if account.tenants.iter().all(|(tenant, ..)| tenant.id != connection.scope.tenant_id) {
            return Err(refused("no_member", "the connection is of a tenant you do not belong to"));
        }
        match self.ports.sso.store.find_link(&connection.issuer, &told.subject).await? {
            Some(link) if link.user_id == account.user.id => return Ok(()),
            Some(_) => return Err(taken()),
            None => {}
        }
        let link = self.draft_link(connection, told, account.user.id, self.ports.clock.now());
        let audit = Audit::done(ctx, &*self.ports.ids, "sso.linked", "me.link_sso", ("sso_link", link.id))
            .with_payload(json!({ "connection_id": connection.id, "issuer": connection.issuer }));
        let batch = Batch::opening(ctx.scope, Durability::Power)
            .with([Op::RowPut(Arc::new(Row::SsoLink(link))), audit.into()])
            .with(raise_epochs(&account));
        match self.commit(ctx, batch, |ctx| authorize(ctx, "me.link_sso")).await {
            Err(error) if error.code() == Code::AlreadyExists => Err(taken()),
            committed => committed.map(|_| ()),
        }
    }

    /// What takes the links of an account away whose address nobody proved: whoever has the address now may be another than who
    /// made it, by a provider's word.
    pub(in crate::identity) async fn void_links(&self, account: &Account, now: DateTime<Utc>) -> Result<Vec<Op>> {
        if account.user.email_verified_at.is_some() {
            return Ok(Vec::new());
        }
        let links = self.ports.sso.store.list_links(account.user.id).await?;
        let removed = |link: SsoLink| SsoLink { removed_at: Some(now), version: link.version + 1, ..link };
        Ok(links.into_iter().map(|link| Op::RowPut(Arc::new(Row::SsoLink(removed(link))))).collect())
    }

    /// What only the page of a session's own profile can know.
    pub(super) fn link_proof(&self, session_id: SessionId, id: SsoConnectionId) -> String {
        let (session_id, id) = (session_id.as_uuid(), id.as_uuid());
        let signature = self.ports.sealer.sign("sso-link", &[session_id.as_bytes(), id.as_bytes()]);
        signature.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn taken() -> Error {
    refused("linked_elsewhere", "this account of the provider signs in to another account here")
}

fn view(link: &SsoLink) -> sso::SsoLink {
    sso::SsoLink {
        id: link.id,
        tenant_id: link.tenant_id,
        issuer: link.issuer.clone(),
        email: link.email.clone(),
        created_at: link.created_at,
        last_used_at: link.last_used_at,
    }
}
