//! Service principals: made, read, changed, switched off. One belongs to one workspace and acts with keys of its own, for an
//! owner who answers for it.
//!
//! Invariant: it acts with the lower of its role and its owner's present role, and not at all while its owner may not.

mod create;
mod read;
mod rules;
mod update;
