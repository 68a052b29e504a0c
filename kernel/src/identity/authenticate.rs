//! From a request to an `OpContext`: every check in its order, each with its own refusal.

use std::net::IpAddr;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use types::access::PrincipalStatus;
use types::id::{TenantId, WorkspaceId};
use types::identity::{Role, Scope as Reach, SessionKind, TenantRole, UserStatus};
use types::mfa::MfaLevel;
use types::name::Slug;
use types::problem::Code;

use super::address::id_called;
use super::cache::{Held, Resolved};
use super::login::home;
use super::resolve::{Kind, invalid_credentials};
use super::tenant;
use super::{Client, Identity, Place, Presented, delta};
use crate::context::{Credential, OpContext, Principal, Scope};
use crate::error::{Error, Result};
use crate::ledger::{Batch, Durability, Op, Touch};
use crate::port::Account;
use crate::record::{ApiKey, KeySecret, ServicePrincipal, Session};

/// Why somebody is not let in.
#[derive(Clone, Debug)]
pub struct TurnedAway {
    /// The refusal.
    pub error: Error,
    /// Who it is, where the credential has proven it: for records of the refusal, never for a decision.
    pub known: Option<Box<OpContext>>,
}

impl From<Error> for TurnedAway {
    fn from(error: Error) -> Self {
        Self { error, known: None }
    }
}

impl From<TurnedAway> for Error {
    fn from(turned_away: TurnedAway) -> Self {
        turned_away.error
    }
}

impl Identity {
    /// Who asks, where and with what power; or why not.
    pub async fn authenticate(
        &self,
        client: &Client,
        presented: Option<&Presented>,
        place: &Place,
    ) -> std::result::Result<OpContext, TurnedAway> {
        let Some(presented) = presented else {
            let detail = "sign in, or send an API key as `Authorization: Bearer`";
            return Err(Error::new(Code::Unauthenticated, detail).into());
        };
        let found = self.resolve(client, presented).await?;
        let now = self.ports.clock.now();
        match admit(&found, client, place, now) {
            Ok(ctx) => {
                self.note_use(&found, &ctx);
                Ok(ctx)
            }
            Err(error) => {
                let known = turned_away(&found, client, &error, now);
                if let Some(ctx) = &known {
                    self.note_denial(ctx, error.code(), error.detail());
                }
                Err(TurnedAway { error, known: known.filter(|ctx| ctx.scope != Scope::INSTANCE).map(Box::new) })
            }
        }
    }

    /// Decides anew who asks, from the store: for a caller whose batch was refused because access rules moved. The time of
    /// admission stays.
    pub async fn reauthenticate(&self, ctx: &OpContext) -> Result<OpContext> {
        let Some(token) = ctx.token else {
            return Ok(ctx.clone());
        };
        let kind = if ctx.api_key().is_some() { Kind::ApiKey } else { Kind::Session };
        let found = self.look_up(kind, token).await?.ok_or_else(invalid_credentials)?;
        let client = Client {
            address: ctx.address,
            label: String::new(),
            device: None,
            entry: ctx.entry,
            request_id: ctx.request_id,
            trace_id: ctx.trace_id.clone(),
        };
        let place = match (ctx.scope, ctx.role) {
            (Scope::INSTANCE, _) => Place::Person { header: None },
            // With a role in the tenant alone it concerned the tenant, perhaps one of its workspaces.
            (scope, None) if ctx.tenant_role.is_some() => Place::Tenant { id: scope.tenant_id, header: None },
            // Without a role it concerned the person alone.
            (scope, None) => Place::Person { header: Some(scope.workspace_id) },
            (scope, Some(_)) => Place::Workspace { path: None, header: Some(scope.workspace_id) },
        };
        let fresh = admit(&found, &client, &place, self.ports.clock.now())?;
        let scope = if matches!(place, Place::Tenant { .. }) { ctx.scope } else { fresh.scope };
        Ok(OpContext { scope, now: ctx.now, form_key: ctx.form_key, ..fresh })
    }

    /// What the credential of a context stands for.
    pub(super) async fn resolved_of(&self, ctx: &OpContext) -> Result<Arc<Resolved>> {
        let token = ctx.token.ok_or_else(invalid_credentials)?;
        if let Some(found) = self.resolved(token) {
            return Ok(found);
        }
        let kind = if ctx.api_key().is_some() { Kind::ApiKey } else { Kind::Session };
        self.look_up(kind, token).await?.ok_or_else(invalid_credentials)
    }

