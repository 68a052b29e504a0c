//! The provider inside soit: deterministic, without network or key, with every fault on demand.
//!
//! The model's name says what happens ([`behavior::Behavior`]); the answer depends on the request alone. Refused in
//! production by not being there. Not a fake: calls to it pass every gate, and it keeps count of them for whoever wants to
//! check.

mod behavior;
mod embedding;
mod prompt;
mod provider;
mod received;
mod reply;
mod sample;
mod script;

#[cfg(test)]
mod tests;

pub use provider::TestProvider;
pub use received::ReceivedCall;

/// Whether a model of this provider has the name: its tokens are counted exactly.
pub(crate) fn is_name(model: &str) -> bool {
    behavior::Behavior::parse(model).is_some()
}
