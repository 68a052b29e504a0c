//! `soit verify`: checks the evidence of a run, with nothing but the file. Exit 0 valid, 1 altered, 2 not read, 3 signed by
//! a stranger.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use kernel::chain::PublicKey;
use kernel::evidence::{Checked, Refused, verify as check};
use serde_json::{Value, json};
use types::chain::SigningKeys;

use super::output::{print, print_json, say};

/// A bundle unpacks to 1 GiB at most, and is stored as it is: a larger file is none.
const MOST: u64 = (1 << 30) + (1 << 20);

const ALTERED: u8 = 1;
const NOT_READ: u8 = 2;
const STRANGER: u8 = 3;

/// Checks a file.
pub(super) fn verify(file: &Path, keys: &[String], as_json: bool) -> anyhow::Result<ExitCode> {
    let outcome = match read(file, keys) {
        Ok((bytes, keys)) => check(&bytes, &keys),
        Err(error) => Err(Refused::Unreadable(format!("{error:#}"))),
    };
    let code = match &outcome {
        Ok(_) => 0,
        Err(Refused::Altered { .. }) => ALTERED,
        Err(Refused::Unreadable(_)) => NOT_READ,
        Err(Refused::Stranger(_)) => STRANGER,
    };
    if as_json {
        print_json(&report(&outcome))?;
    } else {
        tell(&outcome, keys.is_empty());
    }
    Ok(ExitCode::from(code))
}

fn read(file: &Path, keys: &[String]) -> anyhow::Result<(Vec<u8>, Vec<PublicKey>)> {
    let mut all = Vec::new();
    for key in keys {
        all.extend(read_keys(key)?);
    }
    let size = std::fs::metadata(file).with_context(|| format!("`{}` cannot be read", file.display()))?.len();
    anyhow::ensure!(size <= MOST, "`{}` is larger than 1 GiB, which no evidence is", file.display());
    let bytes = std::fs::read(file).with_context(|| format!("`{}` cannot be read", file.display()))?;
    Ok((bytes, all))
}

/// A key in hex, or the file that `/.well-known/soit-keys.json` answers.
fn read_keys(given: &str) -> anyhow::Result<Vec<PublicKey>> {
    if let Ok(key) = given.parse() {
        return Ok(vec![key]);
    }
    let help = || format!("`--key {given}` is neither a public key in hex nor a file like /.well-known/soit-keys.json");
    let keys: SigningKeys = serde_json::from_slice(&std::fs::read(given).with_context(help)?).with_context(help)?;
    anyhow::ensure!(!keys.keys.is_empty(), "`--key {given}` names no key");
    keys.keys.iter().map(|key| key.public_key.parse().with_context(help)).collect()
}

fn tell(outcome: &Result<Checked, Refused>, without_keys: bool) {
    match outcome {
        Ok(Checked { run_id, entry_seq, key_id }) => {
            print(format!("valid: {run_id}, entry {entry_seq} of its chain, signed by {key_id}"));
            if without_keys {
                say("no --key was given: the file is whole, but anybody may have signed it");
            }
        }
        Err(refused @ Refused::Altered { .. }) => print(format!("altered: {refused}")),
        Err(refused @ Refused::Stranger(_)) => print(format!("whole, but {refused}")),
        Err(refused @ Refused::Unreadable(_)) => say(format!("error: {refused}")),
    }
}

fn report(outcome: &Result<Checked, Refused>) -> Value {
    match outcome {
        Ok(Checked { run_id, entry_seq, key_id }) => {
            json!({ "outcome": "valid", "run_id": run_id, "entry_seq": entry_seq, "key_id": key_id })
        }
        Err(Refused::Altered { file, record, why }) => {
            json!({ "outcome": "altered", "file": file, "record": record, "detail": why })
        }
        Err(refused @ Refused::Stranger(key_id)) => {
            json!({ "outcome": "stranger", "key_id": key_id, "detail": refused.to_string() })
        }
        Err(refused @ Refused::Unreadable(_)) => json!({ "outcome": "unreadable", "detail": refused.to_string() }),
    }
}
