//! The connections of a tenant: made, read, changed, deleted by its owners and admins.

use std::sync::Arc;

use serde_json::json;
use types::id::{GroupId, SsoConnectionId, TenantId, WorkspaceId};
use types::identity::{Role, UserStatus};
use types::problem::Code;
use types::sso::{CreateOidcConnection, OidcConnection, UpdateOidcConnection};

use super::rules::{DEFAULT_SCOPES, MOST_CONNECTIONS, Nameable, check_secret, facts, normal};
use super::{ATTEMPTS, busy};
use crate::check::{Checks, normal_name};
use crate::context::{OpContext, Scope};
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Refusal};
use crate::policy::guard::authorize;
use crate::record::{ClientSecret, Row, SsoConnection, Workspace};
use crate::secret::SecretString;

/// What a change is decided on.
struct Seen {
    connections: Vec<SsoConnection>,
    workspaces: Vec<Workspace>,
    groups: Vec<(WorkspaceId, GroupId)>,
    /// Whether an owner of the tenant has a second factor, and gets in whatever a provider does.
    has_way_in: bool,
}

/// What was decided: the connection as it is to be, unless nothing is to be written, and what the audit says of that.
struct Change {
    written: Option<(SsoConnection, Audit)>,
    answer: SsoConnection,
}

impl Identity {
    /// The tenant's connections, oldest first.
    pub async fn list_sso_connections(&self, ctx: &OpContext) -> Result<Vec<OidcConnection>> {
        authorize(ctx, "sso.read")?;
        let connections = self.ports.sso.store.list_connections(&[ctx.scope.tenant_id]).await?;
        Ok(connections.iter().map(|connection| self.view_connection(connection)).collect())
    }

    /// One connection.
    pub async fn find_sso_connection(&self, ctx: &OpContext, id: SsoConnectionId) -> Result<OidcConnection> {
        authorize(ctx, "sso.read")?;
        let connections = self.ports.sso.store.list_connections(&[ctx.scope.tenant_id]).await?;
        Ok(self.view_connection(find(&connections, id)?))
    }

    /// Makes a connection. The same form sent again finds it.
    pub async fn create_sso_connection(
        &self,
        ctx: &OpContext,
        command: &CreateOidcConnection,
    ) -> Result<OidcConnection> {
        let id: SsoConnectionId = ctx.new_id(&*self.ports.ids, "sso.update", command)?;
        let decide = |here: &OpContext, seen: &Seen| self.decide_sso_creation(here, seen, id, command);
        self.change_connections(ctx, command.enforced, decide).await
    }

    /// Changes a connection that is still at `version`.
    pub async fn update_sso_connection(
        &self,
        ctx: &OpContext,
        id: SsoConnectionId,
        version: Option<u64>,
        command: &UpdateOidcConnection,
    ) -> Result<OidcConnection> {
        let decide = |here: &OpContext, seen: &Seen| self.decide_sso_update(here, seen, id, version, command);
        self.change_connections(ctx, command.enforced == Some(true), decide).await
    }

    /// Deletes a connection: nobody signs in by it any more. Who was let in stays, and so do links.
    pub async fn delete_sso_connection(&self, ctx: &OpContext, id: SsoConnectionId) -> Result<()> {
        let decide = |here: &OpContext, seen: &Seen| {
            let present = find(&seen.connections, id)?;
            let audit =
                self.changed(here, "sso.connection_deleted", id).with_payload(json!({ "before": facts(present) }));
            let deleted = SsoConnection {
                deleted_at: Some(here.now),
                // Nobody needs it any more.
                secret: None,
                enforced: false,
                version: present.version + 1,
                ..present.clone()
            };
            Ok(Change { answer: deleted.clone(), written: Some((deleted, audit)) })
        };
        self.change_connections(ctx, false, decide).await.map(|_| ())
    }

