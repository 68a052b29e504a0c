//! Signing in with an e-mail address and a password, to an API session or the console; who has a second factor is asked for it
//! before there is a session.
//!
//! An unknown address, a wrong password and an account without one take the same path and get the same answer.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::json;
use types::id::{SessionId, WorkspaceId};
use types::identity::{LoggedIn, Login, SessionKind};
use types::mfa::{LoginAnswer, LoginMfa, MfaLevel};
use types::run::{Caller, CallerKind};

use super::authenticate::check_person;
use super::resolve::invalid_credentials;
use super::token::{self, TokenKind};
use super::{Challenge, Client, Email, Identity, account, delta, password};
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

/// What a right password leads to at the console.
#[derive(Clone, Debug)]
pub enum FirstStep {
    /// A session.
    SignedIn(SignedIn),
    /// The question for a second factor.
    CodeAsked(Challenge),
}

impl SignedIn {
    /// The session goes on.
    pub(super) fn on(session: &Session) -> Self {
        Self { session_id: session.id, expires_at: session.expires_at, device: None }
    }
}

impl Identity {
    /// Opens an API session: an access token and a refresh token, shown once. Who has a second factor is asked for it.
    pub async fn login(&self, client: &Client, command: &Login) -> Result<LoginAnswer> {
        let (email, account, secret) = self.verify(client, command).await?;
        if account.second_factor {
            let asked = self.ask_code(client, &email, &account, secret, SessionKind::Api).await?;
            return Ok(LoginAnswer::MfaRequired(asked.into()));
        }
        let tokens = Tokens::mint(self);
        let session = self.api_draft(client, &account, &tokens, MfaLevel::None);
        self.open_session(client, &email, &account, secret, session).await?;
        Ok(LoginAnswer::LoggedIn(Box::new(self.logged_in_anew(&account, &tokens))))
    }

    /// The second step of [`Self::login`]: opens the session with a code.
    pub async fn login_mfa(&self, client: &Client, command: &LoginMfa) -> Result<LoggedIn> {
        let tokens = Tokens::mint(self);
        let draft = |account: &Account| self.api_draft(client, account, &tokens, MfaLevel::Totp);
        let (token, code) = (&command.mfa_token, &command.code);
        let account = self.answer_code(client, token, code, SessionKind::Api, draft).await?;
        Ok(self.logged_in_anew(&account, &tokens))
    }

    /// Opens a console session under the digest of a fresh cookie. Who has a second factor is asked for it.
    pub async fn sign_in(&self, client: &Client, command: &Login, cookie: Digest) -> Result<FirstStep> {
        let (email, account, secret) = self.verify(client, command).await?;
        if account.second_factor {
            let asked = self.ask_code(client, &email, &account, secret, SessionKind::Console).await?;
            return Ok(FirstStep::CodeAsked(asked));
        }
        let now = self.ports.clock.now();
        let session = self.draft(client, &account, SessionKind::Console, cookie, MfaLevel::None, now);
        let signed_in = SignedIn { device: Some(self.mark_device(&email)), ..SignedIn::on(&session) };
        self.open_session(client, &email, &account, secret, session).await?;
        Ok(FirstStep::SignedIn(signed_in))
    }

    /// The second step of [`Self::sign_in`]: opens the session with a code.
    pub async fn sign_in_mfa(&self, client: &Client, token: &str, code: &str, cookie: Digest) -> Result<SignedIn> {
        let (now, id) = (self.ports.clock.now(), self.ports.ids.session());
        let draft = |account: &Account| Session {
            id,
            ..self.draft(client, account, SessionKind::Console, cookie, MfaLevel::Totp, now)
        };
        let account = self.answer_code(client, token, code, SessionKind::Console, draft).await?;
        let email = Email::parse(&account.user.email, "email")?;
        Ok(SignedIn {
            session_id: id,
            expires_at: now + delta(self.settings.session_max),
            device: Some(self.mark_device(&email)),
        })
    }

    fn logged_in_anew(&self, account: &Account, tokens: &Tokens) -> LoggedIn {
        self.logged_in(account, &tokens.access.0, &tokens.refresh.0, first_workspace(account))
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
        self.check_sso(client, &account).await?;
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
        let email_hash = self.keyed_hash("audit-email", &[email.key()]);
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

    fn api_draft(&self, client: &Client, account: &Account, tokens: &Tokens, mfa: MfaLevel) -> Session {
        let now = self.ports.clock.now();
        Session {
            refresh: Some(tokens.refresh.1),
            token_expires_at: now + delta(self.settings.access_token_life),
            expires_at: now + delta(self.settings.refresh_token_life),
            ..self.draft(client, account, SessionKind::Api, tokens.access.1, mfa, now)
        }
    }

    pub(super) fn draft(
        &self,
        client: &Client,
        account: &Account,
        kind: SessionKind,
        token: Digest,
        mfa: MfaLevel,
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
            workspace_id: first_workspace(account),
            client: client.short_label(),
            address: client.address_text(),
            mfa,
            elevated_until: None,
            view_as: None,
            created_at: now,
            last_seen_at: now,
            token_expires_at: expires_at.min(now + delta(self.settings.session_idle)),
            expires_at,
            ended_at: None,
            version: 1,
        }
    }

    /// Writes the session.
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
        self.commit_entry(client, email, account, secret, batch).await
    }

    /// Writes what a right password leads to; on the way forgets the account's failures and strengthens an old hash, which
    /// others may do as well.
    pub(super) async fn commit_entry(
        &self,
        client: &Client,
        email: &Email,
        account: &Account,
        secret: SecretString,
        batch: Batch,
    ) -> Result<()> {
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

    pub(super) fn sign_in_audit(
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

/// The two tokens of an API session with their digests.
struct Tokens {
    access: (SecretString, Digest),
    refresh: (SecretString, Digest),
}

impl Tokens {
    fn mint(identity: &Identity) -> Self {
        let mint = |kind| token::mint(kind, &*identity.ports.ids);
        Self { access: mint(TokenKind::Access), refresh: mint(TokenKind::Refresh) }
    }
}

/// The workspace used when a request names none.
fn first_workspace(account: &Account) -> Option<WorkspaceId> {
    account.workspaces.first().map(|(workspace, _)| workspace.id)
}

/// Where what a person does to their own account is recorded.
pub(super) fn home(account: &Account) -> Scope {
    account.workspaces.first().map_or(Scope::INSTANCE, |(_, member)| member.scope)
}
