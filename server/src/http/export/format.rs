//! How a file is written.

use std::str::FromStr;

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Format {
    /// Columns, for spreadsheets.
    Csv,
    /// One JSON object a line: whole records, and a trailer by which a file is known to be whole.
    Jsonl,
}

impl FromStr for Format {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "csv" => Ok(Self::Csv),
            "jsonl" => Ok(Self::Jsonl),
            _ => Err("must be `csv` or `jsonl`"),
        }
    }
}