    /// Notes the use of a key or session, once a minute and off the request path. A lost note does no harm.
    fn note_use(&self, found: &Resolved, ctx: &OpContext) {
        if !found.take_note(ctx.now) {
            return;
        }
        let touch = match &found.held {
            Held::Key(key, ..) => {
                let address = ctx.address.map(|address| address.to_canonical().to_string());
                Touch::ApiKey { id: key.id, at: ctx.now, address }
            }
            Held::Session(session) => Touch::Session {
                id: session.id,
                at: ctx.now,
                token_expires_at: match session.kind {
                    SessionKind::Console => session.expires_at.min(ctx.now + delta(self.settings.session_idle)),
                    SessionKind::Api => session.token_expires_at,
                },
            },
        };
        let batch = Batch::opening(ctx.scope, Durability::Process).with([Op::Touch(touch)]);
        let ledger = Arc::clone(&self.ports.ledger);
        self.ports.spawner.spawn(Box::pin(async move {
            if let Err(error) = ledger.commit(batch).await {
                tracing::debug!(error = %error, "a use could not be noted");
            }
        }));
    }
}

/// Checks 5 to 10 of a found credential, in memory.
fn admit(found: &Resolved, client: &Client, place: &Place, now: DateTime<Utc>) -> Result<OpContext> {
    let account = &found.account;
    match &found.held {
        Held::Key(key, secret, principal) => {
            check_key(key, secret, account, now)?;
            principal.as_ref().map_or(Ok(()), check_principal)?;
            check_address(key, client.address)?;
        }
        Held::Session(session) => check_session(session, account, now)?,
    }
    if let Place::Tenant { id, header } = place {
        return tenant::admit(found, context(found, client, None, now), *id, *header);
    }
    let seat = match &found.held {
        Held::Key(key, ..) => Some(seat_of_key(account, key, place)?),
        Held::Session(session) => seat_of_session(account, session, place)?,
    };
    let ctx = context(found, client, seat.as_ref(), now);
    if seat.is_none_or(|seat| !seat.asks_mfa(now) || has_second_factor(found, seat.scope.tenant_id)) {
        return Ok(ctx);
    }
    match place {
        // What concerns the person alone stays open, setting one up above all. In the workspace they have no power.
        Place::Person { .. } => Ok(OpContext { role: None, tenant_role: None, ..ctx }),
        Place::Workspace { .. } | Place::Slug(_) | Place::Tenant { .. } => {
            let detail = "the workspace lets in only who has a second factor, set one up and sign in with it";
            Err(Error::new(Code::MfaRequired, detail))
        }
    }
}

/// Whether a second factor stands behind a credential: the session has proved one, a key's issuer has one. An identity provider
/// stands for one in the tenant that trusts it, and in no other.
fn has_second_factor(found: &Resolved, tenant_id: TenantId) -> bool {
    match &found.held {
        Held::Key(..) => found.account.second_factor,
        Held::Session(session) => match session.mfa {
            MfaLevel::None => false,
            // One that was taken away since counts no more.
            MfaLevel::Totp => found.account.second_factor,
            MfaLevel::Sso => found.vouched_by == Some(tenant_id),
        },
    }
}

/// Who was turned away, where their credential is good: in its own workspace, with no role there.
fn turned_away(found: &Resolved, client: &Client, error: &Error, now: DateTime<Utc>) -> Option<OpContext> {
    if matches!(error.code(), Code::InvalidCredentials | Code::CredentialsExpired) {
        return None;
    }
    let scope = match &found.held {
        Held::Key(key, ..) => key.scope,
        Held::Session(_) => home(&found.account),
    };
    Some(OpContext { scope, ..context(found, client, None, now) })
}

