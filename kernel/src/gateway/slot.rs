//! Calls at once to one account, from this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use types::id::ProviderId;

/// How many calls each account carries now. The built-in provider counts as one account.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots(Arc<Mutex<HashMap<Option<ProviderId>, u32>>>);

impl Slots {
    /// Takes a slot, if one is free.
    pub(super) fn take(&self, account: Option<ProviderId>, most: u32) -> Option<Slot> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(account).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Slot { slots: self.clone(), account })
    }

    /// Calls going on.
    pub(super) fn in_use(&self) -> usize {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        taken.values().map(|count| usize::try_from(*count).unwrap_or(usize::MAX)).sum()
    }
}

/// One call's place; free again once dropped, whatever way the call ended.
#[derive(Debug)]
pub(super) struct Slot {
    slots: Slots,
    account: Option<ProviderId>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut taken = self.slots.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.account) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_account_takes_no_more_until_one_leaves() {
        let slots = Slots::default();
        let first = slots.take(None, 2);
        let second = slots.take(None, 2);
        assert!(first.is_some() && second.is_some() && slots.take(None, 2).is_none());
        drop(first);
        assert!(slots.take(None, 2).is_some());
        drop(second);
        assert_eq!(slots.in_use(), 0);
    }
}
