//! The integration tests of the server, in one binary.
//!
//! The helpers are marked as tests too, so that they may do what tests may.

#[cfg(test)]
mod artifacts;
#[cfg(test)]
mod budget;
#[cfg(test)]
mod canary;
#[cfg(test)]
mod cancel;
#[cfg(test)]
mod checkpoint_sink;
#[cfg(test)]
mod command;
#[cfg(test)]
mod compare;
#[cfg(test)]
mod content;
#[cfg(test)]
mod documentation;
#[cfg(test)]
mod durability;
#[cfg(test)]
mod egress;
#[cfg(test)]
mod egress_policy;
#[cfg(test)]
mod evidence;
#[cfg(test)]
mod exports;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod frame;
#[cfg(test)]
mod gateway;
#[cfg(test)]
mod gateway_kit;
#[cfg(test)]
mod head;
#[cfg(test)]
mod health;
#[cfg(test)]
mod idempotency;
#[cfg(test)]
mod identity;
#[cfg(test)]
mod kill;
#[cfg(test)]
mod mail;
#[cfg(test)]
mod modelhub;
#[cfg(test)]
mod openapi;
#[cfg(test)]
mod outbox;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod queries;
#[cfg(test)]
mod reaper;
#[cfg(test)]
mod reconcile;
#[cfg(test)]
mod redis;
#[cfg(test)]
mod replay;
#[cfg(test)]
mod retention;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod scrub;
#[cfg(test)]
mod search;
#[cfg(test)]
mod shutdown;
#[cfg(test)]
mod socket;
#[cfg(test)]
mod spend;
#[cfg(test)]
mod stream;
#[cfg(test)]
mod structure;
#[cfg(test)]
mod tasks;
#[cfg(test)]
mod telemetry;
#[cfg(test)]
mod two_processes;
#[cfg(test)]
mod upstream;
#[cfg(test)]
mod usage;
#[cfg(test)]
mod util;
#[cfg(test)]
mod wrong_input;
