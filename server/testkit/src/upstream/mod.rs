//! A scripted provider on loopback: speaks chat completions and embeddings as OpenAI's API has them, and fails on demand.
//!
//! What happens is said by the model's name, or for a whole server by the path of its base URL ([`Fault`]). It keeps
//! every call it received with the time its connection closed, so that tests can hold soit's records against it.

mod answer;
mod call;
mod connection;
mod fault;
mod script;
mod server;

pub use call::Call;
pub use fault::Fault;
pub use server::Upstream;
