//! What the entry of a purge says: which class, how much, and the records of which entries are gone by right.
//!
//! Entries are named by their numbers, neighbours together: a purge of a thousand runs takes a line. What is not named is not
//! covered: a row that somebody deleted between two that were purged is missing all the same.

use serde::{Deserialize, Serialize};
use types::retention::{PurgeCounts, RetentionClass};

use super::Hash;
use crate::digest::canonical;

/// Which form the text follows.
const FORM: &str = "soit/purge/1";

/// What a purge covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Purge {
    form: String,
    id: String,
    class: RetentionClass,
    /// First and last numbers of entries, in order.
    entries: Vec<(u64, u64)>,
    /// SHA-256 over the ids of what went, in order, each behind a line break.
    ids: Hash,
    purged: PurgeCounts,
}

impl Purge {
    /// A purge of a class: the ids of what went, and the numbers of the entries of those that have some.
    pub fn new(
        id: impl ToString,
        class: RetentionClass,
        mut ids: Vec<String>,
        entries: Vec<u64>,
        purged: PurgeCounts,
    ) -> Self {
        ids.sort_unstable();
        let lines: Vec<&[u8]> = ids.iter().flat_map(|id| [&b"\n"[..], id.as_bytes()]).collect();
        let (form, entries, ids) = (FORM.to_owned(), ranges(entries), Hash::of(&lines));
        Self { form, id: id.to_string(), class, entries, ids, purged }
    }

    /// Reads a purge; nothing where the text is not what [`Purge::text`] writes.
    pub fn read(text: &str) -> Option<Self> {
        let purge: Self = serde_json::from_str(text).ok()?;
        (purge.form == FORM && purge.text() == text).then_some(purge)
    }

    /// The RFC 8785 text.
    pub fn text(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        String::from_utf8(canonical(&value)).unwrap_or_default()
    }

    /// Its digest in the chain.
    pub fn digest(&self) -> Hash {
        Hash::of(&[self.text().as_bytes()])
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// First and last numbers of the entries it covers, in order.
    pub fn entries(&self) -> &[(u64, u64)] {
        &self.entries
    }

    /// Whether what it deleted of this class belongs to the entry of a number.
    pub fn covers(&self, class: RetentionClass, seq: u64) -> bool {
        self.class == class && self.entries.iter().any(|(first, last)| (*first..=*last).contains(&seq))
    }
}

/// Numbers, neighbours together: first and last of each stretch.
pub fn ranges(mut numbers: Vec<u64>) -> Vec<(u64, u64)> {
    numbers.sort_unstable();
    let mut stretches: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match stretches.last_mut() {
            Some((_, last)) if number <= last.saturating_add(1) => *last = number,
            _ => stretches.push((number, number)),
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn purge() -> Purge {
        let ids = vec!["run_2".to_owned(), "run_1".to_owned()];
        Purge::new("rtr_1", RetentionClass::Runs, ids, vec![9, 3, 4, 5, 3], PurgeCounts::default())
    }

    #[test]
    fn a_purge_covers_what_it_names_and_nothing_else() {
        let purge = purge();
        assert_eq!(purge.entries(), [(3, 5), (9, 9)]);
        let covered: Vec<u64> = (1..12).filter(|seq| purge.covers(RetentionClass::Runs, *seq)).collect();
        assert_eq!(covered, [3, 4, 5, 9]);
        assert!(!purge.covers(RetentionClass::Costs, 3), "costs go by themselves");
    }

    #[test]
    fn a_purge_reads_what_it_writes_and_nothing_else() {
        let (purge, text) = (purge(), purge().text());
        assert_eq!(Purge::read(&text), Some(purge));
        for altered in [text.replace("[3,5]", "[3,6]"), text.replace("runs", "audit")] {
            assert_ne!(
                Purge::read(&altered).map(|purge| purge.digest()),
                Purge::read(&text).map(|purge| purge.digest())
            );
        }
        for wrong in [text.replace(',', ", "), text.replace("soit/purge/1", "soit/purge/2"), String::new()] {
            assert_eq!(Purge::read(&wrong), None, "{wrong}");
        }
    }
}
