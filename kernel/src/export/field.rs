//! One field of a record that is taken out.

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A text: an id, a word, a name.
    Text,
    /// A moment, RFC 3339 in UTC.
    Time,
    /// A whole number, 0 or more.
    Count,
    /// Yes or no.
    Flag,
    /// A decimal number as a text, exact.
    Decimal,
    /// Fields of its own.
    Object(&'static [Field]),
    /// Several of a kind.
    List(&'static Kind),
    /// Several of a kind, by name.
    Map(&'static Kind),
    /// Any JSON.
    Document,
}

/// A field of a record: its name, what it holds, and which columns of the table it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in a line and at the head of a spreadsheet.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether it may be null.
    pub is_nullable: bool,
    /// What it means.
    pub about: &'static str,
    columns: &'static [&'static str],
}

impl Field {
    /// A field that is always there, from the column of its name.
    pub(super) const fn new(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, kind, is_nullable: false, about, columns: &[] }
    }

    /// The same, null where nothing is known.
    pub(super) const fn or_null(self) -> Self {
        Self { is_nullable: true, ..self }
    }

    /// The same, from these columns.
    pub(super) const fn of(self, columns: &'static [&'static str]) -> Self {
        Self { columns, ..self }
    }

    /// Whether it holds what stands in a column of the table.
    pub fn covers(&self, column: &str) -> bool {
        if self.columns.is_empty() { self.name == column } else { self.columns.contains(&column) }
    }
}
