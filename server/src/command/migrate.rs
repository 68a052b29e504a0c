//! `soit migrate`: the database's schema.

use std::process::ExitCode;

use super::output::{print, print_json};
use crate::compose::{self, Schema};
use crate::config::{Config, DatabaseUrl};
use crate::data_dir::{DataDir, DataDirError};

/// Exit code of `--check` when something is pending.
const PENDING: u8 = 3;

/// Brings the schema to where it is wanted, or only says what it lacks.
pub(super) async fn migrate(config: &Config, wanted: &Schema, json: bool) -> anyhow::Result<ExitCode> {
    let _locked = lock(config, wanted)?;
    let steps = compose::migrate(config, wanted).await?;
    if json {
        print_json(&steps)?;
    } else if steps.is_empty() {
        print("the schema is up to date");
    } else {
        steps.iter().for_each(|(word, name)| print(format!("{word} {name}")));
    }
    let is_pending = *wanted == Schema::Check && !steps.is_empty();
    Ok(if is_pending { ExitCode::from(PENDING) } else { ExitCode::SUCCESS })
}

/// A process that uses the SQLite file must not see its schema change. Looking disturbs nobody.
fn lock(config: &Config, wanted: &Schema) -> Result<Option<DataDir>, DataDirError> {
    if !matches!(config.database.url, DatabaseUrl::Sqlite(_)) {
        return Ok(None);
    }
    match DataDir::open(&config.process.data_dir) {
        Err(DataDirError::Locked { .. }) if *wanted == Schema::Check => Ok(None),
        opened => opened.map(Some),
    }
}
