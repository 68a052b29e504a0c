//! What a bundle holds, by hash, and the signature over it.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::file::{Files, LISTED, MANIFEST, line};
use super::records::Disclosure;
use crate::chain::{Hash, PublicKey, Signature};
use crate::port::Signer;

/// Which form the bundle follows.
pub(super) const FORM: &str = "soit/evidence/2";
/// The one before, which does not say why a text is not there: purges of content were not in it.
pub(super) const FIRST_FORM: &str = "soit/evidence/1";
const ALGORITHM: &str = "ed25519";

/// `manifest.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    pub(super) form: String,
    pub(super) run_id: String,
    pub(super) tenant_id: String,
    pub(super) workspace_id: String,
    /// The run's entry in the chain.
    pub(super) entry_seq: u64,
    /// `kept` or `withheld`.
    pub(super) content: String,
    pub(super) files: BTreeMap<String, Listed>,
}

impl Manifest {
    /// Whether every text that the chain commits to is in the bundle, unless a purge took it.
    pub(super) fn shows_texts(&self) -> bool {
        self.form == FORM && self.content != Disclosure::Withheld.as_str()
    }
}

/// One file of the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Listed {
    pub(super) size: u64,
    pub(super) sha256: Hash,
    /// SHA-256 of each line.
    pub(super) records: Vec<Hash>,
}

/// `signature.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Signed {
    algorithm: String,
    key_id: String,
    public_key: String,
    signature: Signature,
}

/// What the manifest says of these files.
pub(super) fn listed(files: &Files) -> BTreeMap<String, Listed> {
    let of = |bytes: &Vec<u8>| Listed {
        size: bytes.len() as u64,
        sha256: Hash::of(&[bytes]),
        records: bytes.split_inclusive(|byte| *byte == b'\n').map(|line| Hash::of(&[line])).collect(),
    };
    let names = LISTED.into_iter().filter_map(|name| files.get(name).map(|bytes| (name.to_owned(), of(bytes))));
    names.collect()
}

/// `SHA256SUMS`, as `sha256sum --check` reads it: every listed file and the manifest.
pub(super) fn sums(files: &Files) -> Vec<u8> {
    let mut text = String::new();
    let mut names: Vec<&str> = LISTED.into_iter().chain([MANIFEST]).collect();
    names.sort_unstable();
    for name in names {
        if let Some(bytes) = files.get(name) {
            // Writing into a text cannot fail.
            let _ = writeln!(text, "{}  {name}", Hash::of(&[bytes]));
        }
    }
    text.into_bytes()
}

/// `signature.json` of a manifest.
pub(super) fn sign(signer: &dyn Signer, manifest: &[u8]) -> Option<Vec<u8>> {
    let ring = signer.ring();
    let key = ring.present()?;
    let signature = signer.sign(key, manifest)?;
    Some(line(&json!({
        "algorithm": ALGORITHM,
        "key_id": key.id(),
        "public_key": key.to_string(),
        "signature": signature,
    })))
}

impl Signed {
    /// The key that it says signed the manifest, if it did.
    pub(super) fn key(&self, manifest: &[u8]) -> Option<PublicKey> {
        let key: PublicKey = self.public_key.parse().ok()?;
        let fits = self.algorithm == ALGORITHM && key.id() == self.key_id && key.verifies(manifest, &self.signature);
        fits.then_some(key)
    }
}