fn context(found: &Resolved, client: &Client, seat: Option<&Seat>, now: DateTime<Utc>) -> OpContext {
    let account = &found.account;
    let (credential, reach) = match &found.held {
        Held::Key(key, ..) => {
            let reach = key.scopes.iter().copied().max().unwrap_or(Reach::Read);
            (Credential::ApiKey(Arc::clone(key)), reach)
        }
        Held::Session(session) => (Credential::Session(session.id), Reach::Admin),
    };
    let is_session = matches!(found.held, Held::Session(_));
    let acting = match &found.held {
        Held::Key(_, _, principal) => principal.as_ref(),
        Held::Session(_) => None,
    };
    let principal = acting.map(|principal| Principal { id: principal.id, owner_id: account.user.id });
    let view_as = match &found.held {
        Held::Session(session) => session.view_as,
        Held::Key(..) => None,
    };
    let own_role = |seat: &Seat| acting.map_or(seat.role, |principal| lower(principal.role, seat.role));
    OpContext {
        user_id: acting.is_none().then_some(account.user.id),
        principal,
        granted: Arc::clone(&found.granted),
        scope: seat.map_or(Scope::INSTANCE, |seat| seat.scope),
        credential,
        token: Some(found.token),
        role: seat.map(own_role).map(|own| view_as.map_or(own, |seen| lower(seen, own))),
        view_as,
        // A service principal belongs to one workspace and to nothing above it; so does who is seen as a role of one.
        tenant_role: seat.filter(|_| acting.is_none()).map(|seat| match view_as {
            Some(_) => TenantRole::Member,
            None => seat.tenant_role,
        }),
        is_archived: seat.is_some_and(|seat| seat.is_archived),
        // A key belongs to one workspace: it never runs the instance. Nor does a session that a tenant's identity provider opened:
        // who sets that up would run it, too.
        is_operator: is_session && found.vouched_by.is_none() && view_as.is_none() && account.user.is_operator,
        reach,
        auth_epoch: seat.map_or(0, |seat| seat.auth_epoch),
        elevated_until: match &found.held {
            Held::Session(session) => session.elevated_until,
            Held::Key(..) => None,
        },
        has_password: account.user.password_hash.is_some(),
        entry: client.entry,
        request_id: client.request_id,
        form_key: None,
        trace_id: client.trace_id.clone(),
        address: client.address,
        now,
    }
}

/// The lower of two roles: what a service principal has of its owner's, and a session of its person's. The strongest comes
/// first.
pub(super) fn lower(one: Role, other: Role) -> Role {
    one.max(other)
}

fn check_principal(principal: &ServicePrincipal) -> Result<()> {
    match principal.status {
        PrincipalStatus::Active => Ok(()),
        PrincipalStatus::Disabled | PrincipalStatus::Orphaned => Err(disabled()),
    }
}

fn check_key(key: &ApiKey, secret: &KeySecret, account: &Account, now: DateTime<Utc>) -> Result<()> {
    if key.revoked_at.is_some() {
        return Err(invalid_credentials());
    }
    if now >= key.expires_at || secret.expires_at.is_some_and(|end| now >= end) {
        return Err(expired());
    }
    check_person(account)
}

fn check_address(key: &ApiKey, address: Option<IpAddr>) -> Result<()> {
    let Some(allowed) = &key.ip_allowlist else {
        return Ok(());
    };
    let address = address.map(|address| address.to_canonical());
    if address.is_some_and(|address| allowed.iter().any(|network| network.contains(&address))) {
        return Ok(());
    }
    Err(Error::new(Code::AddressNotAllowed, "the key may not be used from this address"))
}

fn check_session(session: &Session, account: &Account, now: DateTime<Utc>) -> Result<()> {
    if session.ended_at.is_some() {
        return Err(invalid_credentials());
    }
    if now >= session.token_expires_at || now >= session.expires_at {
        return Err(expired());
    }
    check_person(account)
}

pub(super) fn check_person(account: &Account) -> Result<()> {
    match account.user.status {
        UserStatus::Active | UserStatus::Closing => Ok(()),
        UserStatus::Disabled | UserStatus::Closed => Err(disabled()),
    }
}

/// A place in a workspace, with the tenant it belongs to.
struct Seat {
    scope: Scope,
    role: Role,
    tenant_role: TenantRole,
    auth_epoch: u64,
    is_active: bool,
    is_archived: bool,
    require_mfa_from: Option<DateTime<Utc>>,
}

impl Seat {
    fn asks_mfa(&self, now: DateTime<Utc>) -> bool {
        self.require_mfa_from.is_some_and(|from| from <= now)
    }
}

