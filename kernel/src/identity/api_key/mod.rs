//! API keys: made, read, tightened, rotated, revoked. A key belongs to one workspace and acts with its issuer's role there.
//!
//! Invariant: nobody makes a key that reaches further than the credential they make it with.

mod create;
mod issue;
mod limits;
mod read;
mod revoke;
mod rotate;
mod update;

pub use issue::Issued;