    fn decide_sso_creation(
        &self,
        here: &OpContext,
        seen: &Seen,
        id: SsoConnectionId,
        command: &CreateOidcConnection,
    ) -> Result<Change> {
        if let Some(made) = seen.connections.iter().find(|connection| connection.id == id) {
            return Ok(Change { written: None, answer: made.clone() });
        }
        if seen.connections.len() >= MOST_CONNECTIONS {
            let detail = format!("a tenant has at most {MOST_CONNECTIONS} connections, delete one first");
            return Err(Error::new(Code::QuotaExceeded, detail));
        }
        let tenant_id = here.scope.tenant_id;
        let first = seen.workspaces.first().map(|workspace| workspace.id);
        let workspace_id = command.workspace_id.or(first);
        let workspace_id = workspace_id
            .ok_or_else(|| Error::new(Code::InvalidTransition, "the tenant has no active workspace, make one first"))?;
        let scopes = command.scopes.clone();
        let draft = SsoConnection {
            id,
            scope: Scope { tenant_id, workspace_id },
            label: normal_name(&command.label)?,
            issuer: command.issuer.clone(),
            client_id: command.client_id.clone(),
            secret: None,
            scopes: scopes.unwrap_or_else(|| DEFAULT_SCOPES.map(str::to_owned).to_vec()),
            allowed_domains: command.allowed_domains.clone(),
            group_claim: command.group_claim.clone(),
            mappings: command.mappings.clone(),
            jit: command.jit,
            jit_role: command.jit_role.unwrap_or(Role::Viewer),
            enforced: command.enforced,
            created_at: here.now,
            deleted_at: None,
            version: 1,
        };
        let mut connection = check(draft, seen, false, command.client_secret.as_deref())?;
        connection.secret =
            command.client_secret.as_deref().map(|secret| self.seal_secret(tenant_id, None, secret)).transpose()?;
        let payload = json!({ "after": facts(&connection), "client_secret_set": connection.secret.is_some() });
        let audit = self.changed(here, "sso.connection_created", id).with_payload(payload);
        Ok(Change { answer: connection.clone(), written: Some((connection, audit)) })
    }

    fn decide_sso_update(
        &self,
        here: &OpContext,
        seen: &Seen,
        id: SsoConnectionId,
        version: Option<u64>,
        command: &UpdateOidcConnection,
    ) -> Result<Change> {
        let present = find(&seen.connections, id)?;
        let command = command.clone();
        let wished = command.client_secret.as_ref().map(|secret| secret.as_deref());
        let mut scope = present.scope;
        scope.workspace_id = command.workspace_id.unwrap_or(scope.workspace_id);
        let draft = SsoConnection {
            scope,
            label: command.label.as_ref().map(normal_name).transpose()?.unwrap_or_else(|| present.label.clone()),
            issuer: command.issuer.unwrap_or_else(|| present.issuer.clone()),
            client_id: command.client_id.unwrap_or_else(|| present.client_id.clone()),
            scopes: command.scopes.unwrap_or_else(|| present.scopes.clone()),
            allowed_domains: command.allowed_domains.unwrap_or_else(|| present.allowed_domains.clone()),
            group_claim: command.group_claim.unwrap_or_else(|| present.group_claim.clone()),
            mappings: command.mappings.unwrap_or_else(|| present.mappings.clone()),
            jit: command.jit.unwrap_or(present.jit),
            jit_role: command.jit_role.unwrap_or(present.jit_role),
            enforced: command.enforced.unwrap_or(present.enforced),
            version: present.version + 1,
            ..present.clone()
        };
        let mut connection = check(draft, seen, present.enforced, wished.flatten())?;
        // Who may change a connection may not read its secret, so they may not send it to another provider either.
        let is_kept = present.secret.is_some() && wished.is_none();
        if is_kept && connection.issuer != present.issuer {
            return Err(Error::invalid("client_secret", "give it again, because the issuer is another one"));
        }
        let (before, after) = (facts(present), facts(&connection));
        if !here.must_change(version, present.version, &before, &after)? {
            return Ok(Change { written: None, answer: present.clone() });
        }
        let tenant_id = here.scope.tenant_id;
        connection.secret = match wished {
            None => present.secret.clone(),
            Some(None) => None,
            Some(Some(secret)) => Some(self.seal_secret(tenant_id, present.secret.as_ref(), secret)?),
        };
        let payload = json!({
            "before": before,
            "after": after,
            "client_secret_set": matches!(wished, Some(Some(_))),
            "client_secret_removed": matches!(wished, Some(None)),
        });
        let audit = self.changed(here, "sso.connection_updated", id).with_payload(payload);
        Ok(Change { answer: connection.clone(), written: Some((connection, audit)) })
    }

