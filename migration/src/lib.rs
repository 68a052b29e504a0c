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

/// The hash chain, its checkpoints, and the keys that sign them.
const CHAIN: Script = Script {
    name: "0007_chain",
    tables: &[include_str!("../sql/0007_chain/up.sql")],
    sqlite: include_str!("../sql/0007_chain/guard.sqlite.sql"),
    postgres: include_str!("../sql/0007_chain/guard.postgres.sql"),
    sqlite_down: include_str!("../sql/0007_chain/down.sql"),
    postgres_down: include_str!("../sql/0007_chain/down.sql"),
};

/// Second factors.
const SECOND_FACTOR: Script = Script {
    name: "0008_second_factor",
    tables: &[include_str!("../sql/0008_second_factor/up.sql")],
    sqlite: "",
    postgres: "",
    sqlite_down: include_str!("../sql/0008_second_factor/down.sql"),
    postgres_down: include_str!("../sql/0008_second_factor/down.sql"),
};

/// Mails, proved addresses, accounts that are closed.
const MAIL: Script = Script {
    name: "0009_mail",
    tables: &[include_str!("../sql/0009_mail/up.sql")],
    sqlite: include_str!("../sql/0009_mail/instance.sqlite.sql"),
    postgres: include_str!("../sql/0009_mail/instance.postgres.sql"),
    sqlite_down: include_str!("../sql/0009_mail/down.sqlite.sql"),
    postgres_down: include_str!("../sql/0009_mail/down.postgres.sql"),
};

/// What people say of runs, and what exports read by.
const FEEDBACK: Script = Script {
    name: "0010_feedback",
    tables: &[include_str!("../sql/0010_feedback/up.sql")],
    sqlite: "",
    postgres: "",
    sqlite_down: include_str!("../sql/0010_feedback/down.sql"),
    postgres_down: include_str!("../sql/0010_feedback/down.sql"),
};

/// Content that is kept whole.
const ARTIFACTS: Script = Script {
    name: "0011_artifacts",
    tables: &[include_str!("../sql/0011_artifacts/up.sql")],
    sqlite: "",
    postgres: "",
    sqlite_down: include_str!("../sql/0011_artifacts/down.sql"),
    postgres_down: include_str!("../sql/0011_artifacts/down.sql"),
};

/// Service principals, groups, grants, and what keys learned with them.
const PRINCIPALS: Script = Script {
    name: "0012_principals",
    tables: &[include_str!("../sql/0012_principals/up.sql")],
    sqlite: include_str!("../sql/0012_principals/keys.sqlite.sql"),
    postgres: include_str!("../sql/0012_principals/keys.postgres.sql"),
    sqlite_down: include_str!("../sql/0012_principals/down.sql"),
    postgres_down: include_str!("../sql/0012_principals/down.sql"),
};

/// Counters of usage.
const USAGE: Script = Script {
    name: "0013_usage",
    tables: &[include_str!("../sql/0013_usage/up.sql")],
    sqlite: "",
    postgres: "",
    sqlite_down: include_str!("../sql/0013_usage/down.sql"),
    postgres_down: include_str!("../sql/0013_usage/down.sql"),
};

/// Work that outlives its request.
const TASKS: Script = Script {
    name: "0014_tasks",
    tables: &[include_str!("../sql/0014_tasks/up.sql")],
    sqlite: "",
    postgres: "",
    sqlite_down: include_str!("../sql/0014_tasks/down.sql"),
    postgres_down: include_str!("../sql/0014_tasks/down.sql"),
};

/// How long what is kept, what is held, and what purges did.
const RETENTION: Script = Script {
    name: "0015_retention",
    tables: &[include_str!("../sql/0015_retention/up.sql")],
    sqlite: include_str!("../sql/0015_retention/guard.sqlite.sql"),
    postgres: include_str!("../sql/0015_retention/guard.postgres.sql"),
    sqlite_down: include_str!("../sql/0015_retention/down.sqlite.sql"),
    postgres_down: include_str!("../sql/0015_retention/down.postgres.sql"),
};

