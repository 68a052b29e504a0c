//! Sending a mail.

use async_trait::async_trait;
use types::id::MailId;

/// A mail, ready to be sent. Its text may hold a link that is as good as a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Letter {
    /// The mail: whoever gets it twice can tell.
    pub id: MailId,
    /// The address it goes to.
    pub to: String,
    /// What it is about, one line.
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// The same as HTML.
    pub html: String,
}

impl std::fmt::Debug for Letter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Letter").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Why a mail was not sent. Never the server's own words: they tend to repeat the address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MailError {
    /// The server cannot be reached, or cannot take it now: another try may do.
    #[error("the mail server cannot take it now: {0}")]
    Unavailable(String),
    /// The server, or the form of the address, refuses it for good.
    #[error("the mail is refused for good: {0}")]
    Refused(String),
}

/// Hands mails to a mail server.
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Sends a mail; done once the server has taken it.
    async fn send(&self, letter: &Letter) -> Result<(), MailError>;
}
