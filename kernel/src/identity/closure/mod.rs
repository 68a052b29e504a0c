//! Closing one's account: asked for, taken back while there is time, and done when the day has come.
//!
//! What is left is the id, by which history goes on to be told. Invariant: no workspace and no tenant loses its last owner.

mod finish;
mod owners;
mod request;
