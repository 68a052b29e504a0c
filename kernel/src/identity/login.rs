//! Signing in with an e-mail address and a password, to an API session or the console.
//!
//! An unknown address, a wrong password and an account without one take the same path and get the same answer.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::json;
use types::id::{SessionId, WorkspaceId};
use types::identity::{LoggedIn, Login, SessionKind};
use types::run::{Caller, CallerKind};

use super::authenticate::check_person;
use super::resolve::invalid_credentials;
use super::token::{self, TokenKind};
use super::{Client, Email, Identity, account, delta, password};
use crate::context::Scope;
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Outcome, Refusal};
use crate::port::Account;
use crate::record::{Digest, Row, Session, User};
use crate::secret::SecretString;

/// A session that was opened, or goes on under a new cookie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// The session.
    pub session_id: SessionId,
    /// When it ends at the latest.
    pub expires_at: DateTime<Utc>,
    /// The mark for this browser, after signing in.
    pub device: Option<String>,
}

impl SignedIn {
    /// The session goes on.
    pub(super) fn on(session: &Session) -> Self {
        Self { session_id: session.id, expires_at: session.expires_at, device: None }
    }
}

impl Identity {
    /// Opens an API session: an access token and a refresh token, shown once.
    pub async fn login(&self, client: &Client, command: &Login) -> Result<LoggedIn> {
        let (email, account, secret) = self.verify(client, command).await?;
        let (access, token) = token::mint(TokenKind::Access, &*self.ports.ids);
        let (refresh, refresh_digest) = token::mint(TokenKind::Refresh, &*self.ports.ids);
        let now = self.ports.clock.now();
        let draft = self.draft(client, &account, SessionKind::Api, token, now);
        let session = Session {
            refresh: Some(refresh_digest),
            token_expires_at: now + delta(self.settings.access_token_life),
            expires_at: now + delta(self.settings.refresh_token_life),
            ..draft
        };
        let workspace_id = session.workspace_id;
        self.open_session(client, &email, &account, secret, session).await?;
        Ok(self.logged_in(&account, &access, &refresh, workspace_id))
    }

    /// Opens a console session under the digest of a fresh cookie.
    pub async fn sign_in(&self, client: &Client, command: &Login, cookie: Digest) -> Result<SignedIn> {
        let (email, account, secret) = self.verify(client, command).await?;
        let now = self.ports.clock.now();
        let session = self.draft(client, &account, SessionKind::Console, cookie, now);
        let signed_in = SignedIn { device: Some(self.mark_device(&email)), ..SignedIn::on(&session) };
        self.open_session(client, &email, &account, secret, session).await?;
        Ok(signed_in)
    }

    /// The answer that shows an API session's tokens.
    pub(super) fn logged_in(
        &self,
        account: &Account,
        access: &SecretString,
        refresh: &SecretString,
        workspace_id: Option<WorkspaceId>,
    ) -> LoggedIn {
        LoggedIn {
            access_token: access.expose().to_owned(),
            token_type: "Bearer".to_owned(),
            expires_in: self.settings.access_token_life.as_secs(),
            refresh_token: refresh.expose().to_owned(),
            user: account::view_user(&account.user),
            workspaces: account::memberships(account),
            workspace_id,
        }
    }

    /// The account of an address whose password this is.
    async fn verify(&self, client: &Client, command: &Login) -> Result<(Email, Account, SecretString)> {
        let email = Email::parse(&command.email, "email")?;
        let secret = password::typed(&command.password, "password")?;
        self.check_throttle(client, &email).await?;
        let account = self.ports.directory.find_account_by_email(email.key()).await?;
        self.check_password(client, &email, account.as_ref(), &secret, "auth.login").await?;
        let account = account.ok_or_else(invalid_credentials)?;
        check_person(&account)?;
        Ok((email, account, secret))
    }

