//! What people set up and watch: provider accounts, prices, budgets, egress rules, live runs.

mod world;

mod budget;
mod change;
mod egress;
mod hint_stream;
mod price;
mod provider;
mod run_stream;
