//! Grants: what a member, a group or a service principal may do with one thing, whatever their role. Made, read, revoked.
//!
//! Invariant: nobody grants what they may not do themselves, and what one grants is a thing of one's own unless one may grant
//! on all of them.

mod create;
mod read;
mod resource;
mod revoke;

pub use read::GrantNames;
pub(super) use resource::Resource;
