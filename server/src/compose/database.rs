//! Opening the database: waiting for it, its schema, the key its secrets were sealed with.

use std::sync::Arc;
use std::time::Duration;

use adapter_store::{Store, StoreOptions, Target, connect_for_migration};
use anyhow::{Context, bail};
use kernel::port::CommitObserver;
use migration::{DatabaseConnection, Migrator, MigratorTrait};
use serde::Serialize;

use crate::config::{self, Config, DatabaseUrl};

/// Where the schema is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schema {
    /// At the newest step.
    Newest,
    /// At a step, perhaps an older one.
    To {
        /// The step's name.
        id: String,
        /// Whether steps may be undone, with what is in their tables.
        allow_data_loss: bool,
    },
    /// Where it is: it is only looked at.
    Check,
}

/// Names of steps by what was done with them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Steps {
    /// Brought in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied: Option<Vec<String>>,
    /// Taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverted: Option<Vec<String>>,
    /// Not there yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<Vec<String>>,
}

impl Steps {
    /// Whether there was nothing to do.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Each step, with the word for what was done with it.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let all = [("applied", &self.applied), ("reverted", &self.reverted), ("pending", &self.pending)];
        all.into_iter().flat_map(|(word, names)| names.iter().flatten().map(move |name| (word, name)))
    }
}

/// Brings the schema to where it is wanted, or says what it lacks.
pub async fn migrate(config: &Config, wanted: &Schema) -> anyhow::Result<Steps> {
    let connection = connect_for_migration(&options(config, [0; 32], Arc::new(Unobserved))).await?;
    let outcome = move_schema(&connection, wanted).await;
    connection.close().await?;
    outcome
}

async fn move_schema(connection: &DatabaseConnection, wanted: &Schema) -> anyhow::Result<Steps> {
    let pending = Migrator::get_pending_migrations(connection)
        .await
        .context("schema_too_new: the database was written by a newer soit; run that version, or restore a backup")?;
    let pending: Vec<String> = pending.iter().map(|step| step.name().to_owned()).collect();
    let Schema::To { id, allow_data_loss } = wanted else {
        if *wanted == Schema::Check {
            return Ok(Steps { pending: Some(pending), ..Steps::default() });
        }
        return apply(connection, pending).await;
    };
    let mut known: Vec<String> = Migrator::migrations().iter().map(|step| step.name().to_owned()).collect();
    let Some(place) = known.iter().position(|name| name == id) else {
        bail!("--to names no step of the schema: `{id}`; there are {}", known.join(", "));
    };
    let mut behind = known.split_off(place + 1);
    behind.retain(|name| !pending.contains(name));
    if behind.is_empty() {
        known.retain(|name| pending.contains(name));
        return apply(connection, known).await;
    }
    if !allow_data_loss {
        bail!("going back to `{id}` loses what {} brought; pass --allow-data-loss to do it", behind.join(", "));
    }
    Migrator::down(connection, Some(count(&behind)?)).await.context("the schema could not be taken back")?;
    behind.reverse();
    Ok(Steps { reverted: Some(behind), ..Steps::default() })
}

async fn apply(connection: &DatabaseConnection, names: Vec<String>) -> anyhow::Result<Steps> {
    if !names.is_empty() {
        Migrator::up(connection, Some(count(&names)?)).await.context("the schema could not be brought up to date")?;
    }
    Ok(Steps { applied: Some(names), ..Steps::default() })
}

fn count(names: &[String]) -> anyhow::Result<u32> {
    Ok(u32::try_from(names.len())?)
}

/// The schema as `AUTO_MIGRATE` says.
pub(super) async fn prepare(config: &Config) -> anyhow::Result<()> {
    let schema = if config.database.auto_migrate { Schema::Newest } else { Schema::Check };
    let steps = migrate(config, &schema).await?;
    let names: Vec<&str> = steps.iter().map(|(_, name)| name.as_str()).collect();
    match schema {
        _ if names.is_empty() => {}
        Schema::Check => {
            bail!("the schema lacks {}: run `soit migrate`, or set AUTO_MIGRATE=true", names.join(", "))
        }
        _ => tracing::info!(migrations = names.join(" "), "schema brought up to date"),
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

/// The store for a command beside a running process: it registers none, and reads no cursors. Its schema must be the newest.
pub async fn open_beside(config: &Config) -> anyhow::Result<Store> {
    let steps = migrate(config, &Schema::Check).await?;
    if !steps.is_empty() {
        let names: Vec<&str> = steps.iter().map(|(_, name)| name.as_str()).collect();
        bail!("the schema lacks {}: run `soit migrate` first", names.join(", "));
    }
    Ok(Store::connect(options(config, [0; 32], Arc::new(Unobserved))).await?)
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
