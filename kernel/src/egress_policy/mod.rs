//! The egress layer of a workspace: read, replaced, and completed by what a provider account lacks.
//!
//! Not here: deciding by it (`policy::egress`). Start at [`EgressPolicies`].

mod bundle;
mod layer;
mod normal;

pub use layer::EgressPolicies;
