//! The hash chain of a workspace as readers see it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::{TenantId, WorkspaceId};
use crate::word::words;

words! {
    /// What is wrong with a chain.
    pub enum ChainProblem {
        /// An entry is not there.
        EntryMissing = "entry_missing",
        /// An entry's hash is not that of its fields.
        EntryAltered = "entry_altered",
        /// An entry does not follow the one before it.
        LinkBroken = "link_broken",
        /// The record of an entry is not there.
        RecordMissing = "record_missing",
        /// The record of an entry is not as it was written.
        RecordAltered = "record_altered",
        /// A checkpoint does not cover what it says, or is missing.
        CheckpointAltered = "checkpoint_altered",
        /// A checkpoint is signed by none of this deployment's keys.
        CheckpointUnsigned = "checkpoint_unsigned",
        /// The chain does not end where it says it ends.
        HeadAltered = "head_altered",
    }
}

/// Where a workspace's chain stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ChainState {
    /// Entries so far; the number of the last one.
    pub entries: u64,
    /// Hash of the last entry; none in an empty chain.
    pub head: Option<String>,
    /// Entries that no checkpoint covers yet.
    pub unsealed: u64,
    /// The last checkpoint.
    pub last_checkpoint: Option<ChainCheckpoint>,
}

/// A signed statement about a stretch of the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ChainCheckpoint {
    /// Its number, from 1.
    pub number: u64,
    /// The first entry it covers.
    pub first_seq: u64,
    /// The last entry it covers.
    pub last_seq: u64,
    /// RFC 6962 Merkle root over the entries' hashes, in hex.
    pub root: String,
    /// When.
    pub sealed_at: DateTime<Utc>,
    /// The key that signed it: `/.well-known/soit-keys.json` has it.
    pub key_id: String,
}

/// What a verification found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ChainVerification {
    /// Whether everything that was checked is as it was written.
    pub valid: bool,
    /// The first entry that was to be checked.
    pub from: u64,
    /// The last entry that was to be checked.
    pub to: u64,
    /// How many entries were found good.
    pub checked: u64,
    /// The first entry that is wrong, or whose record is.
    pub first_bad_seq: Option<u64>,
    /// What is wrong there.
    pub problem: Option<ChainProblem>,
    /// The record that is wrong: an id, or record and field of content.
    pub record: Option<String>,
    /// Where to go on, where not everything was checked at once.
    pub next_from: Option<u64>,
}

/// The keys that sign checkpoints and evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SigningKeys {
    /// Every key there was, the present one first.
    pub keys: Vec<SigningKey>,
    /// How each followed the one before, oldest first.
    #[serde(default)]
    pub rotations: Vec<KeyRotation>,
}

/// A key that took over from another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct KeyRotation {
    /// The public key before, in hex.
    pub from_key: String,
    /// The public key since, in hex.
    pub to_key: String,
    /// When.
    pub rotated_at: DateTime<Utc>,
    /// The statement with the signatures of both, as RFC 8785 JSON.
    pub statement: String,
}

/// A key that signs checkpoints and evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SigningKey {
    /// Its name, which follows from the key.
    pub key_id: String,
    /// Always `ed25519`.
    pub algorithm: String,
    /// The public key, 32 bytes in hex.
    pub public_key: String,
    /// Since when it signs; none of the first one.
    #[serde(default)]
    pub valid_from: Option<DateTime<Utc>>,
    /// Until when it signed; none of the present one.
    #[serde(default)]
    pub valid_until: Option<DateTime<Utc>>,
}

/// A stretch of a chain with what proves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainProof {
    /// Whose chain.
    pub tenant_id: TenantId,
    /// Whose chain.
    pub workspace_id: WorkspaceId,
    /// The entries, in order.
    pub entries: Vec<ProofEntry>,
    /// The checkpoints that end among them.
    pub checkpoints: Vec<ProofCheckpoint>,
    /// Where to go on, where there is more.
    pub next_from: Option<u64>,
}

/// An entry as it is hashed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofEntry {
    /// Its number.
    pub seq: u64,
    /// What it is of.
    pub kind: String,
    /// Id of the record.
    pub subject_id: String,
    /// Digest of the record, in hex.
    pub subject_digest: String,
    /// Hash of the entry before, in hex.
    pub prev_hash: String,
    /// Its own hash, in hex.
    pub hash: String,
    /// What is behind the digest, where it is no audit row.
    pub parts: Option<String>,
    /// The audit row as it is now, in the form that is hashed.
    pub record: Option<String>,
}

/// A checkpoint as it is signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofCheckpoint {
    /// Its number.
    pub number: u64,
    /// The first entry it covers.
    pub first_seq: u64,
    /// The last entry it covers.
    pub last_seq: u64,
    /// RFC 6962 Merkle root over the entries' hashes, in hex.
    pub root: String,
    /// Hash of the last entry, in hex.
    pub head: String,
    /// Hash of the checkpoint before, in hex.
    pub previous: String,
    /// When, with six digits of a second.
    pub sealed_at: String,
    /// The key that signed it.
    pub key_id: String,
    /// The signature, in hex.
    pub signature: String,
}
