//! The epochs this process knows: what was decided under an older one is stale.
//!
//! Epochs raised by this process arrive with the commit; those of other processes by asking the store, twice a second and
//! whenever another process tells that it raised one.
//! Invariant: with other processes about, an answer of the store older than a second is worth nothing.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use types::id::TenantId;

/// How long the store's last answer is trusted.
const TRUSTED_FOR: Duration = Duration::from_secs(1);

/// Known epochs of tenants.
#[derive(Debug, Default)]
pub struct Epochs(RwLock<Known>);

#[derive(Debug, Default)]
struct Known {
    epochs: HashMap<TenantId, u64>,
    /// Monotonic time of the store's last answer; none while no other process can raise an epoch.
    asked: Option<Duration>,
}

impl Epochs {
    /// Notes epochs that were raised or read. They only grow.
    pub fn note(&self, epochs: &[(TenantId, u64)]) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for (tenant_id, epoch) in epochs {
            let entry = known.epochs.entry(*tenant_id).or_default();
            *entry = (*entry).max(*epoch);
        }
    }

    /// Whether decisions of these epochs still hold at a monotonic time.
    pub fn hold(&self, epochs: impl IntoIterator<Item = (TenantId, u64)>, now: Duration) -> bool {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.asked.is_none_or(|asked| now.saturating_sub(asked) <= TRUSTED_FOR)
            && epochs
                .into_iter()
                .all(|(tenant_id, epoch)| known.epochs.get(&tenant_id).is_none_or(|latest| *latest <= epoch))
    }

    /// The tenants to ask the store about.
    pub(super) fn tenants(&self) -> Vec<TenantId> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).epochs.keys().copied().collect()
    }

    /// The store answered at a monotonic time; from now on its answers must not grow old.
    pub(super) fn answered(&self, epochs: &[(TenantId, u64)], now: Duration) {
        self.note(epochs);
        self.0.write().unwrap_or_else(PoisonError::into_inner).asked = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raised_epoch_ends_what_was_decided_before() {
        let tenant = TenantId::from_uuid(types::id::Uuid::nil());
        let epochs = Epochs::default();
        assert!(epochs.hold([(tenant, 3)], Duration::ZERO));
        epochs.note(&[(tenant, 4)]);
        epochs.note(&[(tenant, 2)]);
        assert!(!epochs.hold([(tenant, 3)], Duration::ZERO));
        assert!(epochs.hold([(tenant, 4)], Duration::ZERO));
    }

    #[test]
    fn a_silent_store_ends_all_trust() {
        let epochs = Epochs::default();
        assert!(epochs.hold([], Duration::from_secs(100)));
        epochs.answered(&[], Duration::from_secs(100));
        assert!(epochs.hold([], Duration::from_secs(101)));
        assert!(!epochs.hold([], Duration::from_millis(101_001)));
    }
}
