//! Tenants: made, suspended and listed by who runs the instance; named, bound and peopled by those who own them.
//!
//! What a tenant does as a whole lies in [`Scope::of_tenant`](crate::context::Scope::of_tenant): its audit rows are a chain of their
//! own, beside those of its workspaces. Invariant: a role in a tenant is no role in any of its workspaces, and a tenant keeps
//! an owner who can act; both are decided on the whole tenant at one moment, and written only if nothing has moved since.

mod admit;
mod ceiling;
mod change;
mod create;
mod delete;
mod member;
mod operate;
mod read;
mod remove;
mod rules;
mod update;

pub(super) use admit::admit;
pub(super) use read::{keyset, paged, view};