    /// Commits what `decide` makes of the connections of the context's tenant, under the epoch of its power there: what is read
    /// for it is read later, so a change of it moves that epoch. Everything decided about anybody there before is stale then.
    async fn change_connections(
        &self,
        ctx: &OpContext,
        enforces: bool,
        decide: impl Fn(&OpContext, &Seen) -> Result<Change> + Send + Sync,
    ) -> Result<OidcConnection> {
        let mut here = ctx.clone();
        let tenant_id = ctx.scope.tenant_id;
        for _ in 0..ATTEMPTS {
            authorize(&here, "sso.update")?;
            let seen = self.see_connections(tenant_id, enforces).await?;
            let Change { written, answer } = decide(&here, &seen)?;
            let Some((connection, audit)) = written else { return Ok(self.view_connection(&answer)) };
            let batch = Batch::opening(here.scope, Durability::Power).under_epoch(here.auth_epoch).with([
                Op::RowPut(Arc::new(Row::SsoConnection(connection))),
                audit.into(),
                Op::EpochRaise(tenant_id),
            ]);
            match self.ports.ledger.commit(batch).await {
                Ok(_) => return Ok(self.view_connection(&answer)),
                Err(LedgerError::Refused(Refusal::AuthEpoch { .. } | Refusal::Version { .. })) => {
                    here = self.reauthenticate(&here).await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(busy())
    }

    async fn see_connections(&self, tenant_id: TenantId, enforces: bool) -> Result<Seen> {
        let sso = &self.ports.sso.store;
        let workspaces = sso.list_tenant_workspaces(tenant_id).await?;
        let mut groups = Vec::new();
        for workspace in &workspaces {
            let listed = self.ports.subjects.list_groups(Scope { tenant_id, workspace_id: workspace.id }).await?;
            groups.extend(listed.into_iter().map(|(group, _)| (workspace.id, group.id)));
        }
        let mut has_way_in = false;
        if enforces {
            for owner in self.ports.accounts.list_tenant_owners(tenant_id).await? {
                let factor = self.ports.second_factors.find_second_factor(owner.id).await?;
                has_way_in |=
                    owner.status == UserStatus::Active && factor.is_some_and(|factor| factor.active.is_some());
            }
        }
        Ok(Seen { connections: sso.list_connections(&[tenant_id]).await?, workspaces, groups, has_way_in })
    }

    fn seal_secret(&self, tenant_id: TenantId, before: Option<&ClientSecret>, secret: &str) -> Result<ClientSecret> {
        let id = before.map_or_else(|| self.ports.ids.secret(), |before| before.id);
        let version = before.map_or(0, |before| before.version) + 1;
        let (scope, value) = (ClientSecret::scope(tenant_id), SecretString::new(secret.to_owned()));
        let sealed = self.ports.sealer.seal(scope, id, version, &value).map_err(Error::internal)?;
        Ok(ClientSecret { id, version, sealed })
    }

    fn changed(&self, here: &OpContext, event: &str, id: SsoConnectionId) -> Audit {
        Audit::done(here, &*self.ports.ids, event, "sso.update", ("sso_connection", id))
    }

    /// A connection as the outside sees it.
    fn view_connection(&self, connection: &SsoConnection) -> OidcConnection {
        OidcConnection {
            id: connection.id,
            label: connection.label.clone(),
            issuer: connection.issuer.clone(),
            client_id: connection.client_id.clone(),
            secret_id: connection.secret.as_ref().map(|secret| secret.id),
            scopes: connection.scopes.clone(),
            allowed_domains: connection.allowed_domains.clone(),
            group_claim: connection.group_claim.clone(),
            mappings: connection.mappings.clone(),
            jit: connection.jit,
            jit_role: connection.jit_role,
            workspace_id: connection.scope.workspace_id,
            enforced: connection.enforced,
            redirect_uri: self.redirect_uri(connection),
            backchannel_logout_uri: self.backchannel_uri(connection),
            created_at: connection.created_at,
            version: connection.version,
        }
    }
}

/// One of the tenant's; another's is not there.
pub(super) fn find(connections: &[SsoConnection], id: SsoConnectionId) -> Result<&SsoConnection> {
    connections.iter().find(|connection| connection.id == id).ok_or_else(Error::not_found)
}

/// Checks a connection whole. Turning passwords away must leave a way in for an owner.
fn check(draft: SsoConnection, seen: &Seen, was_enforced: bool, secret: Option<&str>) -> Result<SsoConnection> {
    let mut checks = Checks::default();
    let named = Nameable { workspaces: &seen.workspaces, groups: &seen.groups };
    let connection = normal(draft, &named, &mut checks);
    check_secret(secret, &mut checks);
    let locks_out = connection.enforced && !was_enforced && !seen.has_way_in;
    let advice =
        "would lock everybody out while the provider is down: an owner of the tenant needs a second factor first";
    checks.require(!locks_out, "enforced", advice);
    checks.done()?;
    Ok(connection)
}
