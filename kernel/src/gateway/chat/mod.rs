//! Chat completions: what a body may say, what goes out, and how answers and frames are mended on the way back.
//!
//! What soit does not know passes through unchanged, at every depth and in both directions.

mod answer;
mod content;
mod fields;
mod forward;
mod frames;

pub(super) use answer::finish;
pub(super) use fields::read;
pub(super) use forward::{Written, forward};
pub(super) use frames::Frames;
