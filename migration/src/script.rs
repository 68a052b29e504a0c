//! A migration as SQL text.
//!
//! Tables are written in PostgreSQL's words and rendered for SQLite: ids become 16-byte blobs, times become RFC 3339
//! text with six digits, so that the order of texts is the order of times. What has no common form (triggers) is
//! written twice.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend};
use sha2::{Digest, Sha256};

/// SQLite's own clock in the form times are stored in.
const SQLITE_NOW: &str = "(strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'))";

#[derive(Clone, Copy)]
pub(crate) struct Script {
    pub(crate) name: &'static str,
    /// Tables and indexes, for both databases.
    pub(crate) tables: &'static [&'static str],
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
    pub(crate) sqlite_down: &'static str,
    pub(crate) postgres_down: &'static str,
}

impl Script {
    /// The texts that bring the schema up, in order.
    pub(crate) fn up_texts(&self, backend: DbBackend) -> Vec<String> {
        let own = if backend == DbBackend::Sqlite { self.sqlite } else { self.postgres };
        let tables = self.tables.iter().map(|text| render(text, backend));
        tables.chain([own.to_owned()]).filter(|text| !text.is_empty()).collect()
    }
}

fn render(text: &str, backend: DbBackend) -> String {
    if backend != DbBackend::Sqlite {
        return text.to_owned();
    }
    let words = [(" UUID", " BLOB"), (" BYTEA", " BLOB"), (" TIMESTAMPTZ", " TEXT"), ("DEFAULT now()", "DEFAULT $NOW")];
    let text = words.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    text.replace("$NOW", SQLITE_NOW)
}

