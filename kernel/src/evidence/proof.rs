//! `chain.json`: entries, the way from each to a checkpoint's root, and the signed checkpoints.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use types::id::{TenantId, WorkspaceId};
use types::retention::RetentionClass;

use crate::chain::{Checkpoint, Entry, Hash, KeyRing, Kind, PublicKey, Purge, Rotation, Signature, followed, includes};
use crate::context::Scope;

/// Which form the file follows while there was one key only.
const FORM: &str = "soit/proof/1";
/// Which form it follows since one key followed another.
const ROTATED: &str = "soit/proof/2";

/// `chain.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Proof {
    form: String,
    tenant_id: TenantId,
    workspace_id: WorkspaceId,
    /// Public keys that checkpoints are signed for.
    pub(super) keys: Vec<String>,
    pub(super) entries: Vec<Proved>,
    pub(super) checkpoints: Vec<Sealed>,
    /// How each key followed the one before, oldest first, with the signatures of both.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rotations: Vec<String>,
}

/// An entry and its place under a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Proved {
    pub(super) seq: u64,
    pub(super) kind: String,
    pub(super) subject_id: String,
    pub(super) subject_digest: Hash,
    prev_hash: Hash,
    hash: Hash,
    /// The parts of a run or what a purge covers, as they are hashed.
    pub(super) parts: Option<String>,
    /// The number of its checkpoint.
    checkpoint: u64,
    /// RFC 6962 audit path, from the leaf up.
    path: Vec<Hash>,
}

/// A checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sealed {
    number: u64,
    first_seq: u64,
    last_seq: u64,
    root: Hash,
    head: Hash,
    previous: Hash,
    sealed_at: String,
    pub(super) key_id: String,
    signature: Signature,
}

impl Proof {
    pub(super) fn new(scope: Scope, ring: &KeyRing, entries: Vec<Proved>, checkpoints: &[Checkpoint]) -> Self {
        let form = if ring.rotations.is_empty() { FORM } else { ROTATED };
        Self {
            form: form.to_owned(),
            tenant_id: scope.tenant_id,
            workspace_id: scope.workspace_id,
            keys: ring.keys.iter().map(ToString::to_string).collect(),
            entries,
            checkpoints: checkpoints.iter().map(Sealed::of).collect(),
            rotations: ring.rotations.iter().map(Rotation::text).collect(),
        }
    }

    /// The names of these keys and of those that followed them.
    pub(super) fn followed(&self, keys: &[PublicKey]) -> Vec<String> {
        let rotations: Vec<Rotation> = self.rotations.iter().filter_map(|text| Rotation::read(text)).collect();
        followed(keys, &rotations)
    }

    pub(super) fn scope(&self) -> Scope {
        Scope { tenant_id: self.tenant_id, workspace_id: self.workspace_id }
    }

    /// What is wrong in it by itself: the number of an entry or checkpoint, and why.
    pub(super) fn flaw(&self, signer: &PublicKey) -> Option<(String, &'static str)> {
        if self.form != if self.rotations.is_empty() { FORM } else { ROTATED } {
            return Some((self.form.clone(), "it is of no form this soit knows"));
        }
        if self.rotations.iter().any(|text| Rotation::read(text).is_none()) {
            return Some(("rotations".to_owned(), "one is not signed by both keys"));
        }
        let keys: Result<Vec<PublicKey>, _> = self.keys.iter().map(|text| text.parse()).collect();
        let Ok(mut keys) = keys else { return Some(("keys".to_owned(), "a key is none")) };
        keys.push(*signer);
        let mut checkpoints = Vec::new();
        for sealed in &self.checkpoints {
            let checkpoint = sealed.checkpoint().filter(|one| one.is_signed_by(self.scope(), &keys));
            let Some(checkpoint) = checkpoint else {
                return Some((format!("checkpoint {}", sealed.number), "its signature is not that of its key"));
            };
            checkpoints.push(checkpoint);
        }
        self.entries.iter().find_map(|proved| {
            let why = proved.flaw(&checkpoints)?;
            Some((format!("entry {}", proved.seq), why))
        })
    }
}

impl Proved {
    pub(super) fn new(entry: Entry, checkpoint: u64, path: Vec<Hash>) -> Self {
        Self {
            seq: entry.seq,
            kind: entry.kind.to_string(),
            subject_id: entry.subject_id,
            subject_digest: entry.subject_digest,
            prev_hash: entry.prev_hash,
            hash: entry.hash,
            parts: entry.parts,
            checkpoint,
            path,
        }
    }

    /// Whether it is a purge of a class, behind an entry, that covers the entry's record.
    pub(super) fn purges(&self, class: RetentionClass, seq: u64) -> bool {
        let purge =
            (self.kind == Kind::Purge.as_str() && self.seq > seq).then(|| self.parts.as_deref().and_then(Purge::read));
        purge.flatten().is_some_and(|purge| purge.covers(class, seq))
    }

    fn flaw(&self, checkpoints: &[Checkpoint]) -> Option<&'static str> {
        let entry = self.kind.parse().ok().map(|kind| Entry {
            seq: self.seq,
            kind,
            subject_id: self.subject_id.clone(),
            subject_digest: self.subject_digest,
            prev_hash: self.prev_hash,
            hash: self.hash,
            parts: self.parts.clone(),
        });
        if !entry.is_some_and(|entry| entry.is_whole()) {
            return Some("its hash is not that of its fields");
        }
        let checkpoint = checkpoints.iter().find(|one| one.number == self.checkpoint);
        let is_under = checkpoint.is_some_and(|one| {
            let place = self.seq.checked_sub(one.first_seq);
            let size = one.last_seq.checked_sub(one.first_seq).and_then(|last| last.checked_add(1));
            place.zip(size).is_some_and(|(place, size)| includes(&one.root, size, place, &self.hash, &self.path))
        });
        (!is_under).then_some("it does not lead to the root of its checkpoint")
    }
}

impl Sealed {
    fn of(checkpoint: &Checkpoint) -> Self {
        Self {
            number: checkpoint.number,
            first_seq: checkpoint.first_seq,
            last_seq: checkpoint.last_seq,
            root: checkpoint.root,
            head: checkpoint.head,
            previous: checkpoint.previous,
            sealed_at: checkpoint.sealed_at.to_rfc3339_opts(SecondsFormat::Micros, true),
            key_id: checkpoint.key_id.clone(),
            signature: checkpoint.signature,
        }
    }

    fn checkpoint(&self) -> Option<Checkpoint> {
        Some(Checkpoint {
            number: self.number,
            first_seq: self.first_seq,
            last_seq: self.last_seq,
            root: self.root,
            head: self.head,
            previous: self.previous,
            sealed_at: self.sealed_at.parse::<DateTime<Utc>>().ok()?,
            key_id: self.key_id.clone(),
            signature: self.signature,
        })
    }
}
