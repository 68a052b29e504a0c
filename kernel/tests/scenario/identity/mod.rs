//! Who may come in, and how that is withdrawn.

mod world;

mod access;
mod keys;
mod sessions;
mod sign_in;
