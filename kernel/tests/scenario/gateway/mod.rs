//! Model calls: every way in, every way out.

mod provider;
mod world;

mod answers;
mod content;
mod failures;
mod leaving;
mod money;
mod refusals;
mod repeats;
mod replay;
mod store;
