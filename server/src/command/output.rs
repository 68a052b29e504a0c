//! Writing to stdout and stderr; a reader that is gone is no failure.

use std::fmt::Display;
use std::io::Write;

use serde::Serialize;

/// Data.
pub(super) fn print(text: impl Display) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Data as JSON.
pub(super) fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print(serde_json::to_string_pretty(value)?);
    Ok(())
}

/// A message.
pub(super) fn say(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
