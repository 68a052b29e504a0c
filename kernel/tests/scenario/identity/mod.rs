//! Who may come in, and how that is withdrawn.

pub(crate) mod world;

mod access;
mod admin;
mod closure;
mod email_address;
mod grants;
mod invitations;
mod keys;
mod members;
mod password_reset;
mod principals;
mod registration;
mod second_factor;
mod sessions;
mod sign_in;
mod sso;
mod tenants;
mod view_as;