pub(crate) fn checksum(texts: impl IntoIterator<Item = String>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl MigrationName for Script {
    fn name(&self) -> &str {
        self.name
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Script {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for text in self.up_texts(manager.get_database_backend()) {
            manager.get_connection().execute_unprepared(&text).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let sqlite = manager.get_database_backend() == DbBackend::Sqlite;
        let text = if sqlite { self.sqlite_down } else { self.postgres_down };
        manager.get_connection().execute_unprepared(text).await?;
        Ok(())
    }

    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SCRIPTS;

    /// SHA-256 of what each merged migration runs, on SQLite and on PostgreSQL. A line is added, never changed.
    const FROZEN: &[(&str, &str, &str)] = &[
        (
            "0001_foundation",
            "14222b08bc2a39274f897cc52be288f1c397bc74fe14402df9d4ecb415521131",
            "1f3e0e84cfaedd3b2db6f81a37c3b975943b87191eeafcae327f83116ae18817",
        ),
        (
            "0002_model_tokenizer",
            "83c376475b3e4bfcceb3195a89e1922fb94138309b3f6b7e0362fd741319c37d",
            "83c376475b3e4bfcceb3195a89e1922fb94138309b3f6b7e0362fd741319c37d",
        ),
        (
            "0003_idempotency",
            "915147ad9c23c2ddd871ea61d863abba675078e5ca1e1497288a2c9ba6c57e40",
            "fae0aea9ac67cf8d4c7fc6ed582333c6f1a4e06ebf1cfb17d836ac03767392ff",
        ),
        (
            "0004_outbox",
            "15f22c3721b679c82dbf1b679c16836958db12f2bad4646755b4bde39d49238a",
            "000d854a4138af5a5c8f9a90d85eb9757a977aa76d0cbf9101e63d2deedfeaa3",
        ),
        (
            "0005_members",
            "603974fed4f08b312f70393f6540a6d7d024718f041f7bdb3aa2311ded85cb5d",
            "d8f25176216fbf04e4c93ec7d96526744265313185018123e9bb7cd8546f586d",
        ),
        (
            "0006_saved_views",
            "eee9b284ac389cc31f9e3afe67a6ff1e7c242a75919b79902353deb46106d7fc",
            "1bd1eb3bbd558e32ba4327996cad8382c57ab26507dcdf4c4a9ddc40a2cffbfd",
        ),
        (
            "0007_chain",
            "65af52d7e9efe224c56b11d6a032029efe4aca7b542f183a52b16da7f6b44896",
            "c6bc23d6ddc4cc9631cda6c2c7ca72dd70156e4a6d8e29d58a7b65679832350d",
        ),
        (
            "0008_second_factor",
            "d2cc3d5a485fe72616e41dccf85fd5330650a5637dec11d3566936c8a2bc14cd",
            "2386a7f53abe0a647b8347ca369402db97dd3302f15785475d47b002a0db74f6",
        ),
        (
            "0009_mail",
            "c31365f89026d2cfd9e661dcb16b9acc208a00db4f37d581badf0e408bb90efe",
            "86f463bc92a2d9741643f9aed482dde741bd5d1f4dddd95d6f0a857fb68a5cdd",
        ),
        (
            "0010_feedback",
            "06ad0afc35389c0ce2ec4ddad5e1238a3fab0df6ecc2f895b31c661d2814f941",
            "ed8187edf39cb2607944e8dda1d349c44e54d24d0794900015b2e6f0ea995ecf",
        ),
        (
            "0011_artifacts",
            "93900eb2318db6787d2efdecd7b0c77158c730df10b72da26f6222ef53cfaa0f",
            "6dc63b5ce66dd93cc4348917f73d274b6dac34e6e61ae576dfedee2a9291e675",
        ),
        (
            "0012_principals",
            "b99815c05522edca618492083201fe2e541269943e8aaa1dc569eded568f5e90",
            "9119fcbc9d92958da22aa382cc9998db9bf8da7b136a12df4e578776454683ff",
        ),
        (
            "0013_usage",
            "b0c8e6f80667bdd609790e1a0db6d2e3f573ea199a85d10349bc5f0ec83957f4",
            "a9e3d52018b892f5756f7767a3cd97b712ac6cb3d735adf5495355e73f852006",
        ),
        (
            "0014_tasks",
            "b7d6ff9884ee3ed996955ed228c53f49e2a70ac3c4415474591d70106bf41c45",
            "3198877489d7ac916fbfc3e5f1f69a63ada620b91e0d2c38884e492d19e22288",
        ),
        (
            "0015_retention",
            "886fc01a6b858fdc9c312394d44905ff07edffedc6c7c1119fddf20570be35ce",
            "9202a4aa9a363668bfc70f926d1bdffd8645bc4a51c9d64b145c15a50729f4e7",
        ),
        (
            "0016_replay",
            "059ac28f04e1e84cab77900509b612ef8e6d6a84909cea8ef9fad6e8e988cd6d",
            "059ac28f04e1e84cab77900509b612ef8e6d6a84909cea8ef9fad6e8e988cd6d",
        ),
        (
            "0017_tenants",
            "a9e6a7fe8891c40132fed6ced4ff13781ce03a3b48c36fecddf17e0f51ce1df7",
            "00af7d62d6d930f271f78c78b545de5bee39fae20a70ecfbed3670990d4f071d",
        ),
        (
            "0018_view_as",
            "031556dc1b962314c63744238b81630b3eec76fa1e79eebb95b8b178e8ddf71c",
            "031556dc1b962314c63744238b81630b3eec76fa1e79eebb95b8b178e8ddf71c",
        ),
        (
            "0019_sso",
            "038f4c1adf70a96e6d3299e91b43af608abb04a1719eb1f72536954b140277d7",
            "85dabba5e2873b14ca85c8d3ea00b9c79f9d2d8761ffed99f04adc8362e3f3b5",
        ),
        (
            "0020_search",
            "111db06e276ee3e6f83154b13642dfa45ae5ae9f96f2f430f15e880d0e09d080",
            "60ae3790d55196397cf8b66e15d2d2df86fabd1147a4da84cd66c9e1d6efc0bf",
        ),
        (
            "0021_chain_sinks",
            "3cc4ccd7824d35dbf0ba95feac00defbe370a54c78cd3fca65115d55f0fec126",
            "c2affdc17f2ff63a89363810e06f4dae9e01326c09f4b0bb13e9dc175ac14dc4",
        ),
        (
            "0022_artifact_exports",
            "20e75c3068737632fa679d1db590839f7ef4770bea5830ae4751e0edc38954d2",
            "20e75c3068737632fa679d1db590839f7ef4770bea5830ae4751e0edc38954d2",
        ),
        (
            "0023_purged_content",
            "44332cfd1d455e45b9f48e65fc49b578a6174cbc40c1ff79376441d9c45c0241",
            "2daed6cd6a20906ee10f84b319adae1f271b54ce5194ede53ea192578c5b1b47",
        ),
    ];

    #[test]
    fn merged_migrations_are_never_edited() {
        let sum = |script: &Script, backend| checksum(script.up_texts(backend));
        let present: Vec<_> = SCRIPTS
            .iter()
            .map(|script| (script.name, sum(script, DbBackend::Sqlite), sum(script, DbBackend::Postgres)))
            .collect();
        let frozen: Vec<_> = FROZEN.iter().map(|(name, a, b)| (*name, (*a).to_owned(), (*b).to_owned())).collect();
        assert_eq!(present, frozen, "write a new migration instead of editing a merged one");
    }

    #[test]
    fn nothing_of_postgres_is_left_for_sqlite() {
        for text in SCRIPTS.iter().flat_map(|script| script.up_texts(DbBackend::Sqlite)) {
            for word in ["UUID", "BYTEA", "TIMESTAMPTZ", "now()"] {
                assert!(!text.contains(word), "{word}");
            }
        }
    }
}
