//! Who may come in through which door, and what they may do there.

pub(crate) mod people;

mod addresses;
mod anonymous;
mod console;
mod csrf;
mod denied;
mod forms;
mod forwarded;
mod invitations;
mod isolation;
mod keys;
mod mail;
mod matrix;
mod members;
mod operator;
mod principals;
mod repeat;
mod second_factor;
mod sign_in;
mod sso;
mod tenants;
mod view_as;
mod viewer;
mod views;
