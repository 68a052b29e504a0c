//! Asking somebody into a workspace: by a link that is shown once and works once, for one address.
//!
//! Invariant: of the token behind the link only the SHA-256 is kept. It is good while whoever invited could still invite.

mod accept;
mod create;
mod read;
mod revoke;

pub use create::Invited;
