//! The first account: an operator who owns the first tenant and workspace.
//!
//! Two processes that start at once both try; the unique names of what they make let one of them win.

use std::sync::Arc;

use serde_json::json;
use types::identity::{Role, TenantRole, UnpricedPolicy, UserStatus};
use types::name::{Name, Slug};
use types::run::{Caller, CallerKind, Capture};

use super::{Email, Identity, password};
use crate::context::Scope;
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Outcome, Refusal};
use crate::record::{Row, Tenant, TenantMember, User, Workspace, WorkspaceMember};
use crate::secret::SecretString;

/// Who is to have the first account.
#[derive(Clone, Debug)]
pub struct FirstAccount {
    /// Their address.
    pub email: String,
    /// Their password. The default one is exempt from the rule for new passwords, and asked to be changed.
    pub password: SecretString,
    /// Whether it is the password soit comes with.
    pub is_default_password: bool,
    /// Short name of the tenant.
    pub tenant: Slug,
    /// Short name of the workspace.
    pub workspace: Slug,
}

impl Identity {
    /// Makes the first account on an empty instance; false when there is one already.
    pub async fn bootstrap(&self, first: &FirstAccount) -> Result<bool> {
        if !self.ports.directory.is_empty().await? {
            return Ok(false);
        }
        let email = Email::parse(&first.email, "email")?;
        let secret = if first.is_default_password {
            password::typed(first.password.expose(), "password")?
        } else {
            password::chosen(first.password.expose(), "password", &*self.ports.hasher, &[email.as_str()])?
        };
        let password_hash = self.ports.hasher.hash(secret).await?;
        let batch = self.first_batch(first, &email, password_hash)?;
        match self.ports.ledger.commit(batch).await {
            Ok(_) => Ok(true),
            Err(LedgerError::Refused(Refusal::Unique { .. })) if !self.ports.directory.is_empty().await? => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn first_batch(&self, first: &FirstAccount, email: &Email, password_hash: String) -> Result<Batch> {
        let (now, ids) = (self.ports.clock.now(), &*self.ports.ids);
        let scope = Scope { tenant_id: ids.tenant(), workspace_id: ids.workspace() };
        let user_id = ids.user();
        let user = User {
            id: user_id,
            email: email.as_str().to_owned(),
            email_key: email.key().to_owned(),
            name: name("Administrator")?,
            status: UserStatus::Active,
            is_operator: true,
            password_hash: Some(password_hash),
            default_password: first.is_default_password,
            created_at: now,
            email_verified_at: None,
            closes_at: None,
            version: 1,
        };
        let tenant = Tenant {
            id: scope.tenant_id,
            name: name(first.tenant.as_str())?,
            slug: first.tenant.clone(),
            active: true,
            content_capture: Capture::Full,
            deleted_at: None,
            version: 1,
        };
        let workspace = Workspace {
            id: scope.workspace_id,
            tenant_id: scope.tenant_id,
            name: name(first.workspace.as_str())?,
            slug: first.workspace.clone(),
            archived: false,
            unpriced_call_policy: UnpricedPolicy::RefuseWhenBudgeted,
            content_capture: Capture::Full,
            require_mfa_from: None,
            version: 1,
        };
        let tenant_member =
            TenantMember { tenant_id: scope.tenant_id, user_id, role: TenantRole::Owner, removed_at: None, version: 1 };
        let member =
            WorkspaceMember { scope, user_id, role: Role::Owner, joined_at: now, removed_at: None, version: 1 };
        let rows = [
            Row::Tenant(tenant),
            Row::Workspace(workspace),
            Row::User(user),
            Row::TenantMember(tenant_member),
            Row::WorkspaceMember(member),
        ];
        let audit = Audit {
            id: ids.audit(),
            event_type: "instance.bootstrapped".to_owned(),
            operation: "instance.bootstrap".to_owned(),
            outcome: Outcome::Done,
            resource_type: "user".to_owned(),
            resource_id: user_id.to_string(),
            actor: Caller { kind: CallerKind::System, id: "bootstrap".to_owned() },
            run_id: None,
            address: None,
            credential_id: None,
            payload: json!({ "tenant_id": scope.tenant_id, "workspace_id": scope.workspace_id }),
            occurred_at: now,
        };
        let rows = rows.map(|row| Op::RowPut(Arc::new(row)));
        Ok(Batch::opening(scope, Durability::Power).with(rows).with([audit.into()]))
    }
}

fn name(text: &str) -> Result<Name> {
    text.parse().map_err(|error: types::name::InvalidName| Error::invalid("name", error.to_string()))
}
