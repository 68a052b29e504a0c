//! How far checkpoints are copied out.

use std::time::Duration;

use kernel::chain::{Checkpoint, Hash, Signature};
use kernel::context::Scope;
use types::id::ProcessId;

use super::{Store, applied, seeded, seeded_as};
use crate::sample::{Sample, noon};

const PLACE: &str = "place";

/// Seals the first entries of a chain, one each.
async fn sealed(store: &impl Store, sample: &Sample, numbers: std::ops::RangeInclusive<u64>) {
    for number in numbers {
        applied(store, sample.opening([sample.audit().into()])).await;
        let checkpoint = Checkpoint {
            number,
            first_seq: number,
            last_seq: number,
            root: Hash::of(&[b"root"]),
            head: Hash::of(&[b"head"]),
            previous: Hash::ZERO,
            sealed_at: noon(),
            key_id: "key_1".to_owned(),
            signature: Signature([7; 64]),
        };
        assert!(store.put_checkpoint(sample.scope, &checkpoint).await.expect("a write"));
    }
}

async fn waiting(store: &impl Store, place: &str) -> Vec<(Scope, u64)> {
    let waiting = store.list_uncopied(place, 10).await.expect("checkpoints");
    waiting.into_iter().map(|one| (one.scope, one.checkpoint.number)).collect()
}

/// Of each chain the next one; another place has got none yet.
pub async fn copies_are_in_order_and_remembered_by_place(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    assert!(waiting(store, PLACE).await.is_empty());
    sealed(store, &sample, 1..=3).await;
    sealed(store, &other, 1..=1).await;
    let found = waiting(store, PLACE).await;
    assert!(found.len() == 2 && found.contains(&(sample.scope, 1)) && found.contains(&(other.scope, 1)), "{found:?}");
    assert_eq!(store.list_uncopied(PLACE, 1).await.expect("checkpoints").len(), 1);
    for (number, next) in [(1, Some(2)), (1, Some(2)), (2, Some(3)), (3, None), (2, None)] {
        store.mark_copied(PLACE, sample.scope, number).await.expect("a write");
        let expected = next.map(|next| (sample.scope, next)).into_iter().chain([(other.scope, 1)]);
        let mut found = waiting(store, PLACE).await;
        found.sort_by_key(|(scope, _)| *scope != sample.scope);
        assert_eq!(found, expected.collect::<Vec<_>>(), "after {number}");
    }
    assert_eq!(waiting(store, "elsewhere").await.len(), 2);
}

/// Whoever has it goes on; it is free when its time is over.
pub async fn one_process_copies_at_a_time(store: &impl Store) {
    let sample = seeded(store).await;
    let [one, two] = [(); 2].map(|()| ProcessId::from_uuid(sample.ids().uuid()));
    let long = Duration::from_secs(600);
    assert!(store.lease_copies(PLACE, one, long).await.expect("an answer"));
    assert!(!store.lease_copies(PLACE, two, long).await.expect("an answer"));
    assert!(store.lease_copies("elsewhere", two, long).await.expect("an answer"));
    assert!(store.lease_copies(PLACE, one, Duration::ZERO).await.expect("an answer"));
    assert!(store.lease_copies(PLACE, two, long).await.expect("an answer"));
    assert!(!store.lease_copies(PLACE, one, long).await.expect("an answer"));
}
