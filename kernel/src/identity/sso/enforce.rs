//! Where a tenant's members sign in only with its provider: a right password is turned away.

use serde_json::json;
use types::id::TenantId;
use types::identity::TenantRole;
use types::problem::Code;

use crate::error::{Error, Result};
use crate::identity::login::home;
use crate::identity::{Client, Identity};
use crate::ledger::{Batch, Durability, Outcome};
use crate::port::Account;

impl Identity {
    /// Refuses a password of who belongs to a tenant that enforces its provider. Its owners get in with a second factor, so that
    /// nobody is locked out while the provider is down; that they did is in the audit.
    pub(in crate::identity) async fn check_sso(&self, client: &Client, account: &Account) -> Result<()> {
        let tenants: Vec<TenantId> = account.tenants.iter().map(|(tenant, ..)| tenant.id).collect();
        if tenants.is_empty() {
            return Ok(());
        }
        let mut enforcing = self.ports.sso.store.list_connections(&tenants).await?;
        enforcing.retain(|connection| connection.enforced);
        let Some(first) = enforcing.first() else { return Ok(()) };
        let connection_id = first.id;
        let owns = |tenant_id: TenantId| {
            account.tenants.iter().any(|(tenant, role, _)| tenant.id == tenant_id && *role == TenantRole::Owner)
        };
        let is_exempt = account.second_factor && enforcing.iter().all(|connection| owns(connection.scope.tenant_id));
        let event = if is_exempt { "sso.bypassed" } else { "sso.required" };
        let outcome = if is_exempt { Outcome::Done } else { Outcome::Failed };
        let audit = self.sign_in_audit(client, Some(account), event, "auth.login", self.ports.clock.now());
        let audit = audit.with_payload(json!({ "connection_id": connection_id })).with_outcome(outcome);
        let batch = Batch::opening(home(account), Durability::Power).with([audit.into()]);
        self.ports.ledger.commit(batch).await?;
        if is_exempt {
            return Ok(());
        }
        let detail = "members here sign in with their identity provider, choose it on the sign-in page";
        Err(Error::new(Code::SsoRequired, detail))
    }
}
