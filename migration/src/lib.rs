//! The schema of soit, step by step, for SQLite and PostgreSQL.
//!
//! Each migration is SQL in `sql/<number>_<name>/`, written once in PostgreSQL's words; [`script`] turns the few words
//! SQLite spells otherwise. Invariant: what is merged is frozen (a test compares checksums), and nothing here knows
//! the row types of `entity`.

pub use sea_orm_migration::MigratorTrait;
use sea_orm_migration::prelude::*;
pub use sea_orm_migration::sea_orm::DatabaseConnection;
use sea_orm_migration::sea_orm::DbBackend;

mod script;

use script::Script;

/// Every migration, oldest first.
pub struct Migrator;

/// The first schema: identity, catalog, ledger, outbox.
const FOUNDATION: Script = Script {
    name: "0001_foundation",
    tables: &[
        include_str!("../sql/0001_foundation/identity.sql"),
        include_str!("../sql/0001_foundation/catalog.sql"),
        include_str!("../sql/0001_foundation/ledger.sql"),
        include_str!("../sql/0001_foundation/outbox.sql"),
    ],
    sqlite: include_str!("../sql/0001_foundation/guard.sqlite.sql"),
    postgres: include_str!("../sql/0001_foundation/guard.postgres.sql"),
    sqlite_down: include_str!("../sql/0001_foundation/down.sqlite.sql"),
    postgres_down: include_str!("../sql/0001_foundation/down.postgres.sql"),
};

/// Which encoding counts a model's tokens.
const MODEL_TOKENIZER: Script = Script {
    name: "0002_model_tokenizer",
    tables: &[include_str!("../sql/0002_model_tokenizer/up.sql")],
    sqlite: "",
    postgres: "",
    sqlite_down: include_str!("../sql/0002_model_tokenizer/down.sql"),
    postgres_down: include_str!("../sql/0002_model_tokenizer/down.sql"),
};

/// What was done under an `Idempotency-Key`.
const IDEMPOTENCY: Script = Script {
    name: "0003_idempotency",
    tables: &[include_str!("../sql/0003_idempotency/up.sql")],
    sqlite: "",
    postgres: "",
    sqlite_down: include_str!("../sql/0003_idempotency/down.sql"),
    postgres_down: include_str!("../sql/0003_idempotency/down.sql"),
};

/// Reading the audit and events, and what becomes of deliveries that were given up.
const OUTBOX: Script = Script {
    name: "0004_outbox",
    tables: &[include_str!("../sql/0004_outbox/up.sql")],
    sqlite: include_str!("../sql/0004_outbox/deliveries.sqlite.sql"),
    postgres: include_str!("../sql/0004_outbox/deliveries.postgres.sql"),
    sqlite_down: include_str!("../sql/0004_outbox/down.sqlite.sql"),
    postgres_down: include_str!("../sql/0004_outbox/down.postgres.sql"),
};

/// Members who left, and invitations.
const MEMBERS: Script = Script {
    name: "0005_members",
    tables: &[include_str!("../sql/0005_members/up.sql")],
    sqlite: "",
    postgres: "",
    sqlite_down: include_str!("../sql/0005_members/down.sql"),
    postgres_down: include_str!("../sql/0005_members/down.sql"),
};

/// Saved views of lists.
const SAVED_VIEWS: Script = Script {
    name: "0006_saved_views",
    tables: &[include_str!("../sql/0006_saved_views/up.sql")],
    sqlite: "",
    postgres: "",
    sqlite_down: include_str!("../sql/0006_saved_views/down.sql"),
    postgres_down: include_str!("../sql/0006_saved_views/down.sql"),
};

const SCRIPTS: &[Script] = &[FOUNDATION, MODEL_TOKENIZER, IDEMPOTENCY, OUTBOX, MEMBERS, SAVED_VIEWS];

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        SCRIPTS.iter().map(|script| Box::new(*script) as Box<dyn MigrationTrait>).collect()
    }
}

/// SHA-256 of everything the migrations run, in hex: two databases with one fingerprint have one schema.
pub fn fingerprint(backend: DbBackend) -> String {
    script::checksum(SCRIPTS.iter().flat_map(|script| script.up_texts(backend)))
}
