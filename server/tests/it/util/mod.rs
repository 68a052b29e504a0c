//! What integration tests stand on.

pub(crate) mod books;
pub(crate) mod errands;
pub(crate) mod letters;
pub(crate) mod oidc;
pub(crate) mod process;
pub(crate) mod smtp;
pub(crate) mod sse;
pub(crate) mod test_app;
