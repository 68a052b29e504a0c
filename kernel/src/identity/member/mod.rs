//! Who belongs to a workspace: listed, added, given another role, removed.
//!
//! Invariant: nobody gives or takes a role above their own, and a workspace keeps an owner who can act. Both are decided on
//! everybody's places at one moment, and written only if nobody's have moved since.

mod add;
mod join;
mod read;
mod remove;
mod roster;
mod rules;
mod update;

pub(super) use roster::{Change, Reading, Seen};
pub(super) use rules::{check_may_set, may_set, still_owned};
