//! Who may come in, and how that is withdrawn.

pub(crate) mod world;

mod access;
mod invitations;
mod keys;
mod members;
mod sessions;
mod sign_in;
