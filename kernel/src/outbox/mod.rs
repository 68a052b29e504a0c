//! Who is told what: the consumers of outbox events, in one place.
//!
//! A producer says what happened ([`crate::ledger::Event::new`]); whom it concerns is said here alone. Not here: how
//! deliveries are claimed and tried again (the port `Outbox` and the workers). Start at [`SUBSCRIPTIONS`].

mod consumer;
mod subscription;

pub use consumer::Consumer;
pub use subscription::{LIVE, MAIL, SUBSCRIPTIONS, Subscription, subscribers};
