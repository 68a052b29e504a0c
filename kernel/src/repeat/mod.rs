//! Requests that are sent again have one effect.
//!
//! A form of the console is known by what it sends ([`form`]): what it makes has an id that follows from that. A request of an
//! API names a key ([`keyed`]): it is claimed before the effect, ends with the outcome, and its repeats are answered from there.
//! The gateway claims in its intent batch and ends in its settle batch; other commands do it around themselves. Start at
//! [`Repeats::begin`].

mod form;
mod keyed;
mod long;
mod request;

pub use keyed::{Answer, Begun, Held, Ports, Repeats, Settings, Unended};
pub use request::Asked;

pub(crate) use keyed::{RELEASED_FOR, claim_key, opened, refusal, sealed};
pub(crate) use long::{fetched, stowed};
