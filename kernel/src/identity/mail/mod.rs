//! Mails of the deployment itself: links that prove an address or set a password, and notices.
//!
//! A mail is a row and an event of one batch, with whatever asked for it; a consumer of the outbox sends it, again and again
//! until the server took it or its time is over. So a mail server that is down loses nothing, and a process that is killed
//! sends at least once. Invariant: the token of a link is stored nowhere. It follows from the mail's id under the
//! deployment's key, so only a running soit can write it; the row has its SHA-256.

mod deliver;
mod letter;
mod limit;
mod redeem;
mod request;
mod write;

pub(super) use redeem::link_expired;
pub(super) use write::used;

/// The addresses that links of mails start with; the token is put behind a `#`, which browsers send to no server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// The page that sets a new password.
    pub reset_password: String,
    /// The page that confirms an address.
    pub confirm_email: String,
    /// The page that accepts an invitation.
    pub invitation: String,
    /// The page one signs in at; no token.
    pub sign_in: String,
}