fn seats(account: &Account) -> impl Iterator<Item = (Seat, &Slug)> {
    let tenant = |id: TenantId| account.tenants.iter().find(move |(tenant, ..)| tenant.id == id);
    account.workspaces.iter().filter_map(move |(workspace, member)| {
        let (tenant, tenant_role, auth_epoch) = tenant(workspace.tenant_id)?;
        let seat = Seat {
            scope: member.scope,
            role: member.role,
            tenant_role: *tenant_role,
            auth_epoch: *auth_epoch,
            is_active: tenant.active,
            is_archived: workspace.archived,
            require_mfa_from: workspace.require_mfa_from,
        };
        Some((seat, &workspace.slug))
    })
}

fn seat_in(account: &Account, id: WorkspaceId) -> Option<Seat> {
    seats(account).map(|(seat, _)| seat).find(|seat| seat.scope.workspace_id == id)
}

/// What the console calls a workspace: its short name, or its id where several of the person's have that name. It is never
/// guessed which of them is meant.
fn seat_called(account: &Account, called: &Slug) -> Result<Seat> {
    if let Some(seat) = id_called(called).and_then(|id| seat_in(account, id)) {
        return Ok(seat);
    }
    let mut named = seats(account).filter(|(_, known)| *known == called).map(|(seat, _)| seat);
    let first = named.next().ok_or_else(Error::not_found)?;
    match named.next() {
        None => Ok(first),
        Some(_) => {
            let detail =
                format!("several workspaces of yours are called `{called}`, open the one you mean at `/?choose=1`");
            Err(Error::new(Code::WorkspaceConflict, detail))
        }
    }
}

/// A key acts in its own workspace, with its issuer's present role there.
fn seat_of_key(account: &Account, key: &ApiKey, place: &Place) -> Result<Seat> {
    let own = key.scope.workspace_id;
    let (path, header) = match place {
        Place::Workspace { path, header } => (*path, *header),
        Place::Person { header } => (None, *header),
        Place::Slug(_) | Place::Tenant { .. } => return Err(Error::not_found()),
    };
    agree(path, header)?;
    if path.is_some_and(|path| path != own) {
        return Err(Error::not_found());
    }
    agree(Some(own), header)?;
    seat_in(account, own).filter(|seat| seat.is_active).ok_or_else(disabled)
}

/// A session acts in the workspace the request names, else in its own.
fn seat_of_session(account: &Account, session: &Session, place: &Place) -> Result<Option<Seat>> {
    let named = match place {
        Place::Workspace { path, header } => {
            agree(*path, *header)?;
            path.or(*header)
        }
        Place::Person { header } => *header,
        Place::Tenant { .. } => return Ok(None),
        Place::Slug(slug) => {
            return seat_called(account, slug).and_then(active).map(Some);
        }
    };
    if let Some(id) = named {
        return seat_in(account, id).ok_or_else(Error::not_found).and_then(active).map(Some);
    }
    let own = session.workspace_id.and_then(|id| seat_in(account, id)).filter(|seat| seat.is_active);
    // One that is in use, before one that is only read.
    let first = |archived: bool| {
        seats(account).map(|(seat, _)| seat).find(|seat| seat.is_active && seat.is_archived == archived)
    };
    let own = own.or_else(|| first(false)).or_else(|| first(true));
    match (own, place) {
        (None, Place::Workspace { .. } | Place::Slug(_)) => {
            Err(Error::new(Code::WorkspaceRequired, "name the workspace in the header `X-Workspace-Id`"))
        }
        (own, _) => Ok(own),
    }
}

fn active(seat: Seat) -> Result<Seat> {
    if seat.is_active { Ok(seat) } else { Err(disabled()) }
}

fn agree(one: Option<WorkspaceId>, other: Option<WorkspaceId>) -> Result<()> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => {
            Err(Error::new(Code::WorkspaceConflict, "the request names two different workspaces, name one"))
        }
        _ => Ok(()),
    }
}

fn expired() -> Error {
    Error::new(Code::CredentialsExpired, "the credential's time is over, sign in again or use another key")
}

pub(super) fn disabled() -> Error {
    Error::new(Code::SubjectDisabled, "the account, or what it acts for, is not active")
}
