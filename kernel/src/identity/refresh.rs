//! Trading a refresh token for new tokens. Each works once: a second use ends the session, but for ten seconds of doubt.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use types::identity::{LoggedIn, Refresh};
use types::problem::Code;
use types::run::{Caller, CallerKind};

use super::authenticate::check_person;
use super::commit::raise_epochs;
use super::login::home;
use super::resolve::invalid_credentials;
use super::token::{self, TokenKind};
use super::{Client, Identity, delta};
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Outcome, Refusal};
use crate::port::Account;
use crate::record::{Digest, Row, Session};

/// Two tabs may use one token at once.
const GRACE: TimeDelta = TimeDelta::seconds(10);
/// How often a session that others write too is tried.
const ATTEMPTS: usize = 3;

impl Identity {
    /// New tokens for a refresh token.
    pub async fn refresh(&self, client: &Client, command: &Refresh) -> Result<LoggedIn> {
        let now = self.ports.clock.now();
        let digest = match token::parse(&command.refresh_token) {
            Some((TokenKind::Refresh, digest)) => digest,
            _ => {
                self.strangers.count(client.address, now);
                return Err(invalid_credentials());
            }
        };
        self.strangers.check(client.address, now)?;
        for _ in 0..ATTEMPTS {
            let Some(found) = self.ports.directory.find_session_by_refresh(digest).await? else {
                self.strangers.count(client.address, now);
                return Err(invalid_credentials());
            };
            let (session, account) = (found.session, found.account);
            if session.ended_at.is_some() {
                return Err(invalid_credentials());
            }
            if session.refresh != Some(digest) {
                return Err(self.spent_again(client, session, &account, now).await?);
            }
            if now >= session.expires_at {
                return Err(Error::new(Code::CredentialsExpired, "the session's time is over, sign in again"));
            }
            check_person(&account)?;
            if let Some(logged_in) = self.rotate(client, session, digest, &account, now).await? {
                return Ok(logged_in);
            }
        }
        Err(conflict())
    }

    /// New tokens, or nothing when the session changed meanwhile.
    async fn rotate(
        &self,
        client: &Client,
        session: Session,
        spent: Digest,
        account: &Account,
        now: DateTime<Utc>,
    ) -> Result<Option<LoggedIn>> {
        let (access, token) = token::mint(TokenKind::Access, &*self.ports.ids);
        let (refresh, refresh_digest) = token::mint(TokenKind::Refresh, &*self.ports.ids);
        let workspace_id = session.workspace_id;
        let audit = self.refresh_audit(client, &session, "session.refreshed", Outcome::Done, now);
        let session = Session {
            token,
            refresh: Some(refresh_digest),
            spent_refresh: Some((spent, now)),
            last_seen_at: now,
            token_expires_at: session.expires_at.min(now + delta(self.settings.access_token_life)),
            version: session.version + 1,
            ..session
        };
        let batch = Batch::opening(home(account), Durability::Power)
            .with([Op::RowPut(Arc::new(Row::Session(session))), audit.into()])
            // The access token before it dies here, warm or cold.
            .with(raise_epochs(account));
        match self.ports.ledger.commit(batch).await {
            Ok(_) => Ok(Some(self.logged_in(account, &access, &refresh, workspace_id))),
            Err(LedgerError::Refused(Refusal::Version { .. })) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// What a spent token earns: patience at first, then the end of the session, for it may have been stolen.
    async fn spent_again(
        &self,
        client: &Client,
        session: Session,
        account: &Account,
        now: DateTime<Utc>,
    ) -> Result<Error> {
        if session.spent_refresh.is_some_and(|(_, at)| now - at <= GRACE) {
            return Ok(conflict());
        }
        let audit = self.refresh_audit(client, &session, "session.refresh_reused", Outcome::Denied, now);
        let ended = Session { ended_at: Some(now), version: session.version + 1, ..session };
        let batch = Batch::opening(home(account), Durability::Power)
            .with([Op::RowPut(Arc::new(Row::Session(ended))), audit.into()])
            .with(raise_epochs(account));
        self.ports.ledger.commit(batch).await?;
        Ok(invalid_credentials())
    }

    fn refresh_audit(
        &self,
        client: &Client,
        session: &Session,
        event: &str,
        outcome: Outcome,
        now: DateTime<Utc>,
    ) -> Audit {
        Audit {
            id: self.ports.ids.audit(),
            event_type: event.to_owned(),
            operation: "auth.refresh".to_owned(),
            outcome,
            resource_type: "session".to_owned(),
            resource_id: session.id.to_string(),
            actor: Caller { kind: CallerKind::User, id: session.user_id.to_string() },
            run_id: None,
            address: Some(client.address_text()).filter(|address| !address.is_empty()),
            credential_id: Some(session.id.to_string()),
            payload: serde_json::Value::Null,
            occurred_at: now,
        }
    }
}

fn conflict() -> Error {
    Error::new(Code::RefreshConflict, "the token was traded a moment ago, use the newer one")
}
