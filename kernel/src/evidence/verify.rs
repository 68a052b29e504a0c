//! Checking a bundle on its own: no database, no network.
//!
//! The order decides which file is named: first the signature over the manifest, then every file by its hash, then what
//! the files say of each other and of the chain.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;
use types::retention::RetentionClass;

use super::archive::{Unpacked, unpack};
use super::file::{AUDIT, CHAIN, COSTS, Files, LISTED, MANIFEST, RUN, SIGNATURE, STEPS, SUMS, line, read_lines};
use super::manifest::{self, Listed, Manifest, Signed};
use super::proof::Proof;
use super::records::Read;
use crate::chain::{Flaw, Gone, Hash, Parts, PublicKey};

/// What was checked and found good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Which run.
    pub run_id: String,
    /// Its entry in the chain.
    pub entry_seq: u64,
    /// Name of the key that signed the bundle.
    pub key_id: String,
}

/// Why a bundle is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Something in it is not as it was.
    #[error("{file}{}: {why}", record.as_ref().map(|record| format!(", {record}")).unwrap_or_default())]
    Altered {
        /// Which file.
        file: String,
        /// Which record of it, where that can be told.
        record: Option<String>,
        /// What is wrong.
        why: String,
    },
    /// It cannot be read at all.
    #[error("{0}")]
    Unreadable(String),
    /// It is whole, but signed by none of the given keys.
    #[error("signed by `{0}`, which is none of the given keys")]
    Stranger(String),
}

fn altered(file: &str, record: Option<String>, why: &str) -> Refused {
    Refused::Altered { file: file.to_owned(), record, why: why.to_owned() }
}

/// Checks a bundle. With keys, one of them must have signed it; without, only that it is whole is known.
pub fn verify(bytes: &[u8], keys: &[PublicKey]) -> Result<Checked, Refused> {
    let files = unpack(bytes).map_err(|unpacked| match unpacked {
        Unpacked::Unreadable(why) => Refused::Unreadable(why),
        Unpacked::Altered(file, why) => altered(&file, None, &why),
    })?;
    let key = check_signature(&files)?;
    let manifest: Manifest = read(&files, MANIFEST)?;
    check_files(&files, &manifest)?;
    let proof: Proof = read(&files, CHAIN)?;
    if let Some((record, why)) = proof.flaw(&key) {
        return Err(altered(CHAIN, Some(record), why));
    }
    check_records(&files, &manifest, &proof)?;
    let names = proof.followed(keys);
    let signers = std::iter::once(key.id()).chain(proof.checkpoints.iter().map(|sealed| sealed.key_id.clone()));
    match signers.into_iter().find(|signer| !names.is_empty() && !names.contains(signer)) {
        Some(stranger) => Err(Refused::Stranger(stranger)),
        None => Ok(Checked { run_id: manifest.run_id, entry_seq: manifest.entry_seq, key_id: key.id() }),
    }
}

fn bytes<'a>(files: &'a Files, name: &str) -> &'a [u8] {
    files.get(name).map(Vec::as_slice).unwrap_or_default()
}

/// A file of one line.
fn read<T: DeserializeOwned>(files: &Files, name: &str) -> Result<T, Refused> {
    let text = bytes(files, name);
    let value: Option<Value> = serde_json::from_slice(text).ok().filter(|value| line(value) == text);
    let typed = value.and_then(|value| serde_json::from_value(value).ok());
    typed.ok_or_else(|| altered(name, None, "it is not written as soit writes it"))
}

/// Whose signature the manifest bears.
fn check_signature(files: &Files) -> Result<PublicKey, Refused> {
    let manifest = bytes(files, MANIFEST);
    let signed = read::<Signed>(files, SIGNATURE)?;
    signed.key(manifest).ok_or_else(|| {
        // Of the two, the one that the sums do not speak for.
        let listed = format!("{}  {MANIFEST}", Hash::of(&[manifest]));
        let is_listed = bytes(files, SUMS).split(|byte| *byte == b'\n').any(|sum| sum == listed.as_bytes());
        altered(if is_listed { SIGNATURE } else { MANIFEST }, None, "the signature is not that of the manifest")
    })
}

/// Every file by its hash, and the sums.
fn check_files(files: &Files, manifest: &Manifest) -> Result<(), Refused> {
    if manifest.form != manifest::FORM && manifest.form != manifest::FIRST_FORM {
        let why = format!("`{}` is no form this soit knows", manifest.form);
        return Err(Refused::Unreadable(why));
    }
    let now = manifest::listed(files);
    for name in LISTED {
        let (Some(then), Some(now)) = (manifest.files.get(name), now.get(name)) else {
            return Err(altered(MANIFEST, None, "it does not list every file"));
        };
        if then != now {
            return Err(altered(name, changed_line(then, now), "it is not the file that was signed"));
        }
    }
    if manifest.files.len() != LISTED.len() {
        return Err(altered(MANIFEST, None, "it lists a file that is none"));
    }
    if manifest::sums(files) != bytes(files, SUMS) {
        return Err(altered(SUMS, None, "the sums are not those of the files"));
    }
    Ok(())
}

