//! A signed statement about a stretch of a chain.

use std::fmt::{Display, Formatter};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use super::form::time;
use super::hash::{bytes_of, hex};
use super::{Hash, PublicKey};
use crate::context::Scope;
use crate::digest::canonical;

/// An Ed25519 signature; its text is 128 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature(pub [u8; 64]);

impl Display for Signature {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl Serialize for Signature {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Signature {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let bytes = bytes_of(&text).ok_or("must be 128 lower-case hex digits");
        bytes.map(Self).map_err(serde::de::Error::custom)
    }
}

/// Covers entries `first_seq` to `last_seq`: none of them can change any more without the signing key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Its number in the chain, from 1, without gaps.
    pub number: u64,
    /// The first entry.
    pub first_seq: u64,
    /// The last entry.
    pub last_seq: u64,
    /// RFC 6962 Merkle root over the entries' hashes.
    pub root: Hash,
    /// Hash of the last entry, and so of all before it.
    pub head: Hash,
    /// Hash of the checkpoint before; zeros for the first.
    pub previous: Hash,
    /// When.
    pub sealed_at: DateTime<Utc>,
    /// Name of the key that signed it.
    pub key_id: String,
    /// The signature of [`Checkpoint::body`].
    pub signature: Signature,
}

impl Checkpoint {
    /// What is signed: RFC 8785 JSON.
    pub fn body(&self, scope: Scope) -> Vec<u8> {
        canonical(&self.value(scope))
    }

    /// What is handed on of it: the body, the signature, and the public key where it is known.
    pub(super) fn copy(&self, scope: Scope, key: Option<&PublicKey>) -> Vec<u8> {
        let mut value = self.value(scope);
        if let Value::Object(members) = &mut value {
            members.insert("signature".to_owned(), json!(self.signature));
            members.insert("public_key".to_owned(), json!(key.map(ToString::to_string)));
        }
        let mut line = canonical(&value);
        line.push(b'\n');
        line
    }

    fn value(&self, scope: Scope) -> Value {
        json!({
            "form": "soit/checkpoint/1",
            "tenant_id": scope.tenant_id,
            "workspace_id": scope.workspace_id,
            "number": self.number,
            "first_seq": self.first_seq,
            "last_seq": self.last_seq,
            "root": self.root,
            "head": self.head,
            "previous": self.previous,
            "sealed_at": time(self.sealed_at),
            "key_id": self.key_id,
        })
    }

    /// What the next checkpoint calls this one by.
    pub fn hash(&self, scope: Scope) -> Hash {
        Hash::of(&[&self.body(scope)])
    }

    /// Whether one of the keys signed it, under its name.
    pub fn is_signed_by(&self, scope: Scope, keys: &[PublicKey]) -> bool {
        let body = self.body(scope);
        keys.iter().any(|key| key.id() == self.key_id && key.verifies(&body, &self.signature))
    }
}
