//! Records as a file: one line a record, streamed, for spreadsheets or for programs. The same at `/api/v1` and in the console.
//!
//! Invariant: the digest that is told and recorded is that of the plain lines, however they travel. Start at [`answer`].

mod cell;
mod encoding;
mod file;
mod format;

pub(super) use encoding::Encoding;
pub(super) use file::answer;
pub(super) use format::Format;
