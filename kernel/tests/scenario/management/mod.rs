//! What people set up and watch: provider accounts, prices, budgets, egress rules, live runs.

pub(crate) mod world;

mod audit;
mod budget;
mod change;
mod egress;
mod export;
mod hint_stream;
mod outbox;
mod price;
mod provider;
mod run_stream;
