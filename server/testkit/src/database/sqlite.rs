//! SQLite files: copies of one that was migrated once.

use std::sync::OnceLock;

use migration::{Migrator, MigratorTrait};
use sea_orm_migration::sea_orm::{ConnectOptions, Database};
use tempfile::TempDir;
use tokio::sync::Mutex;

static TEMPLATE: Mutex<()> = Mutex::const_new(());
static BYTES: OnceLock<Vec<u8>> = OnceLock::new();

pub(super) async fn create() -> (String, TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("test.db");
    std::fs::write(&path, template().await).expect("room for a database");
    (format!("sqlite://{}", path.display()), folder)
}

async fn template() -> &'static [u8] {
    let _one_at_a_time = TEMPLATE.lock().await;
    if let Some(bytes) = BYTES.get() {
        return bytes;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("template.db");
    let options = ConnectOptions::new(format!("sqlite://{}?mode=rwc", path.display()));
    let connection = Database::connect(options).await.expect("a new SQLite file");
    Migrator::up(&connection, None).await.expect("migrations that run on SQLite");
    connection.close().await.expect("a SQLite file that closes");
    BYTES.get_or_init(|| std::fs::read(&path).expect("the file just written"))
}
