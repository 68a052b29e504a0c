//! Stores for tests.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use adapter_store::{Durability, Store, StoreOptions, Target};
use kernel::context::Scope;
use kernel::port::CommitObserver;
use kernel::secret::SecretString;
use testkit::database::{Engine, TestDatabase};
use testkit::fake::FakeStore;
use types::id::RunId;
use types::run::RunEvent;

/// Listens to nothing.
pub(crate) struct Deaf;

impl CommitObserver for Deaf {
    fn run_events(&self, _: &[RunEvent]) {}
    fn runs_changed(&self, _: &[(Scope, RunId)]) {}
    fn committed(&self, _: usize, _: Duration) {}
    fn events_emitted(&self) {}
}

pub(crate) fn options(url: &str) -> StoreOptions {
    let target = match url.strip_prefix("sqlite://") {
        Some(path) => Target::Sqlite(PathBuf::from(path)),
        None => Target::Postgres(SecretString::new(url.to_owned())),
    };
    StoreOptions {
        target,
        pool_size: 4,
        lanes: 4,
        durability: Durability::Standard,
        wait: Duration::ZERO,
        cursor_key: [7; 32],
        observer: Arc::new(Deaf),
    }
}

pub(crate) async fn store(database: &TestDatabase) -> Store {
    Store::connect(options(database.url())).await.expect("a store that opens")
}

pub(crate) async fn on(engine: Engine) -> (Store, TestDatabase) {
    let database = TestDatabase::new(engine).await;
    (store(&database).await, database)
}

pub(crate) async fn sqlite() -> (Store, TestDatabase) {
    on(Engine::Sqlite).await
}

pub(crate) async fn postgres() -> (Store, TestDatabase) {
    on(Engine::Postgres).await
}

pub(crate) async fn fake() -> (FakeStore, ()) {
    (FakeStore::new(), ())
}
