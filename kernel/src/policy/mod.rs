//! Who may do what: the guard, the permits it gives, and the rules it reads.

pub mod allowlist;
pub mod budget;
pub mod egress;
pub mod granted;
pub mod guard;
mod permit;
pub mod rbac;

pub use egress::Pinned;
pub use granted::Granted;
pub use permit::{Decision, Permit};
