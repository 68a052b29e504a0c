//! Accepting an invitation: by the account of its address, or by making that account.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::json;
use types::identity::UserStatus;
use types::member::{AcceptInvitation, AcceptedInvitation, InvitationStatus};
use types::problem::Code;
use types::run::{Caller, CallerKind};

use super::read::status;
use crate::check::normal_name;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::member::may_set;
use crate::identity::token::{self, TokenKind};
use crate::identity::{Client, Email, Identity, password};
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Outcome, Refusal};
use crate::policy::guard::authorize;
use crate::policy::rbac::{self, Cell};
use crate::port::{Account, Roster};
use crate::record::{Digest, Invitation, Row, TenantMember, User, WorkspaceMember};

/// How often it is decided anew while others move places.
const ATTEMPTS: usize = 5;

/// Who accepts.
enum Joiner {
    /// Who has the account of the address.
    Known(Box<Account>),
    /// Who makes it.
    New(User),
}

impl Joiner {
    fn user(&self) -> &User {
        match self {
            Self::Known(account) => &account.user,
            Self::New(user) => user,
        }
    }
}

impl Identity {
    /// Accepts an invitation. Signed in, one must have its address; else the account of the address is made. A token that
    /// was taken back, is somebody else's or never was: the same answer.
    pub async fn accept_invitation(
        &self,
        client: &Client,
        ctx: Option<&OpContext>,
        command: &AcceptInvitation,
    ) -> Result<AcceptedInvitation> {
        let now = self.ports.clock.now();
        self.strangers.check(client.address, now)?;
        let Some((TokenKind::Invitation, digest)) = token::parse(command.token.trim()) else {
            self.strangers.count(client.address, now);
            return Err(Error::not_found());
        };
        let mut made = None;
        for _ in 0..ATTEMPTS {
            let Some((invitation, roster)) = self.invited(digest, now).await? else {
                self.strangers.count(client.address, now);
                return Err(Error::not_found());
            };
            let joiner = match ctx {
                Some(ctx) => self.joiner_of(ctx, &invitation).await?,
                None => self.new_joiner(&invitation, command, &mut made, now).await?,
            };
            check_status(&invitation, now)?;
            let batch = self.joining(client, &invitation, &roster, &joiner, now).await?;
            match self.ports.ledger.commit(batch).await {
                Ok(_) => {
                    let Roster { workspace, .. } = roster;
                    let user_id = joiner.user().id;
                    return Ok(AcceptedInvitation {
                        user_id,
                        workspace_id: workspace.id,
                        workspace_slug: workspace.slug,
                    });
                }
                // Somebody moved a place, accepted the same invitation or made the same account: all of it is read again.
                Err(LedgerError::Refused(
                    Refusal::AuthEpoch { .. } | Refusal::Version { .. } | Refusal::Unique { .. },
                )) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(Code::Busy, "others change the members at the same time, try again").with_retry_after(1))
    }

    /// An invitation that was not taken back, and everybody of its workspace; whoever invited must still be able to.
    async fn invited(&self, digest: Digest, now: DateTime<Utc>) -> Result<Option<(Invitation, Roster)>> {
        let Some(invitation) = self.ports.people.find_invitation(digest).await? else { return Ok(None) };
        let Some(roster) = self.ports.people.roster(invitation.scope).await? else { return Ok(None) };
        let inviter = roster.member(invitation.invited_by).filter(|seat| seat.user.status == UserStatus::Active);
        let may_invite = inviter.is_some_and(|seat| {
            let role = seat.member.role;
            let rule = rbac::find("invitation.create");
            rule.is_some_and(|rule| rule.of_role(role) == Cell::All) && may_set(role, None, Some(invitation.role))
        });
        let waits = match status(&invitation, now) {
            InvitationStatus::Revoked => false,
            // What was told to its address stays true.
            InvitationStatus::Accepted => true,
            InvitationStatus::Pending | InvitationStatus::Expired => may_invite,
        };
        let is_open = waits && roster.tenant.active && !roster.workspace.archived;
        Ok(is_open.then_some((invitation, roster)))
    }

    async fn joiner_of(&self, ctx: &OpContext, invitation: &Invitation) -> Result<Joiner> {
        authorize(ctx, "me.accept_invitation")?;
        let (account, _) = self.own_session(ctx).await?;
        if account.user.email_key != invitation.email_key {
            return Err(Error::not_found());
        }
        Ok(Joiner::Known(Box::new(account)))
    }

    /// The account to be made; its password is hashed once.
    async fn new_joiner(
        &self,
        invitation: &Invitation,
        command: &AcceptInvitation,
        made: &mut Option<User>,
        now: DateTime<Utc>,
    ) -> Result<Joiner> {
        check_status(invitation, now)?;
        if self.ports.directory.find_account_by_email(&invitation.email_key).await?.is_some() {
            // Perhaps the same form, sent twice, has just made it.
            let present = self.ports.people.find_invitation(invitation.digest).await?.ok_or_else(Error::not_found)?;
            check_status(&present, now)?;
            let detail = "the address of the invitation has an account, sign in with it and accept again";
            return Err(Error::new(Code::Unauthenticated, detail));
        }
        if let Some(user) = made {
            return Ok(Joiner::New(user.clone()));
        }
        let email = Email::parse(&invitation.email, "email")?;
        let name = command.name.as_ref().ok_or_else(|| Error::invalid("name", "is needed to make the account"))?;
        let name = normal_name(name)?;
        let typed = command.password.as_deref();
        let typed = typed.ok_or_else(|| Error::invalid("password", "is needed to make the account"))?;
        let chosen = password::chosen(typed, "password", &*self.ports.hasher, &[email.as_str(), name.as_str()])?;
        let user = User {
            id: self.ports.ids.user(),
            email: email.as_str().to_owned(),
            email_key: email.key().to_owned(),
            name,
            status: UserStatus::Active,
            is_operator: false,
            password_hash: Some(self.ports.hasher.hash(chosen).await?),
            default_password: false,
            created_at: now,
            // What was sent there by mail proves the address.
            email_verified_at: (self.invitation_token(invitation.id).1 == invitation.digest).then_some(now),
            closes_at: None,
            version: 1,
        };
        Ok(Joiner::New(made.insert(user).clone()))
    }

    /// What accepting writes: the account if it is new, the places it gives, and that the invitation is used.
    async fn joining(
        &self,
        client: &Client,
        invitation: &Invitation,
        roster: &Roster,
        joiner: &Joiner,
        now: DateTime<Utc>,
    ) -> Result<Batch> {
        let (scope, user_id) = (invitation.scope, joiner.user().id);
        let mut rows = Vec::new();
        let mut tenants = BTreeSet::from([scope.tenant_id]);
        match joiner {
            Joiner::New(user) => rows.push(Row::User(user.clone())),
            Joiner::Known(account) => tenants.extend(account.tenants.iter().map(|(tenant, ..)| tenant.id)),
        }
        let of_tenant = self.ports.directory.find_tenant_member(scope.tenant_id, user_id).await?;
        if of_tenant.as_ref().is_none_or(|member| member.removed_at.is_some()) {
            rows.push(Row::TenantMember(TenantMember {
                tenant_id: scope.tenant_id,
                user_id,
                role: invitation.tenant_role,
                removed_at: None,
                version: of_tenant.map_or(0, |member| member.version) + 1,
            }));
        }
        let mut events = vec![("invitation.accepted", "invitation", invitation.id.to_string())];
        // Who was added meanwhile keeps the role they have.
        if roster.member(user_id).is_none() {
            let former = roster.seats.iter().find(|seat| seat.user.id == user_id);
            rows.push(Row::WorkspaceMember(WorkspaceMember {
                scope,
                user_id,
                role: invitation.role,
                joined_at: now,
                removed_at: None,
                version: former.map_or(0, |seat| seat.member.version) + 1,
            }));
            events.push(("member.added", "member", user_id.to_string()));
        }
        let accepted =
            Invitation { accepted: Some((now, user_id)), version: invitation.version + 1, ..invitation.clone() };
        rows.push(Row::Invitation(accepted));
        let audits = events.into_iter().map(|(event_type, resource_type, resource_id)| Audit {
            id: self.ports.ids.audit(),
            event_type: event_type.to_owned(),
            operation: "invitation.accept".to_owned(),
            outcome: Outcome::Done,
            resource_type: resource_type.to_owned(),
            resource_id,
            actor: Caller { kind: CallerKind::User, id: user_id.to_string() },
            run_id: None,
            address: Some(client.address_text()).filter(|address| !address.is_empty()),
            credential_id: None,
            payload: json!({ "invitation_id": invitation.id, "after": { "role": invitation.role } }),
            occurred_at: now,
        });
        Ok(Batch::opening(scope, Durability::Power)
            .under_epoch(roster.auth_epoch)
            .with(rows.into_iter().map(|row| Op::RowPut(Arc::new(row))))
            .with(audits.map(Op::from))
            .with(tenants.into_iter().map(Op::EpochRaise)))
    }
}

/// Whether it can still be accepted.
fn check_status(invitation: &Invitation, now: DateTime<Utc>) -> Result<()> {
    match status(invitation, now) {
        InvitationStatus::Pending => Ok(()),
        InvitationStatus::Accepted => Err(Error::new(Code::InvitationUsed, "somebody joined with it already")),
        InvitationStatus::Expired => {
            Err(Error::new(Code::InvitationExpired, "its time is over, ask whoever invited you for a new one"))
        }
        InvitationStatus::Revoked => Err(Error::not_found()),
    }
}
