//! The hash chain: what makes a changed, moved or missing record show.
//!
//! Every audit row, every run that ended and every purge is an [`Entry`] of its workspace's chain, written in the very
//! commit that writes the record, or deletes what the purge covers: what is gone without one is missing. An entry holds the record's digest and the hash of the entry before it; every so often a signed
//! [`Checkpoint`] covers a stretch of entries. What a record's digest covers is fixed by a form that has a version
//! ([`form`]), so a later soit reads an earlier chain. Invariant: nothing here does I/O; the same functions check the
//! chain of a database ([`Chain::verify`]) and a bundle on its own ([`crate::evidence`]). `docs/adr/0009` has the why.

mod checkpoint;
mod copy;
mod entry;
mod form;
mod hash;
mod key;
mod merkle;
mod parts;
mod prove;
mod purge;
mod records;
mod rotate;
mod rotation;
mod seal;
mod state;
mod verify;

pub use checkpoint::{Checkpoint, Signature};
pub use copy::{Copied, Copier, CopierPorts};
pub use entry::{Entry, Kind};
pub use form::{Form, audit as audit_form, cost as cost_form, run as run_form, step as step_form};
pub use hash::{Hash, NoHash};
pub use key::{NoKey, PublicKey, SealedKey};
pub use merkle::{includes, proof, root};
pub(crate) use parts::shown;
pub use parts::{Flaw, Gone, Parts, Shown, commitment, field_salt};
pub use purge::{Purge, ranges};
pub use records::{ClosedRun, Records, Salt};
pub use rotate::{Rotated, Rotator, RotatorPorts};
pub use rotation::{KeyRing, Rotation, followed};
pub use seal::SEGMENT;
pub use state::{Chain, Ports};
