//! How the ledger is written, and what several processes on one database share.

use std::time::Duration;

use super::choice::{Durability, StoreDown};
use super::reader::Reader;
use super::setting::settings;

settings! {
    /// How the ledger is written, and what several processes on one database share.
    pub struct Ledger {
        /// What a committed batch survives: `standard` syncs what settles a call, `strict` everything, `process` nothing.
        pub durability: Durability = "LEDGER_DURABILITY" { default: Some("standard"), production: "not `process`" };
        /// Transactions written at once on PostgreSQL; SQLite has one writer.
        pub lanes: usize = "LEDGER_LANES" { default: Some("4"), range: (1, 64) };
        /// What becomes of limits that processes would share: `refuse` lets no second process start, `local` lets each count its own minute limits.
        pub limits_on_store_down: StoreDown = "LIMITS_ON_STORE_DOWN" { default: Some("refuse") };
        /// How long the answer to a request with an `Idempotency-Key` is kept for its repeats.
        pub answers_kept: Duration = "IDEMPOTENCY_TTL_HOURS" { default: Some("24"), range: (1, 168) };
        /// The same for model calls of which only metadata is kept; the answer is sealed under the caller's key either way.
        pub sealed_answers_kept: Duration = "RESULT_SEAL_HOURS" { default: Some("24"), range: (1, 168) };
        /// Whether the processes of one database see the same artifact files.
        pub storage_shared: bool = "STORAGE_SHARED" { default: Some("false") };
    }
}

impl Ledger {
    pub(super) fn rules(&self, reader: &mut Reader<'_>) {
        let unsynced = self.durability == Durability::Process;
        reader.refuse_in_production(unsynced, "LEDGER_DURABILITY", "is `process`", "use `standard` or `strict`");
    }
}
