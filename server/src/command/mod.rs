//! What `soit COMMAND` does. Data goes to stdout, messages to stderr; 0 done, 1 refused or failed, 2 wrong usage.

mod arguments;
mod output;
mod run;

mod admin;
mod bootstrap;
mod config;
mod end;
mod greeting;
mod health;
mod migrate;
mod serve;
mod verify;

pub use run::run;
