//! Whether everything somebody owns has another owner who can act.

use types::identity::{Role, TenantRole, UserStatus};
use types::problem::Code;

use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::port::Account;

impl Identity {
    /// Refuses while a workspace or tenant would be left without an owner. One whose account is closing counts as none.
    pub(in crate::identity) async fn check_others_own(&self, account: &Account) -> Result<()> {
        let me = account.user.id;
        for (workspace, member) in account.workspaces.iter().filter(|(_, member)| member.role == Role::Owner) {
            let roster = self.ports.people.roster(member.scope).await?.ok_or_else(Error::not_found)?;
            let mut others = roster.members().filter(|seat| seat.user.id != me && seat.member.role == Role::Owner);
            if !others.any(|seat| seat.user.status == UserStatus::Active) {
                return Err(last_owner("workspace", workspace.name.as_str()));
            }
        }
        for (tenant, ..) in account.tenants.iter().filter(|(_, role, _)| *role == TenantRole::Owner) {
            let owners = self.ports.accounts.list_tenant_owners(tenant.id).await?;
            if !owners.iter().any(|owner| owner.id != me && owner.status == UserStatus::Active) {
                return Err(last_owner("tenant", tenant.name.as_str()));
            }
        }
        Ok(())
    }
}

fn last_owner(what: &str, name: &str) -> Error {
    let detail = format!("the {what} `{name}` would be left without an owner, make somebody else one first");
    Error::new(Code::LastOwner, detail)
}