    /// Compares a password; a wrong one counts as a failed sign-in.
    pub(super) async fn check_password(
        &self,
        client: &Client,
        email: &Email,
        account: Option<&Account>,
        secret: &SecretString,
        operation: &str,
    ) -> Result<()> {
        let hash = account.and_then(|account| account.user.password_hash.clone());
        if self.ports.hasher.verify(secret.clone(), hash).await? {
            return Ok(());
        }
        let now = self.ports.clock.now();
        let email_hash = self.ports.sealer.sign("audit-email", &[email.key().as_bytes()]);
        let email_hash: String = email_hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let scope = account.map_or(Scope::INSTANCE, home);
        let audit = |blocks: bool| {
            let throttled = blocks.then_some("auth.throttled");
            let row = |event: &str| {
                let audit = self.sign_in_audit(client, account, event, operation, now);
                let stranger = Caller { kind: CallerKind::System, id: "anonymous".to_owned() };
                let audit = Audit { actor: stranger, outcome: Outcome::Failed, ..audit };
                audit.with_payload(json!({ "email_hash": email_hash })).into()
            };
            ["auth.failed"].into_iter().chain(throttled).map(row).collect()
        };
        self.count_failure(client, email, scope, audit).await?;
        Err(Error::new(types::problem::Code::InvalidCredentials, "the e-mail address or password is wrong"))
    }

    fn draft(
        &self,
        client: &Client,
        account: &Account,
        kind: SessionKind,
        token: Digest,
        now: DateTime<Utc>,
    ) -> Session {
        let expires_at = now + delta(self.settings.session_max);
        Session {
            id: self.ports.ids.session(),
            user_id: account.user.id,
            kind,
            token,
            refresh: None,
            spent_refresh: None,
            workspace_id: account.workspaces.first().map(|(workspace, _)| workspace.id),
            client: client.short_label(),
            address: client.address_text(),
            elevated_until: None,
            created_at: now,
            last_seen_at: now,
            token_expires_at: expires_at.min(now + delta(self.settings.session_idle)),
            expires_at,
            ended_at: None,
            version: 1,
        }
    }

    /// Writes the session; on the way forgets the account's failures and strengthens an old hash, which others may do as well.
    async fn open_session(
        &self,
        client: &Client,
        email: &Email,
        account: &Account,
        secret: SecretString,
        session: Session,
    ) -> Result<()> {
        let audit = self.sign_in_audit(client, Some(account), "auth.login", "auth.login", session.created_at);
        let audit = Audit { credential_id: Some(session.id.to_string()), ..audit };
        let batch = Batch::opening(home(account), Durability::Power)
            .with([Op::RowPut(Arc::new(Row::Session(session))), audit.into()]);
        let aside: Vec<Op> = self
            .forgive(client, email)
            .await?
            .into_iter()
            .chain(self.strengthen(&account.user, secret).await?)
            .collect();
        if !aside.is_empty() {
            match self.ports.ledger.commit(batch.clone().with(aside)).await {
                Err(LedgerError::Refused(Refusal::Version { .. })) => {}
                outcome => return outcome.map(|_| ()).map_err(Error::from),
            }
        }
        self.ports.ledger.commit(batch).await?;
        Ok(())
    }

    async fn strengthen(&self, user: &User, secret: SecretString) -> Result<Option<Op>> {
        let is_weak = user.password_hash.as_deref().is_some_and(|hash| self.ports.hasher.needs_rehash(hash));
        if !is_weak {
            return Ok(None);
        }
        let password_hash = Some(self.ports.hasher.hash(secret).await?);
        let user = User { password_hash, version: user.version + 1, ..user.clone() };
        Ok(Some(Op::RowPut(Arc::new(Row::User(user)))))
    }

    fn sign_in_audit(
        &self,
        client: &Client,
        account: Option<&Account>,
        event_type: &str,
        operation: &str,
        now: DateTime<Utc>,
    ) -> Audit {
        let user_id = account.map_or_else(|| "unknown".to_owned(), |account| account.user.id.to_string());
        Audit {
            id: self.ports.ids.audit(),
            event_type: event_type.to_owned(),
            operation: operation.to_owned(),
            outcome: Outcome::Done,
            resource_type: "user".to_owned(),
            resource_id: user_id.clone(),
            actor: Caller { kind: CallerKind::User, id: user_id },
            run_id: None,
            address: Some(client.address_text()).filter(|address| !address.is_empty()),
            credential_id: None,
            payload: json!({ "client": client.short_label() }),
            occurred_at: now,
        }
    }
}

/// Where what a person does to their own account is recorded.
pub(super) fn home(account: &Account) -> Scope {
    account.workspaces.first().map_or(Scope::INSTANCE, |(_, member)| member.scope)
}
