//! `soit migrate`: the database's schema.

use std::process::ExitCode;

use serde_json::json;

use super::output::{print, print_json};
use crate::compose::{self, Schema};
use crate::config::{Config, DatabaseUrl};
use crate::data_dir::DataDir;

/// Exit code of `--check` when something is pending.
const PENDING: u8 = 3;

/// Applies what is pending, or only says what it is.
pub(super) async fn migrate(config: &Config, check: bool, json: bool) -> anyhow::Result<ExitCode> {
    // A process that uses the SQLite file must not see its schema change.
    let is_file = matches!(config.database.url, DatabaseUrl::Sqlite(_));
    let _locked = is_file.then(|| DataDir::open(&config.process.data_dir)).transpose()?;
    let names = compose::migrate(config, if check { Schema::Check } else { Schema::Apply }).await?;
    let word = if check { "pending" } else { "applied" };
    if json {
        print_json(&json!({ word: names }))?;
    } else if names.is_empty() {
        print("the schema is up to date");
    } else {
        names.iter().for_each(|name| print(format!("{word} {name}")));
    }
    Ok(if check && !names.is_empty() { ExitCode::from(PENDING) } else { ExitCode::SUCCESS })
}
