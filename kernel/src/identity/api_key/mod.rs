//! API keys: made, read, tightened, rotated, revoked. A key belongs to one workspace; its issuer acts
//! with it, or a service principal does.
//!
//! Invariant: nobody makes a key that reaches further than the credential they make it with.

mod create;
mod issue;
mod limits;
mod owner;
mod read;
mod revoke;
mod rotate;
mod update;

pub use issue::Issued;
