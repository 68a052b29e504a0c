//! What leaves as a file: which fields a record of each kind has, in which order, and the schema that tells it.
//!
//! Invariant: a field stands in one place, the contract of its kind. Columns of a spreadsheet, order of the members of a
//! line and the schema follow from it. The use cases that take records out are those of [`observe`](crate::observe).

mod contract;
mod field;
mod schema;

pub use contract::{fields, ordered};
pub use field::{Field, Kind};
pub use schema::{SCHEMA_VERSION, schema};
