//! One's own account: who one is, one's workspaces, proving oneself again, changing the password.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;
use types::id::UserId;
use types::identity::{self, ChangePassword, Me, Membership, StepUp, UpdateMe};
use types::name::Name;
use types::problem::Code;

use super::authenticate::lower;
use super::commit::raise_epochs;
use super::{Client, ELEVATED_FOR, Email, Identity, SignedIn, password};
use crate::check::normal_name;
use crate::context::{Credential, OpContext, Scope};
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability, Op};
use crate::policy::guard::authorize;
use crate::port::Account;
use crate::record::{Digest, Row, Session, User};

impl Identity {
    /// Who one is, where, and with what power.
    pub async fn find_me(&self, ctx: &OpContext) -> Result<Me> {
        authorize(ctx, "me.read")?;
        let found = self.resolved_of(ctx).await?;
        let role = ctx.role;
        Ok(Me {
            user: identity::User {
                is_operator: found.account.user.is_operator && ctx.view_as.is_none(),
                ..view_user(&found.account.user)
            },
            principal_id: ctx.principal.map(|principal| principal.id),
            workspaces: self.workspaces_of(ctx, &found.account),
            workspace_id: (ctx.scope != Scope::INSTANCE).then_some(ctx.scope.workspace_id),
            role,
            view_as: ctx.view_as,
            scope: ctx.reach,
            elevated_until: ctx.elevated_until.filter(|until| ctx.now < *until),
            second_factor: found.account.second_factor,
        })
    }

    /// Changes oneself. A name gives no power: no decision becomes stale, and other processes show it within a minute.
    pub async fn update_me(&self, ctx: &OpContext, command: &UpdateMe) -> Result<Me> {
        authorize(ctx, "me.update")?;
        let (account, _) = self.own_session(ctx).await?;
        let before = account.user.name.clone();
        let name = command.name.as_ref().map_or_else(|| Ok(before.clone()), normal_name)?;
        let me = self.find_me(ctx).await?;
        if name == before {
            return Ok(me);
        }
        let user = User { name, version: account.user.version + 1, ..account.user.clone() };
        let answer = Me { user: view_user(&user), ..me };
        let audit = Audit::done(ctx, &*self.ports.ids, "user.updated", "me.update", ("user", user.id))
            .with_payload(json!({ "before": { "name": before }, "after": { "name": user.name } }));
        let batch =
            Batch::opening(ctx.scope, Durability::Power).with([Op::RowPut(Arc::new(Row::User(user))), audit.into()]);
        self.commit(ctx, batch, |ctx| authorize(ctx, "me.update")).await?;
        self.cache.forget_person(account.user.id);
        Ok(answer)
    }

    /// Where one belongs; a key only to its own workspace.
    pub async fn list_workspaces(&self, ctx: &OpContext) -> Result<Vec<Membership>> {
        authorize(ctx, "me.list_workspaces")?;
        let found = self.resolved_of(ctx).await?;
        Ok(self.workspaces_of(ctx, &found.account))
    }

    /// Proves oneself again with one's password or a code, for ten minutes. The console's cookie is replaced by `cookie`.
    pub async fn step_up(
        &self,
        ctx: &OpContext,
        client: &Client,
        command: &StepUp,
        cookie: Option<Digest>,
    ) -> Result<SignedIn> {
        authorize(ctx, "me.step_up")?;
        let password = match (&command.password, &command.code) {
            (Some(password), None) => password,
            (None, Some(code)) => return self.step_up_by_code(ctx, code, cookie).await,
            (None, None) => return Err(Error::invalid("password", "is missing: send it, or `code`")),
            (Some(_), Some(_)) => return Err(Error::invalid("code", "stands beside `password`: send one of the two")),
        };
        let (account, session) = self.own_session(ctx).await?;
        self.confirm_password(client, &account, password, "password", "me.step_up").await?;
        let elevated = Session {
            token: cookie.unwrap_or(session.token),
            elevated_until: Some(ctx.now + ELEVATED_FOR),
            version: session.version + 1,
            ..session
        };
        let signed_in = SignedIn::on(&elevated);
        let audit = Audit::done(ctx, &*self.ports.ids, "step_up", "me.step_up", ("session", elevated.id));
        let batch = Batch::opening(ctx.scope, Durability::Power)
            .with([Op::RowPut(Arc::new(Row::Session(elevated))), audit.into()])
            .with(raise_epochs(&account));
        self.commit(ctx, batch, |ctx| authorize(ctx, "me.step_up")).await?;
        Ok(signed_in)
    }

