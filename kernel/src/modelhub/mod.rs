//! What a workspace calls: provider accounts, their models, and prices.
//!
//! Not here: calling them (`gateway`) and letting calls out (`policy::egress`). Start at [`ModelHub`].

mod credential;
mod healthcheck;
mod hub;
mod model;
mod price;
mod provider;

pub use hub::{ModelHub, Ports};
