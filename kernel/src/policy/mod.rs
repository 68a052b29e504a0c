//! Who may do what: the guard, the permits it gives, and the rules it reads.

pub mod budget;
pub mod egress;
pub mod guard;
mod permit;
pub mod rbac;

pub use egress::Pinned;
pub use permit::{Decision, Permit};