    /// Changes one's password and ends all other sessions. The console's cookie is replaced by `cookie`.
    pub async fn change_password(
        &self,
        ctx: &OpContext,
        client: &Client,
        command: &ChangePassword,
        cookie: Option<Digest>,
    ) -> Result<SignedIn> {
        authorize(ctx, "me.change_password")?;
        let (account, session) = self.own_session(ctx).await?;
        self.confirm_password(client, &account, &command.current_password, "current_password", "me.change_password")
            .await?;
        let hints = [account.user.email.as_str(), account.user.name.as_str()];
        let chosen = password::chosen(&command.new_password, "new_password", &*self.ports.hasher, &hints)?;
        let password_hash = Some(self.ports.hasher.hash(chosen).await?);
        let user =
            User { password_hash, default_password: false, version: account.user.version + 1, ..account.user.clone() };
        let present = Session { token: cookie.unwrap_or(session.token), version: session.version + 1, ..session };
        let signed_in = SignedIn::on(&present);
        let audit = Audit::done(ctx, &*self.ports.ids, "password.changed", "me.change_password", ("user", user.id));
        let ended = self.end_others(ctx, &account).await?;
        let voided = self.void_reset(&account).await?;
        let batch = Batch::opening(ctx.scope, Durability::Power)
            .with([Op::RowPut(Arc::new(Row::User(user))), Op::RowPut(Arc::new(Row::Session(present))), audit.into()])
            .with(ended)
            .with(voided)
            .with(raise_epochs(&account));
        self.commit(ctx, batch, |ctx| authorize(ctx, "me.change_password")).await?;
        Ok(signed_in)
    }

    /// Who made these keys, by name.
    pub async fn list_issuers(&self, ctx: &OpContext, keys: &[types::key::ApiKey]) -> Result<Vec<(UserId, Name)>> {
        authorize(ctx, "member.list")?;
        self.names(keys.iter().map(|key| key.created_by).collect()).await
    }

    /// The names of these people.
    pub(super) async fn names(&self, ids: BTreeSet<UserId>) -> Result<Vec<(UserId, Name)>> {
        let users = self.ports.directory.list_users(&ids).await?;
        Ok(users.into_iter().map(|user| (user.id, user.name)).collect())
    }

    /// The present session and its person, as the store has them.
    pub(super) async fn own_session(&self, ctx: &OpContext) -> Result<(Account, Session)> {
        let (Credential::Session(id), Some(user_id)) = (&ctx.credential, ctx.user_id) else {
            return Err(Error::new(Code::ScopeRequired, "this needs a signed-in session"));
        };
        let account = self.ports.directory.find_account(user_id).await?.ok_or_else(Error::not_found)?;
        let session = self.ports.directory.find_user_session(user_id, *id).await?.ok_or_else(Error::not_found)?;
        Ok((account, session))
    }

    /// Compares the password of somebody signed in, throttled like a sign-in.
    async fn confirm_password(
        &self,
        client: &Client,
        account: &Account,
        text: &str,
        field: &str,
        operation: &str,
    ) -> Result<()> {
        let email = Email::parse(&account.user.email, field)?;
        let secret = password::typed(text, field)?;
        self.check_throttle(client, &email).await?;
        self.check_password(client, &email, Some(account), &secret, operation).await
    }

    fn workspaces_of(&self, ctx: &OpContext, account: &Account) -> Vec<Membership> {
        let mut workspaces = memberships(account);
        if let Some(key) = ctx.api_key() {
            workspaces.retain(|workspace| workspace.id == key.scope.workspace_id);
            workspaces.iter_mut().for_each(|workspace| workspace.role = ctx.role.unwrap_or(workspace.role));
        }
        if let Some(seen) = ctx.view_as {
            workspaces.iter_mut().for_each(|workspace| workspace.role = lower(seen, workspace.role));
        }
        workspaces
    }
}

/// A person as they see themselves.
pub(super) fn view_user(user: &User) -> identity::User {
    identity::User {
        id: user.id,
        email: user.email.clone(),
        name: user.name.clone(),
        status: user.status,
        is_operator: user.is_operator,
        default_password: user.default_password,
        email_verified: user.email_verified_at.is_some(),
        closes_at: user.closes_at,
    }
}

/// Where a person belongs.
pub(super) fn memberships(account: &Account) -> Vec<Membership> {
    let view = |(workspace, member): &(crate::record::Workspace, crate::record::WorkspaceMember)| Membership {
        id: workspace.id,
        tenant_id: workspace.tenant_id,
        slug: workspace.slug.clone(),
        name: workspace.name.clone(),
        role: member.role,
        status: workspace.status(),
    };
    account.workspaces.iter().map(view).collect()
}
