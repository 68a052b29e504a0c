//! From a presented credential to what it stands for: form, cache, throttle, store.

use std::sync::Arc;

use types::access::GrantSubject;
use types::problem::Code;

use super::cache::{Held, Resolved};
use super::client::Presented;
use super::token::{self, TokenKind};
use super::{Client, Identity};
use crate::error::{Error, Result};
use crate::policy::Granted;
use crate::record::Digest;

impl Identity {
    /// What a credential stands for: warm without a query, cold with two.
    pub(super) async fn resolve(&self, client: &Client, presented: &Presented) -> Result<Arc<Resolved>> {
        let now = self.ports.clock.now();
        let Some((kind, token)) = recognise(presented) else {
            self.strangers.count(client.address, now);
            return Err(invalid_credentials());
        };
        if let Some(found) = self.resolved(token) {
            return Ok(found);
        }
        self.strangers.check(client.address, now)?;
        match self.look_up(kind, token).await? {
            Some(found) => Ok(found),
            None => {
                self.strangers.count(client.address, now);
                Err(invalid_credentials())
            }
        }
    }

    /// The cached entry of a credential, while it holds.
    pub(super) fn resolved(&self, token: Digest) -> Option<Arc<Resolved>> {
        let found = self.cache.find(token, self.ports.clock.now())?;
        self.ports.epochs.hold(found.epochs(), self.ports.clock.monotonic()).then_some(found)
    }

    /// Reads a credential from the store and keeps it.
    pub(super) async fn look_up(&self, kind: Kind, token: Digest) -> Result<Option<Arc<Resolved>>> {
        let now = self.ports.clock.now();
        let found = match kind {
            Kind::ApiKey => self
                .ports
                .directory
                .find_key(token)
                .await?
                .map(|found| (Held::Key(Arc::new(found.key), found.secret, found.principal), found.account, None)),
            Kind::Session => {
                let found = self.ports.directory.find_session(token).await?;
                found.map(|found| (Held::Session(found.session), found.account, found.vouched_by))
            }
        };
        let Some((held, account, vouched_by)) = found else {
            self.cache.forget(token);
            return Ok(None);
        };
        // Read after the epoch of the account: newer than it at most, never older.
        let subject = match &held {
            Held::Key(_, _, Some(principal)) => GrantSubject::Principal(principal.id),
            Held::Key(_, _, None) | Held::Session(_) => GrantSubject::User(account.user.id),
        };
        let granted = Granted::new(self.ports.subjects.list_granted(subject).await?);
        let entry = Arc::new(Resolved::new(token, held, account, granted, now).vouched_by(vouched_by));
        let epochs: Vec<_> = entry.epochs().collect();
        // Who belongs to no tenant has no epoch that could tell of a change: such a person is looked up each time.
        if epochs.is_empty() {
            return Ok(Some(entry));
        }
        self.ports.epochs.note(&epochs);
        self.cache.keep(Arc::clone(&entry));
        Ok(Some(entry))
    }

    /// Asks the store once for epochs that other processes raised. Where others share the store, to be asked twice a second.
    pub async fn ask_epochs(&self) {
        let asked = self.ports.clock.monotonic();
        match self.ports.directory.epochs(&self.ports.epochs.tenants()).await {
            Ok(epochs) => self.ports.epochs.answered(&epochs, asked),
            Err(error) => tracing::warn!(%error, "epochs cannot be read, credentials are looked up one by one"),
        }
    }
}

/// In which table a credential is found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    ApiKey,
    Session,
}

/// The kind and digest of a credential that has the right form.
fn recognise(presented: &Presented) -> Option<(Kind, Digest)> {
    match presented {
        Presented::Cookie(digest) => Some((Kind::Session, *digest)),
        Presented::Token(text) => match token::parse(text.expose())? {
            (TokenKind::ApiKey, digest) => Some((Kind::ApiKey, digest)),
            (TokenKind::Access, digest) => Some((Kind::Session, digest)),
            (TokenKind::Refresh | TokenKind::Invitation | TokenKind::Link | TokenKind::Mfa, _) => None,
        },
    }
}

pub(super) fn invalid_credentials() -> Error {
    Error::new(Code::InvalidCredentials, "the credential is not valid, sign in again or use another key")
}
