//! Coming in: by an account of the provider that is linked, or, where the connection lets who is new in, with a new account.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::json;
use types::id::{TenantId, UserId, WorkspaceId};
use types::identity::{SessionKind, TenantRole, UserStatus};
use types::mfa::MfaLevel;
use types::name::{Name, is_misleading};
use types::problem::Code;

use super::claims::Person;
use super::roles::{Change, Place, Plan, given, touched};
use super::{ATTEMPTS, busy, failed, refused};
use crate::check::normal_name;
use crate::context::Scope;
use crate::error::{Error, Result};
use crate::identity::authenticate::check_person;
use crate::identity::{Client, Email, Identity, SignedIn};
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Refusal};
use crate::port::Account;
use crate::record::{Digest, Row, Session, SsoConnection, SsoGiven, SsoLink, SsoSession, TenantMember, User};

/// Most characters of a name.
const MOST_NAME: usize = 80;

/// Who comes in.
struct Guest {
    account: Account,
    link: SsoLink,
    /// What it takes before: an account, a place in the tenant.
    rows: Vec<Row>,
    /// Whether the connection lets them begin in its workspace.
    is_new: bool,
}

impl Identity {
    /// Opens a console session for who the provider says came back.
    pub(super) async fn enter_sso(
        &self,
        client: &Client,
        connection: &SsoConnection,
        told: &Person,
        cookie: Digest,
    ) -> Result<SignedIn> {
        for _ in 0..ATTEMPTS {
            let now = self.ports.clock.now();
            let first = self.ports.people.roster(connection.scope).await?.ok_or_else(Error::not_found)?;
            if !first.tenant.active {
                return Err(Error::new(Code::SubjectDisabled, "the tenant is not active"));
            }
            let epoch = first.auth_epoch;
            // After the epoch was read: what is changed of it from now on moves the epoch.
            let present = self.ports.sso.store.find_connection(connection.id).await?.ok_or_else(Error::not_found)?;
            if present.issuer != connection.issuer || present.client_id != connection.client_id {
                return Err(failed("issuer", "the connection leads to another provider by now, start again"));
            }
            let connection = &present;
            let guest = self.guest(connection, told, now).await?;
            let given = given(connection, &told.groups);
            let places = self.places(connection, &guest.link.given, &given).await?;
            let (batch, signed_in) = self.entering_sso(client, connection, told, guest, &given, &places, cookie)?;
            match self.ports.ledger.commit(batch.under_epoch(epoch)).await {
                Ok(_) => return Ok(signed_in),
                // A place moved, or the same person came in twice at this moment: all of it is read again.
                Err(LedgerError::Refused(
                    Refusal::AuthEpoch { .. } | Refusal::Version { .. } | Refusal::Unique { .. },
                )) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(busy())
    }

    /// Who it is, and whether they have a way in.
    async fn guest(&self, connection: &SsoConnection, told: &Person, now: DateTime<Utc>) -> Result<Guest> {
        let tenant_id = connection.scope.tenant_id;
        let link = self.ports.sso.store.find_link(&connection.issuer, &told.subject).await?;
        let Some(link) = link else {
            let user = self.newcomer(connection, told, now).await?;
            let place = self.fresh_place(connection, told, user.id, None)?;
            let link = self.draft_link(connection, told, user.id, now);
            let account =
                Account { user: user.clone(), tenants: Vec::new(), workspaces: Vec::new(), second_factor: false };
            return Ok(Guest { account, link, rows: vec![Row::User(user), Row::TenantMember(place)], is_new: true });
        };
        let account = self.ports.directory.find_account(link.user_id).await?.ok_or_else(Error::not_found)?;
        check_person(&account)?;
        let is_member = account.tenants.iter().any(|(tenant, ..)| tenant.id == tenant_id);
        let former = self.ports.directory.find_tenant_member(tenant_id, link.user_id).await?;
        let rows = match (is_member, former) {
            (true, _) => Vec::new(),
            (false, former) => vec![Row::TenantMember(self.fresh_place(connection, told, link.user_id, former)?)],
        };
        let is_new = !rows.is_empty();
        let link = SsoLink { email: told.email.clone(), last_used_at: now, version: link.version + 1, ..link };
        Ok(Guest { account, link, rows, is_new })
    }

    /// The account of who comes first. An address that has an account is linked by its owner alone, never by being the same.
    async fn newcomer(&self, connection: &SsoConnection, told: &Person, now: DateTime<Utc>) -> Result<User> {
        let email = check_newcomer(connection, told)?;
        if self.ports.directory.find_account_by_email(email.key()).await?.is_some() {
            let detail =
                "the address has an account here: sign in to it and link the provider on the page of its profile";
            return Err(refused("email_taken", detail));
        }
        Ok(User {
            id: self.ports.ids.user(),
            email: email.as_str().to_owned(),
            email_key: email.key().to_owned(),
            name: name_of(told, &email)?,
            status: UserStatus::Active,
            is_operator: false,
            password_hash: None,
            default_password: false,
            created_at: now,
            // The provider's word counts in its tenant; what proves an address to the instance is a mail.
            email_verified_at: None,
            closes_at: None,
            version: 1,
        })
    }

    /// A place in the tenant for who never had one there. Whoever was removed is let in by people, not by a provider.
    fn fresh_place(
        &self,
        connection: &SsoConnection,
        told: &Person,
        user_id: UserId,
        former: Option<TenantMember>,
    ) -> Result<TenantMember> {
        if former.is_some() {
            return Err(refused("no_member", "you were removed here, ask an owner to add you again"));
        }
        check_newcomer(connection, told)?;
        let tenant_id = connection.scope.tenant_id;
        Ok(TenantMember { tenant_id, user_id, role: TenantRole::Member, removed_at: None, version: 1 })
    }

    /// A link as it is first written.
    pub(super) fn draft_link(
        &self,
        connection: &SsoConnection,
        told: &Person,
        user_id: UserId,
        now: DateTime<Utc>,
    ) -> SsoLink {
        SsoLink {
            id: self.ports.ids.sso_link(),
            user_id,
            tenant_id: connection.scope.tenant_id,
            connection_id: connection.id,
            issuer: connection.issuer.clone(),
            subject: told.subject.clone(),
            email: told.email.clone(),
            given: SsoGiven::default(),
            created_at: now,
            last_used_at: now,
            removed_at: None,
            version: 1,
        }
    }

    /// Everybody of the workspaces that may change, by their ids. A workspace that is gone gives nothing.
    async fn places(
        &self,
        connection: &SsoConnection,
        before: &SsoGiven,
        now: &SsoGiven,
    ) -> Result<BTreeMap<WorkspaceId, Place>> {
        let mut places = BTreeMap::new();
        for workspace_id in touched(connection, before, now) {
            let scope = Scope { tenant_id: connection.scope.tenant_id, workspace_id };
            let Some(roster) = self.ports.people.roster(scope).await? else { continue };
            let groups = self.ports.subjects.list_groups(scope).await?;
            places.insert(workspace_id, Place { roster, groups });
        }
        Ok(places)
    }

    /// The batch that lets them in, and the session it opens.
    #[expect(clippy::too_many_arguments, reason = "each is read by another step of one decision")]
    fn entering_sso(
        &self,
        client: &Client,
        connection: &SsoConnection,
        told: &Person,
        guest: Guest,
        given: &SsoGiven,
        places: &BTreeMap<WorkspaceId, Place>,
        cookie: Digest,
    ) -> Result<(Batch, SignedIn)> {
        let Guest { account, link, mut rows, is_new } = guest;
        let now = link.last_used_at;
        let before = link.given.clone();
        let change = Change { connection, user_id: account.user.id, before: &before, now: given, is_new, at: now };
        let Plan { rows: moved, told: moves } =
            places.values().map(|place| change.plan(place)).fold(Plan::default(), |mut whole, plan| {
                whole.rows.extend(plan.rows);
                whole.told.extend(plan.told);
                whole
            });
        let begins = moved.iter().find_map(|row| match row {
            Row::WorkspaceMember(member) => Some(member.scope.workspace_id),
            _ => None,
        });
        let session = self.draft(client, &account, SessionKind::Console, cookie, MfaLevel::Sso, now);
        let session = Session { workspace_id: session.workspace_id.or(begins), ..session };
        let is_made = rows.iter().any(|row| matches!(row, Row::User(_)));
        let has_moved = !rows.is_empty() || !moved.is_empty();
        let email = Email::parse(&account.user.email, "email")?;
        let signed_in = SignedIn { device: Some(self.mark_device(&email)), ..SignedIn::on(&session) };
        let opened = SsoSession {
            session_id: session.id,
            connection_id: connection.id,
            link_id: link.id,
            sid: told.sid.clone(),
            version: 1,
        };
        let done = |event: &str| {
            let audit = self.sign_in_audit(client, Some(&account), event, "auth.sso", now);
            Audit { credential_id: Some(session.id.to_string()), ..audit }
        };
        let by = json!({ "method": "sso", "connection_id": connection.id, "client": client.short_label() });
        let made = is_made.then(|| done("sso.account_created").with_payload(json!({ "connection_id": connection.id })));
        let mapped = (!moves.is_empty())
            .then(|| done("sso.mapped").with_payload(json!({ "connection_id": connection.id, "changes": moves })));
        let audits: Vec<Audit> = made.into_iter().chain(mapped).chain([done("auth.login").with_payload(by)]).collect();
        rows.extend(moved);
        let link = SsoLink { given: given.clone(), ..link };
        rows.extend([Row::SsoLink(link), Row::Session(session), Row::SsoSession(opened)]);
        let own = account.tenants.iter().map(|(tenant, ..)| tenant.id);
        let raised: BTreeSet<TenantId> = own.chain([connection.scope.tenant_id]).filter(|_| has_moved).collect();
        let batch = Batch::opening(connection.scope, Durability::Power)
            .with(rows.into_iter().map(|row| Op::RowPut(Arc::new(row))))
            .with(audits.into_iter().map(Op::from))
            .with(raised.into_iter().map(Op::EpochRaise));
        Ok((batch, signed_in))
    }
}

/// Whether a connection lets somebody in who is new, and by which address.
fn check_newcomer(connection: &SsoConnection, told: &Person) -> Result<Email> {
    if !connection.jit {
        let detail = "nobody here is linked to this account of the provider: sign in another way and link it on the page of \
                      your profile, or ask an owner to invite you";
        return Err(refused("no_account", detail));
    }
    let email = told.email.as_deref().and_then(|email| Email::parse(email, "email").ok());
    let email = email.ok_or_else(|| refused("no_email", "the provider tells no address of yours"))?;
    if !told.email_verified {
        return Err(refused("email_unverified", "the provider did not verify your address, verify it there first"));
    }
    let domain = email.key().rsplit('@').next().unwrap_or_default();
    if !connection.allowed_domains.iter().any(|allowed| allowed == domain) {
        return Err(refused(
            "domain_not_allowed",
            "addresses of your domain get no account here, ask an owner to invite you",
        ));
    }
    Ok(email)
}

/// The name the provider tells, as far as it is one; else what stands before the `@`.
fn name_of(told: &Person, email: &Email) -> Result<Name> {
    let local = email.as_str().split('@').next().unwrap_or_default();
    let plain = |text: &str| -> String {
        let plain = text.chars().filter(|character| !is_misleading(*character)).collect::<String>();
        plain.trim().chars().take(MOST_NAME).collect::<String>().trim().to_owned()
    };
    let names = told.name.as_deref().map(plain).into_iter().chain([plain(local), "Somebody".to_owned()]);
    let name = names.filter_map(|name| Name::try_from(name).ok()).next();
    normal_name(&name.ok_or_else(|| refused("no_name", "the provider tells no name that can be kept"))?)
}