fn changed_line(then: &Listed, now: &Listed) -> Option<String> {
    let place = then.records.iter().zip(&now.records).position(|(then, now)| then != now);
    let place = place.unwrap_or(then.records.len().min(now.records.len()));
    Some(format!("record {}", place + 1))
}

fn read_records(files: &Files, name: &str) -> Result<BTreeMap<String, Read>, Refused> {
    let wrong = |number| altered(name, Some(format!("record {number}")), "it is not written as soit writes it");
    let mut records = BTreeMap::new();
    for (value, number) in read_lines(bytes(files, name)).map_err(wrong)?.iter().zip(1..) {
        let read = Read::of(value).ok_or_else(|| wrong(number))?;
        if records.insert(read.id.clone(), read).is_some() {
            return Err(altered(name, Some(format!("record {number}")), "it is there twice"));
        }
    }
    Ok(records)
}

/// What the records say against what the chain says of them.
fn check_records(files: &Files, manifest: &Manifest, proof: &Proof) -> Result<(), Refused> {
    let scope = proof.scope();
    let is_here =
        manifest.tenant_id == scope.tenant_id.to_string() && manifest.workspace_id == scope.workspace_id.to_string();
    let own = |seq: u64| proof.entries.iter().find(|entry| entry.seq == seq && entry.kind == "run");
    let parts = own(manifest.entry_seq).and_then(|entry| entry.parts.as_deref()).and_then(Parts::read);
    let Some(parts) = parts.filter(|parts| is_here && parts.run_id() == manifest.run_id) else {
        return Err(altered(CHAIN, None, "it does not prove the run of the manifest"));
    };
    let runs = read_records(files, RUN)?;
    let (Some(run), 1) = (runs.values().next(), runs.len()) else {
        return Err(altered(RUN, None, "it does not hold exactly one run"));
    };
    let (steps, costs) = (read_records(files, STEPS)?, read_records(files, COSTS)?);
    let hashes = |records: &BTreeMap<String, Read>| -> BTreeMap<String, Hash> {
        records.iter().map(|(id, read)| (id.clone(), read.hash)).collect()
    };
    let took = |class| proof.entries.iter().any(|entry| entry.purges(class, manifest.entry_seq));
    // Texts are checked below.
    let may = Gone { costs: took(RetentionClass::Costs), content: true };
    if let Some(flaw) = parts.flaw_of(&parts.with_records(run.hash, hashes(&steps), hashes(&costs)), may) {
        return Err(of_flaw(flaw, &parts));
    }
    for (file, read) in runs.values().map(|read| (RUN, read)).chain(steps.values().map(|read| (STEPS, read))) {
        let wrong = read.content.iter().find(|(place, hash)| parts.committed(place) != Some(hash));
        if let Some((place, _)) = wrong {
            return Err(altered(file, Some(place.clone()), "the text is not the one the chain commits to"));
        }
    }
    let shown = |place: &str| runs.values().chain(steps.values()).any(|read| read.content.contains_key(place));
    if manifest.shows_texts()
        && !took(RetentionClass::Content)
        && let Some(place) = parts.lacking(shown)
    {
        let file =
            if place.strip_prefix(parts.run_id()).is_some_and(|rest| rest.starts_with('.')) { RUN } else { STEPS };
        return Err(altered(file, Some(place.to_owned()), "the text is missing, and no purge took it"));
    }
    check_audit(files, proof)
}

fn of_flaw(flaw: Flaw, parts: &Parts) -> Refused {
    let file = match flaw.record.split('_').next() {
        _ if flaw.record == parts.run_id() => RUN,
        Some("cst") => COSTS,
        _ => STEPS,
    };
    let why = if flaw.is_missing { "it is missing" } else { "it is not the record that the chain holds" };
    altered(file, Some(flaw.record), why)
}

fn check_audit(files: &Files, proof: &Proof) -> Result<(), Refused> {
    let audit = read_records(files, AUDIT)?;
    let entries = proof.entries.iter().filter(|entry| entry.kind == "audit");
    let proved: BTreeMap<&str, Hash> = entries.map(|entry| (entry.subject_id.as_str(), entry.subject_digest)).collect();
    for (id, read) in &audit {
        if proved.get(id.as_str()) != Some(&read.hash) {
            return Err(altered(AUDIT, Some(id.clone()), "it is not the record that the chain holds"));
        }
    }
    match proved.keys().find(|id| !audit.contains_key(**id)) {
        Some(id) => Err(altered(AUDIT, Some((*id).to_owned()), "it is missing")),
        None => Ok(()),
    }
}
