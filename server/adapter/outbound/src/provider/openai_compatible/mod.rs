//! Servers that speak chat completions and embeddings as OpenAI's public API has them.
//!
//! Start at [`OpenaiCompatible::call`]. Fields soit does not know pass in both directions: bodies are JSON values here,
//! their key order and the text of their numbers untouched.

mod client;
mod stream;
mod wire;

#[cfg(test)]
mod tests;

pub(super) use client::OpenaiCompatible;
