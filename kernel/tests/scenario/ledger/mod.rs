//! The ledger's rules over the bare state: whatever is submitted in whatever order, nothing comes apart.
//!
//! Each single precondition is told by the test kit's contract, which runs against the fake and both databases.

mod interleaving;
mod touched;
