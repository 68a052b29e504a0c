//! What whoever runs the deployment does at its command line: accounts, links for who forgot their password, operators.
//!
//! Invariant: each leaves an audit row of `system:cli` in the batch that does it.

mod create_account;
mod make_operator;
mod reset_link;

use chrono::{DateTime, Utc};
use types::id::UserId;

use super::Identity;
use super::login::home;
use crate::context::{OpContext, Scope};
use crate::error::{Error, Result};
use crate::port::Account;
use crate::secret::SecretString;

pub use create_account::{NewAccount, Place};

/// A link that sets a password, to be handed to somebody.
#[derive(Debug)]
pub struct ResetLink {
    /// Whose password.
    pub user_id: UserId,
    /// What stands behind the `#` of the link.
    pub token: SecretString,
    /// Until when it is good.
    pub expires_at: DateTime<Utc>,
}

impl Identity {
    /// The context of the command line.
    fn at_command_line(&self, scope: Scope) -> OpContext {
        OpContext::system("cli", scope, self.ports.ids.request(), self.ports.clock.now())
    }

    /// The account of an address that somebody at the command line names, where it is.
    async fn named_account(&self, email: &str) -> Result<(Account, OpContext)> {
        let email = super::Email::parse(email, "email")?;
        let account = self.ports.directory.find_account_by_email(email.key()).await?;
        let account = account.ok_or_else(|| Error::invalid("email", "is the address of no account"))?;
        let ctx = self.at_command_line(home(&account));
        Ok((account, ctx))
    }
}
