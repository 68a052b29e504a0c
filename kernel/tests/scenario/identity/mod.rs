//! Who may come in, and how that is withdrawn.

mod world;

mod access;
mod invitations;
mod keys;
mod members;
mod sessions;
mod sign_in;
