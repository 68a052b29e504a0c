//! Making an account for somebody.

use std::sync::Arc;

use serde_json::json;
use types::id::UserId;
use types::identity::{Role, TenantRole, UserStatus};
use types::name::{Name, Slug};

use super::ResetLink;
use crate::check::normal_name;
use crate::error::{Error, Result};
use crate::identity::found::Founding;
use crate::identity::{Email, Identity, password};
use crate::ledger::{Audit, Batch, Durability, Op};
use crate::record::{Row, TenantMember, User, WorkspaceMember};
use crate::secret::SecretString;

/// Who is to have an account.
#[derive(Clone, Debug)]
pub struct NewAccount {
    /// Their address.
    pub email: String,
    /// Their name.
    pub name: Name,
    /// Their password; without one they choose it by a link.
    pub password: Option<SecretString>,
    /// Whether they run the instance.
    pub is_operator: bool,
    /// Where they belong; nowhere else means a tenant and a workspace of their own.
    pub place: Option<Place>,
}

/// A workspace by its names, and the role somebody has there.
#[derive(Clone, Debug)]
pub struct Place {
    /// Short name of the tenant.
    pub tenant: Slug,
    /// Short name of the workspace in it.
    pub workspace: Slug,
    /// The role.
    pub role: Role,
}

impl Identity {
    /// Makes an account, and a link by which its password is chosen, if it has none.
    pub async fn create_account(&self, new: &NewAccount) -> Result<(UserId, Option<ResetLink>)> {
        let (email, name) = (Email::parse(&new.email, "email")?, normal_name(&new.name)?);
        let hints = [email.as_str(), name.as_str()];
        let password_hash = match &new.password {
            Some(typed) => {
                let chosen = password::chosen(typed.expose(), "password", &*self.ports.hasher, &hints)?;
                Some(self.ports.hasher.hash(chosen).await?)
            }
            None => None,
        };
        let now = self.ports.clock.now();
        let user = User {
            id: self.ports.ids.user(),
            email: email.as_str().to_owned(),
            email_key: email.key().to_owned(),
            name,
            status: UserStatus::Active,
            is_operator: new.is_operator,
            password_hash,
            default_password: false,
            created_at: now,
            email_verified_at: None,
            closes_at: None,
            version: 1,
        };
        let (scope, rows) = match &new.place {
            Some(place) => self.place_of(place, user.id).await?,
            None => {
                let Founding { scope, rows } = self.founding(&user)?;
                (scope, rows.to_vec())
            }
        };
        let (ctx, id) = (self.at_command_line(scope), user.id);
        let link = if new.password.is_none() { Some(self.reset_link_of(&ctx, &user)?) } else { None };
        let (link, link_ops) = link.map_or((None, None), |(link, ops)| (Some(link), Some(ops)));
        let audit = Audit::done(&ctx, &*self.ports.ids, "admin.cli", "admin.create_user", ("user", id))
            .with_payload(json!({ "is_operator": new.is_operator, "has_password": new.password.is_some() }));
        let batch = Batch::opening(scope, Durability::Power)
            .with([Op::RowPut(Arc::new(Row::User(user)))])
            .with(rows.into_iter().map(|row| Op::RowPut(Arc::new(row))))
            .with(link_ops.into_iter().flatten())
            .with([audit.into(), Op::EpochRaise(scope.tenant_id)]);
        self.ports.ledger.commit(batch).await?;
        Ok((id, link))
    }

    /// A place in a workspace that is there.
    async fn place_of(&self, place: &Place, user_id: UserId) -> Result<(crate::context::Scope, Vec<Row>)> {
        let found = self.ports.accounts.find_scope(&place.tenant, &place.workspace).await?;
        let scope = found.ok_or_else(|| {
            Error::invalid("workspace", format!("is none of the tenant `{}`, or there is no such tenant", place.tenant))
        })?;
        let of_tenant = TenantMember {
            tenant_id: scope.tenant_id,
            user_id,
            role: TenantRole::Member,
            removed_at: None,
            version: 1,
        };
        let member = WorkspaceMember {
            scope,
            user_id,
            role: place.role,
            joined_at: self.ports.clock.now(),
            removed_at: None,
            version: 1,
        };
        Ok((scope, vec![Row::TenantMember(of_tenant), Row::WorkspaceMember(member)]))
    }
}