/// What came out of a run.
const REPLAY: Script = Script {
    name: "0016_replay",
    tables: &[include_str!("../sql/0016_replay/up.sql")],
    sqlite: "",
    postgres: "",
    sqlite_down: include_str!("../sql/0016_replay/down.sql"),
    postgres_down: include_str!("../sql/0016_replay/down.sql"),
};

/// What binds every workspace of a tenant, and tenants that are no more.
const TENANTS: Script = Script {
    name: "0017_tenants",
    tables: &[include_str!("../sql/0017_tenants/up.sql")],
    sqlite: "",
    postgres: "",
    sqlite_down: include_str!("../sql/0017_tenants/down.sql"),
    postgres_down: include_str!("../sql/0017_tenants/down.sql"),
};

/// Sessions seen as a weaker role, what keys learned beside, and what is answered again.
const VIEW_AS: Script = Script {
    name: "0018_view_as",
    tables: &[include_str!("../sql/0018_view_as/up.sql")],
    sqlite: "",
    postgres: "",
    sqlite_down: include_str!("../sql/0018_view_as/down.sql"),
    postgres_down: include_str!("../sql/0018_view_as/down.sql"),
};

/// Signing in with an identity provider.
const SSO: Script = Script {
    name: "0019_sso",
    tables: &[include_str!("../sql/0019_sso/up.sql")],
    sqlite: "",
    postgres: "",
    sqlite_down: include_str!("../sql/0019_sso/down.sql"),
    postgres_down: include_str!("../sql/0019_sso/down.sql"),
};

/// What runs are found by.
const SEARCH: Script = Script {
    name: "0020_search",
    tables: &[],
    sqlite: include_str!("../sql/0020_search/up.sqlite.sql"),
    postgres: include_str!("../sql/0020_search/up.postgres.sql"),
    sqlite_down: include_str!("../sql/0020_search/down.sqlite.sql"),
    postgres_down: include_str!("../sql/0020_search/down.postgres.sql"),
};

/// How signing keys follow each other, and copies of checkpoints.
const CHAIN_SINKS: Script = Script {
    name: "0021_chain_sinks",
    tables: &[include_str!("../sql/0021_chain_sinks/up.sql")],
    sqlite: "",
    postgres: "",
    sqlite_down: include_str!("../sql/0021_chain_sinks/down.sql"),
    postgres_down: include_str!("../sql/0021_chain_sinks/down.sql"),
};

/// Artifacts in the order they leave in.
const ARTIFACT_EXPORTS: Script = Script {
    name: "0022_artifact_exports",
    tables: &[include_str!("../sql/0022_artifact_exports/up.sql")],
    sqlite: "",
    postgres: "",
    sqlite_down: include_str!("../sql/0022_artifact_exports/down.sql"),
    postgres_down: include_str!("../sql/0022_artifact_exports/down.sql"),
};

/// Where purges of content are found.
const PURGED_CONTENT: Script = Script {
    name: "0023_purged_content",
    tables: &[],
    sqlite: include_str!("../sql/0023_purged_content/up.sqlite.sql"),
    postgres: include_str!("../sql/0023_purged_content/up.postgres.sql"),
    sqlite_down: include_str!("../sql/0023_purged_content/down.sqlite.sql"),
    postgres_down: include_str!("../sql/0023_purged_content/down.postgres.sql"),
};

const SCRIPTS: &[Script] = &[
    FOUNDATION,
    MODEL_TOKENIZER,
    IDEMPOTENCY,
    OUTBOX,
    MEMBERS,
    SAVED_VIEWS,
    CHAIN,
    SECOND_FACTOR,
    MAIL,
    FEEDBACK,
    ARTIFACTS,
    PRINCIPALS,
    USAGE,
    TASKS,
    RETENTION,
    REPLAY,
    TENANTS,
    VIEW_AS,
    SSO,
    SEARCH,
    CHAIN_SINKS,
    ARTIFACT_EXPORTS,
    PURGED_CONTENT,
];

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
