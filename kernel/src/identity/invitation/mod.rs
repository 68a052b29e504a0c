//! Asking somebody into a workspace: by a link that works once, for one address. It is sent by mail, or shown once where the
//! deployment sends none.
//!
//! Invariant: of the token behind the link only the SHA-256 is kept. It is good while whoever invited could still invite.

mod accept;
mod create;
mod read;
mod revoke;

pub use create::Invited;
pub(super) use read::status;
