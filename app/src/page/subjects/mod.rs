//! `/access/principals`, `/access/groups`, `/access/grants`: who acts besides people, and what is granted to whom. Each is a
//! list of its own beside the members, with its form at `…/new`.

mod grants;
mod group;
mod groups;
mod new_grant;
mod new_group;
mod new_principal;
mod principal;
mod principals;
mod shape;

pub(crate) use grants::Grants;
pub(crate) use groups::Groups;
pub(crate) use new_grant::NewGrant;
pub(crate) use new_group::NewGroup;
pub(crate) use new_principal::NewPrincipal;
pub(crate) use principals::Principals;
