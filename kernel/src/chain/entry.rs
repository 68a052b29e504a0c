//! One entry of a chain, and how its hash is made.

use std::fmt::{Display, Formatter};
use std::str::FromStr;

use types::audit::AuditEntry;

use super::{ClosedRun, Hash, Parts, Purge, Rotation, form};
use crate::context::Scope;

/// What an entry is of. Persisted: kinds are only ever added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An audit row.
    Audit,
    /// A run that ended, or changed after its end; a later entry of the same run supersedes an earlier one.
    Run,
    /// A purge: what it covers is gone by right. Kept as [`Purge`] writes it.
    Purge,
    /// A signing key that took over from another; it is of no record, its parts say all.
    KeyRotation,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Audit, Self::Run, Self::Purge, Self::KeyRotation];

    /// Its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Audit => "audit",
            Self::Run => "run",
            Self::Purge => "purge",
            Self::KeyRotation => "key_rotation",
        }
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Kind {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or("no kind of chain entry")
    }
}

/// One entry of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number in the chain, from 1, without gaps.
    pub seq: u64,
    /// What it is of.
    pub kind: Kind,
    /// Id of the record.
    pub subject_id: String,
    /// Digest of the record.
    pub subject_digest: Hash,
    /// Hash of the entry before; zeros for the first.
    pub prev_hash: Hash,
    /// Its own hash, which covers all of the above.
    pub hash: Hash,
    /// What is behind the digest: the parts of a run, a purge or a rotation, as [`Parts::text`], [`Purge::text`] and
    /// [`Rotation::text`] write them.
    pub parts: Option<String>,
}

impl Entry {
    /// The entry of an audit row, behind another.
    pub fn of_audit(seq: u64, prev_hash: Hash, scope: Scope, entry: &AuditEntry) -> Self {
        Self::new(seq, Kind::Audit, entry.id.to_string(), form::audit(scope, entry).hash(), prev_hash, None)
    }

    /// The entry of a closed run, behind another.
    pub fn of_run(seq: u64, prev_hash: Hash, closed: &ClosedRun) -> Self {
        let parts = Parts::of(closed);
        let text = Some(parts.text());
        Self::new(seq, Kind::Run, closed.run.id.to_string(), parts.digest(), prev_hash, text)
    }

    /// The entry of a purge, behind another.
    pub fn of_purge(seq: u64, prev_hash: Hash, purge: &Purge) -> Self {
        Self::new(seq, Kind::Purge, purge.id().to_owned(), purge.digest(), prev_hash, Some(purge.text()))
    }

    /// The entry of a rotation, behind another.
    pub fn of_rotation(seq: u64, prev_hash: Hash, rotation: &Rotation) -> Self {
        let (id, digest, text) = (rotation.to.id(), rotation.digest(), Some(rotation.text()));
        Self::new(seq, Kind::KeyRotation, id, digest, prev_hash, text)
    }

    fn new(
        seq: u64,
        kind: Kind,
        subject_id: String,
        subject_digest: Hash,
        prev_hash: Hash,
        parts: Option<String>,
    ) -> Self {
        let hash = hash(seq, kind, &subject_id, &subject_digest, &prev_hash);
        Self { seq, kind, subject_id, subject_digest, prev_hash, hash, parts }
    }

    /// Whether its hash is that of its fields, and its digest that of its parts.
    pub fn is_whole(&self) -> bool {
        let parts = self.parts.as_ref().is_none_or(|text| Hash::of(&[text.as_bytes()]) == self.subject_digest);
        let hash = hash(self.seq, self.kind, &self.subject_id, &self.subject_digest, &self.prev_hash);
        parts && self.parts.is_some() == (self.kind != Kind::Audit) && hash == self.hash
    }
}

/// `SHA-256("soit/chain/1" ‖ seq ‖ kind ‖ subject_id ‖ subject_digest ‖ prev_hash)`: the number in 8 bytes, big end first;
/// a text behind its length in bytes, which takes 4; a digest in its 32.
fn hash(seq: u64, kind: Kind, subject_id: &str, subject_digest: &Hash, prev_hash: &Hash) -> Hash {
    let length = |text: &str| u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes();
    Hash::of(&[
        b"soit/chain/1",
        &seq.to_be_bytes(),
        &length(kind.as_str()),
        kind.as_str().as_bytes(),
        &length(subject_id),
        subject_id.as_bytes(),
        &subject_digest.0,
        &prev_hash.0,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_in_the_hash() {
        let digest = Hash::of(&[b"record"]);
        let entry = Entry::new(7, Kind::Audit, "aud_1".to_owned(), digest, Hash::ZERO, None);
        assert!(entry.is_whole());
        // Computed by hand: sha256 of the bytes the comment of `hash` names.
        let mut bytes = b"soit/chain/1".to_vec();
        bytes.extend([0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 5]);
        bytes.extend(b"audit");
        bytes.extend([0, 0, 0, 5]);
        bytes.extend(b"aud_1");
        bytes.extend(digest.0);
        bytes.extend([0; 32]);
        assert_eq!(entry.hash, Hash::of(&[&bytes]));
        for altered in [
            Entry { seq: 8, ..entry.clone() },
            Entry { kind: Kind::Run, ..entry.clone() },
            Entry { subject_id: "aud_2".to_owned(), ..entry.clone() },
            Entry { subject_digest: Hash::ZERO, ..entry.clone() },
            Entry { prev_hash: digest, ..entry.clone() },
            Entry { parts: Some(String::new()), ..entry.clone() },
        ] {
            assert!(!altered.is_whole(), "{altered:?}");
        }
    }
}
