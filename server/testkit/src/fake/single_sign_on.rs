//! Reading connections to identity providers, links and sessions.

use async_trait::async_trait;
use kernel::port::{SingleSignOn, StoreError};
use kernel::record::{Row, Session, SsoConnection, SsoLink, Workspace};
use types::id::{SsoConnectionId, SsoLinkId, TenantId, UserId};

use super::store::{FakeStore, rows};

impl FakeStore {
    fn connections(&self, wanted: impl Fn(&SsoConnection) -> bool) -> Vec<SsoConnection> {
        let rows = self.rows();
        let living = rows!(rows, SsoConnection).filter(|connection| connection.deleted_at.is_none());
        let mut found: Vec<_> = living.filter(|connection| wanted(connection)).cloned().collect();
        found.sort_by_key(|connection| (connection.created_at, connection.id));
        found
    }

    fn links(&self, wanted: impl Fn(&SsoLink) -> bool) -> Vec<SsoLink> {
        let rows = self.rows();
        let living = rows!(rows, SsoLink).filter(|link| link.removed_at.is_none());
        let mut found: Vec<_> = living.filter(|link| wanted(link)).cloned().collect();
        found.sort_by_key(|link| (link.created_at, link.id));
        found
    }
}

#[async_trait]
impl SingleSignOn for FakeStore {
    async fn list_connections(&self, tenants: &[TenantId]) -> Result<Vec<SsoConnection>, StoreError> {
        Ok(self.connections(|connection| tenants.contains(&connection.scope.tenant_id)))
    }

    async fn list_offered(&self, limit: u32) -> Result<Vec<SsoConnection>, StoreError> {
        let active: Vec<TenantId> =
            rows!(self.rows(), Tenant).filter(|tenant| tenant.active).map(|tenant| tenant.id).collect();
        let mut found = self.connections(|connection| active.contains(&connection.scope.tenant_id));
        found.truncate(limit.try_into().unwrap_or(usize::MAX));
        Ok(found)
    }

    async fn find_connection(&self, id: SsoConnectionId) -> Result<Option<SsoConnection>, StoreError> {
        Ok(self.connections(|connection| connection.id == id).pop())
    }

    async fn list_tenant_workspaces(&self, tenant_id: TenantId) -> Result<Vec<Workspace>, StoreError> {
        let rows = self.rows();
        let here = rows!(rows, Workspace).filter(|row| row.tenant_id == tenant_id && !row.archived);
        let mut found: Vec<_> = here.cloned().collect();
        found.sort_by_key(|workspace| workspace.id);
        Ok(found)
    }

    async fn find_link(&self, issuer: &str, subject: &str) -> Result<Option<SsoLink>, StoreError> {
        Ok(self.links(|link| (link.issuer.as_str(), link.subject.as_str()) == (issuer, subject)).pop())
    }

    async fn list_links(&self, user_id: UserId) -> Result<Vec<SsoLink>, StoreError> {
        Ok(self.links(|link| link.user_id == user_id))
    }

    async fn list_opened(
        &self,
        connection_id: SsoConnectionId,
        link: Option<SsoLinkId>,
        sid: Option<&str>,
    ) -> Result<Vec<Session>, StoreError> {
        let rows = self.rows();
        let is_meant = |session: &Session| {
            rows!(rows, SsoSession).any(|opened| {
                opened.session_id == session.id
                    && opened.connection_id == connection_id
                    && link.is_none_or(|link| opened.link_id == link)
                    && sid.is_none_or(|sid| opened.sid.as_deref() == Some(sid))
            })
        };
        let live = rows!(rows, Session).filter(|session| session.ended_at.is_none() && is_meant(session));
        let mut found: Vec<_> = live.cloned().collect();
        found.sort_by_key(|session| session.id);
        Ok(found)
    }

    async fn prune_logouts(&self, limit: u32) -> Result<u64, StoreError> {
        let mut rows = self.rows();
        let now = rows.now();
        let over = rows.records.iter().filter_map(|(key, row)| match row {
            Row::SsoLogout(logout) if logout.expires_at <= now => Some((logout.expires_at, key.clone())),
            _ => None,
        });
        let mut over: Vec<_> = over.collect();
        over.sort();
        over.truncate(limit.try_into().unwrap_or(usize::MAX));
        for (_, key) in &over {
            rows.records.remove(key);
            rows.state.rows.remove(key);
        }
        Ok(over.len() as u64)
    }
}
