//! Secrets: sealed before they reach the store, opened only for the call that needs them.
//!
//! XChaCha20-Poly1305 under keys derived for each workspace; a ciphertext is bound to its id, version and key id, so a row
//! copied elsewhere does not open. Invariant: [`Keyring::open`] is the one place where a stored secret becomes clear, and
//! nothing outside this crate can call it.

mod keyring;
mod mask;
mod signer;
mod totp;

pub use keyring::{Keyring, MasterKey, NoKeys};
pub(crate) use mask::Mask;
pub use signer::Ed25519Signer;
