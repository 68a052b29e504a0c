//! Opening the database: waiting for it, its schema, the key its secrets were sealed with.

use std::sync::Arc;
use std::time::Duration;

use adapter_store::{Store, StoreOptions, Target, connect_for_migration};
use anyhow::{Context, bail};
use kernel::port::CommitObserver;
use migration::{Migrator, MigratorTrait};

use crate::config::{self, Config, DatabaseUrl};

/// What has to become of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// Brought up to date.
    Apply,
    /// Only looked at.
    Check,
}

/// Brings the schema up to date, or says what is pending.
pub async fn migrate(config: &Config, schema: Schema) -> anyhow::Result<Vec<String>> {
    let connection = connect_for_migration(&options(config, [0; 32], Arc::new(Unobserved))).await?;
    let outcome = async {
        let pending = Migrator::get_pending_migrations(&connection).await.context(
            "schema_too_new: the database was written by a newer soit; run that version, or restore a backup",
        )?;
        let names: Vec<String> = pending.iter().map(|migration| migration.name().to_owned()).collect();
        if schema == Schema::Apply && !names.is_empty() {
            Migrator::up(&connection, None).await.context("the schema could not be brought up to date")?;
        }
        Ok(names)
    }
    .await;
    connection.close().await?;
    outcome
}

/// The schema as `AUTO_MIGRATE` says.
pub(super) async fn prepare(config: &Config) -> anyhow::Result<()> {
    let schema = if config.database.auto_migrate { Schema::Apply } else { Schema::Check };
    let pending = migrate(config, schema).await?;
    match schema {
        Schema::Apply if !pending.is_empty() => {
            tracing::info!(migrations = pending.join(" "), "schema brought up to date")
        }
        Schema::Check if !pending.is_empty() => {
            bail!("the schema lacks {}: run `soit migrate`, or set AUTO_MIGRATE=true", pending.join(", "))
        }
        _ => {}
    }
    Ok(())
}

/// The opened store.
pub(super) async fn open(
    config: &Config,
    cursor_key: [u8; 32],
    observer: Arc<dyn CommitObserver>,
) -> anyhow::Result<Store> {
    Ok(Store::connect(options(config, cursor_key, observer)).await?)
}

fn options(config: &Config, cursor_key: [u8; 32], observer: Arc<dyn CommitObserver>) -> StoreOptions {
    let target = match &config.database.url {
        DatabaseUrl::Sqlite(path) => Target::Sqlite(path.clone()),
        DatabaseUrl::Postgres(url) => Target::Postgres(url.clone()),
    };
    let durability = match config.ledger.durability {
        config::Durability::Standard => adapter_store::Durability::Standard,
        config::Durability::Strict => adapter_store::Durability::Strict,
        config::Durability::Process => adapter_store::Durability::Process,
    };
    StoreOptions {
        target,
        pool_size: config.database.pool_size,
        lanes: config.ledger.lanes,
        durability,
        wait: config.database.wait,
        cursor_key,
        observer,
    }
}

/// Nothing is committed while the schema changes.
struct Unobserved;

impl CommitObserver for Unobserved {
    fn run_events(&self, _: &[types::run::RunEvent]) {}
    fn runs_changed(&self, _: &[(kernel::context::Scope, types::id::RunId)]) {}
    fn committed(&self, _: usize, _: Duration) {}
    fn events_emitted(&self) {}
}
