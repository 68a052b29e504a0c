//! Counts what the store asks of the database.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What the store did since it opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Statements sent, reads included; BEGIN and COMMIT are not counted.
    pub statements: u64,
    /// Ledger transactions tried, replays included.
    pub transactions: u64,
    /// Batches applied or refused.
    pub batches: u64,
    /// Transactions tried again after a deadlock, a busy database or a lost connection.
    pub retries: u64,
    /// Time inside ledger transactions that were committed.
    pub writing: Duration,
    /// Of it, the time hash chains took: reading what ended, hashing it, adding entries.
    pub chaining: Duration,
    /// Opening batches waiting now.
    pub opening: u64,
    /// Closing batches waiting now.
    pub closing: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Meter {
    statements: AtomicU64,
    transactions: AtomicU64,
    batches: AtomicU64,
    retries: AtomicU64,
    writing_micros: AtomicU64,
    chaining_micros: AtomicU64,
}

impl Meter {
    pub(crate) fn statement(&self) {
        self.statements.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn transaction(&self) {
        self.transactions.fetch_add(1, Ordering::Relaxed);
    }

    /// How many there were before.
    pub(crate) fn batches(&self, count: usize) -> u64 {
        self.batches.fetch_add(count as u64, Ordering::Relaxed)
    }

    pub(crate) fn retry(&self) {
        self.retries.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn time(&self, writing: Duration, chaining: Duration) {
        self.writing_micros.fetch_add(micros(writing), Ordering::Relaxed);
        self.chaining_micros.fetch_add(micros(chaining), Ordering::Relaxed);
    }

    pub(crate) fn figures(&self) -> Figures {
        Figures {
            statements: self.statements.load(Ordering::Relaxed),
            transactions: self.transactions.load(Ordering::Relaxed),
            batches: self.batches.load(Ordering::Relaxed),
            retries: self.retries.load(Ordering::Relaxed),
            writing: Duration::from_micros(self.writing_micros.load(Ordering::Relaxed)),
            chaining: Duration::from_micros(self.chaining_micros.load(Ordering::Relaxed)),
            ..Figures::default()
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
