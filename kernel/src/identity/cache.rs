//! Resolved credentials in memory: a warm request asks the store nothing.
//!
//! Invariant: an entry is used only while no epoch it was read under has moved, and for a minute at most. So only those who
//! belong to a tenant are kept: without an epoch nothing would tell that a session ended.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use chrono::{DateTime, TimeDelta, Utc};
use types::id::{TenantId, UserId};

use crate::policy::Granted;
use crate::port::Account;
use crate::record::{ApiKey, Digest, KeySecret, ServicePrincipal, Session};

const CAPACITY: usize = 10_000;
/// Share of the capacity that is given up at once when it is reached: the least used.
const EVICTED: usize = CAPACITY / 10;
const MAX_AGE: TimeDelta = TimeDelta::seconds(60);
/// Uses are noted in the store at most this often.
const NOTED_EVERY: TimeDelta = TimeDelta::seconds(60);

/// What a credential stands for.
#[derive(Debug)]
pub(super) enum Held {
    Key(Arc<ApiKey>, KeySecret, Option<ServicePrincipal>),
    Session(Session),
}

/// A credential found in the store.
#[derive(Debug)]
pub(super) struct Resolved {
    pub(super) token: Digest,
    pub(super) held: Held,
    /// The session's person; of a key its issuer, or the owner of the principal that acts with it.
    pub(super) account: Account,
    /// Of a session that an identity provider opened: the tenant whose provider it was.
    pub(super) vouched_by: Option<TenantId>,
    /// What was granted to who acts. Looked at with the time: an entry outlives a grant, what it allows does not.
    pub(super) granted: Arc<Granted>,
    read_at: DateTime<Utc>,
    /// Microseconds of the last time its use was noted.
    noted_at: AtomicI64,
    used: AtomicU64,
}

impl Resolved {
    pub(super) fn new(token: Digest, held: Held, account: Account, granted: Granted, read_at: DateTime<Utc>) -> Self {
        let noted = match &held {
            Held::Key(key, ..) => key.last_used_at,
            Held::Session(session) => Some(session.last_seen_at),
        };
        let noted_at = AtomicI64::new(noted.map_or(i64::MIN, |at| at.timestamp_micros()));
        let (granted, used) = (Arc::new(granted), AtomicU64::new(0));
        Self { token, held, account, vouched_by: None, granted, read_at, noted_at, used }
    }

    /// Opened by the identity provider of a tenant.
    pub(super) fn vouched_by(self, tenant: Option<TenantId>) -> Self {
        Self { vouched_by: tenant, ..self }
    }

    /// The epochs it was read under.
    pub(super) fn epochs(&self) -> impl Iterator<Item = (TenantId, u64)> {
        self.account.tenants.iter().map(|(tenant, _, epoch)| (tenant.id, *epoch))
    }

    /// Whether this use is to be noted; of many at once one is told so.
    pub(super) fn take_note(&self, now: DateTime<Utc>) -> bool {
        let before = self.noted_at.load(Ordering::Relaxed);
        let now = now.timestamp_micros();
        let due = now.saturating_sub(before) >= NOTED_EVERY.num_microseconds().unwrap_or(i64::MAX);
        due && self.noted_at.compare_exchange(before, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

/// The least recently used go first.
#[derive(Debug, Default)]
pub(super) struct Cache {
    entries: RwLock<HashMap<Digest, Arc<Resolved>>>,
    uses: AtomicU64,
}

impl Cache {
    pub(super) fn find(&self, token: Digest, now: DateTime<Utc>) -> Option<Arc<Resolved>> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.get(&token).filter(|entry| now - entry.read_at < MAX_AGE)?;
        entry.used.store(self.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        Some(Arc::clone(entry))
    }

    pub(super) fn keep(&self, entry: Arc<Resolved>) {
        entry.used.store(self.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= CAPACITY && !entries.contains_key(&entry.token) {
            let mut uses: Vec<u64> = entries.values().map(|entry| entry.used.load(Ordering::Relaxed)).collect();
            let (_, bound, _) = uses.select_nth_unstable(EVICTED);
            entries.retain(|_, entry| entry.used.load(Ordering::Relaxed) > *bound);
        }
        entries.insert(entry.token, entry);
    }

    /// Forgets a person, of whom something has changed that no epoch tells of.
    pub(super) fn forget_person(&self, id: UserId) {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|_, entry| entry.account.user.id != id);
    }

    pub(super) fn forget(&self, token: Digest) {
        self.entries.write().unwrap_or_else(PoisonError::into_inner).remove(&token);
    }
}
