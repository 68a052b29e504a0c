//! The console against a fake backend: every page in every state, forms with and without scripts, and the rules of its source.
//!
//! The helpers are marked as tests too, so that they may do what tests may.

#[cfg(test)]
mod account;
#[cfg(test)]
mod fake;
#[cfg(test)]
mod form;
#[cfg(test)]
mod page;
#[cfg(test)]
mod records;
#[cfg(test)]
mod retention;
#[cfg(test)]
mod site;
#[cfg(test)]
mod source;
#[cfg(test)]
mod sso;
#[cfg(test)]
mod subjects;
#[cfg(test)]
mod tasks;
#[cfg(test)]
mod tenants;
#[cfg(test)]
mod tokens;
