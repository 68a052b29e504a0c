//! How numbers, money, durations, moments and ids look: pure functions, the same on the server and in the browser.
//!
//! A number never lies: rounding never makes something out of nothing or nothing out of something, and what is unknown is not
//! formatted here at all.

mod caller;
mod client;
mod duration;
mod id;
mod json;
mod money;
mod number;
mod time;

pub(crate) use caller::caller;
pub(crate) use client::client;
pub(crate) use duration::duration;
pub(crate) use id::short_id;
pub(crate) use json::{Token, json_tokens, sorted_json};
pub(crate) use money::{amount, exact};
pub(crate) use number::{count, percent, tokens};
pub(crate) use time::{Stamp, date_time, day_time, iso, relative, within_day};
