//! The instance's accounts.

use types::id::UserId;
use types::page::Page;
use types::tenant::{AccountDetail, AccountQuery, AccountView};

use super::authorize_one;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::tenant::{keyset, paged, view as tenant_view};
use crate::policy::guard::authorize;
use crate::record::User;

/// Longest part of an address that is searched for.
const MOST_LETTERS: usize = 200;

impl Identity {
    /// Every account, in the order they were made; with `q` those whose address holds it.
    pub async fn list_accounts(&self, ctx: &OpContext, query: &AccountQuery) -> Result<Page<AccountView>> {
        authorize(ctx, "user.list")?;
        let q = query.q.as_deref().map(str::trim).filter(|q| !q.is_empty());
        if q.is_some_and(|q| q.chars().count() > MOST_LETTERS) {
            return Err(Error::invalid("q", format!("must have at most {MOST_LETTERS} characters")));
        }
        let (after, limit) = keyset::<UserId>(query.limit, query.cursor.as_deref())?;
        let users = self.ports.tenants.list_accounts(q, after, limit.saturating_add(1)).await?;
        Ok(paged(users.iter().map(view).collect(), limit, |account: &AccountView| account.id.to_string()))
    }

    /// One account, with the tenants it belongs to.
    pub async fn find_account(&self, ctx: &OpContext, id: UserId) -> Result<AccountDetail> {
        authorize_one(ctx, "user.read")?;
        let account = self.ports.directory.find_account(id).await?.ok_or_else(Error::not_found)?;
        let tenants = account.tenants.iter().map(|(tenant, role, _)| tenant_view(tenant, Some(*role)));
        Ok(AccountDetail {
            account: view(&account.user),
            second_factor: account.second_factor,
            tenants: tenants.collect(),
        })
    }
}

/// An account as who runs the instance sees it.
pub(super) fn view(user: &User) -> AccountView {
    AccountView {
        id: user.id,
        email: user.email.clone(),
        name: user.name.clone(),
        status: user.status,
        is_operator: user.is_operator,
        email_verified: user.email_verified_at.is_some(),
        created_at: user.created_at,
    }
}
