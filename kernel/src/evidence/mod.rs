//! Evidence of a run: a zip whoever holds it can check without soit, and without trusting who handed it over.
//!
//! The files hold the record in the canonical forms of [`crate::chain`], its proof that it stands in the workspace's
//! chain, and a signature over all of it. The same run gives the same bytes each time. [`Evidence::collect`] makes one,
//! [`verify()`] checks one; `docs/operations/evidence.md` tells what each file is.

mod archive;
mod collect;
mod container;
mod file;
mod manifest;
mod proof;
mod records;
mod verify;

pub use collect::{Bundle, Evidence, Ports};
pub use verify::{Checked, Refused, verify};
