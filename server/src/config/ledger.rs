//! How the ledger is written, and what several processes on one database share.

use std::time::Duration;

use super::choice::{Durability, StoreDown};
use super::reader::Reader;
use super::redis::RedisUrl;
use super::setting::settings;

settings! {
    /// How the ledger is written, and what several processes on one database share.
    pub struct Ledger {
        /// What a committed batch survives: `standard` syncs what settles a call, `strict` everything, `process` nothing.
        pub durability: Durability = "LEDGER_DURABILITY" { default: Some("standard"), production: "not `process`" };
        /// Transactions written at once on PostgreSQL; SQLite has one writer.
        pub lanes: usize = "LEDGER_LANES" { default: Some("4"), range: (1, 64) };
        /// What processes share in memory: `redis://USER:PASSWORD@HOST:PORT/NUMBER`, or `rediss://` for TLS. Several processes on one database need it, see `LIMITS_ON_STORE_DOWN`.
        pub redis_url: Option<RedisUrl> = "REDIS_URL" {
            alias: "EVENT_BUS_REDIS_URL",
            production: "off loopback `rediss://` and a password"
        };
        /// What becomes of minute limits without Redis or while it is away: `refuse` lets no second process start without it and refuses calls with a limit while it is away, `local` lets each process count for itself and records that.
        pub limits_on_store_down: StoreDown = "LIMITS_ON_STORE_DOWN" { default: Some("refuse") };
        /// How long the answer to a request with an `Idempotency-Key` is kept for its repeats.
        pub answers_kept: Duration = "IDEMPOTENCY_TTL_HOURS" { default: Some("24"), range: (1, 168) };
        /// The same for model calls of which only metadata is kept; the answer is sealed under the caller's key either way.
        pub sealed_answers_kept: Duration = "RESULT_SEAL_HOURS" { default: Some("24"), range: (1, 168) };
    }
}

impl Ledger {
    pub(super) fn rules(&self, reader: &mut Reader<'_>) {
        let unsynced = self.durability == Durability::Process;
        if let Some(url) = &self.redis_url {
            url.rules(reader);
        }
        reader.refuse_in_production(unsynced, "LEDGER_DURABILITY", "is `process`", "use `standard` or `strict`");
    }
}
