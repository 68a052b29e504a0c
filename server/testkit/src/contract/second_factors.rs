//! Second factors, and the questions for them.

use std::time::Duration;

use kernel::ledger::Refusal;
use kernel::record::{Digest, MfaChallenge, Row, SecondFactor, TotpSeed};
use kernel::secret::Sealed;
use types::identity::SessionKind;

use super::{Store, applied, refused, seeded, seeded_as};
use crate::sample::{Sample, noon, put};

fn seed(number: u32) -> TotpSeed {
    let sealed = Sealed { key_id: "k".to_owned(), nonce: vec![1; 24], ciphertext: vec![2; 48] };
    TotpSeed { number, sealed }
}

fn factor(sample: &Sample) -> SecondFactor {
    SecondFactor {
        user_id: sample.user_id,
        active: Some((seed(1), noon())),
        pending: Some(seed(2)),
        seeds: 2,
        last_step: 59_000_000,
        recovery: vec![Digest([7; 32]), Digest([8; 32])],
        version: 1,
    }
}

/// With what is set up and not confirmed, or with nothing that counts any more.
pub async fn a_second_factor_is_read_as_it_was_written(store: &impl Store) {
    let sample = seeded(store).await;
    assert_eq!(store.find_second_factor(sample.user_id).await.expect("a read"), None);
    let first = factor(&sample);
    applied(store, sample.opening([put(Row::SecondFactor(first.clone()))])).await;
    assert_eq!(store.find_second_factor(sample.user_id).await.expect("a read"), Some(first.clone()));
    let bare = SecondFactor { active: None, pending: None, recovery: Vec::new(), version: 2, ..first };
    applied(store, sample.opening([put(Row::SecondFactor(bare.clone()))])).await;
    assert_eq!(store.find_second_factor(sample.user_id).await.expect("a read"), Some(bare));
    let other = seeded_as(store, "other", 2).await;
    assert_eq!(store.find_second_factor(other.user_id).await.expect("a read"), None);
}

/// By address, by id, by key: whatever is decided of a person is decided on it.
pub async fn an_account_knows_of_its_second_factor(store: &impl Store) {
    let sample = seeded(store).await;
    let known = async || {
        let account = store.find_account(sample.user_id).await.expect("a read").expect("the account");
        let key = store.find_key(sample.digest(0)).await.expect("a read").expect("the key");
        assert_eq!(key.account.second_factor, account.second_factor);
        account.second_factor
    };
    assert!(!known().await);
    let waiting = SecondFactor { active: None, recovery: Vec::new(), ..factor(&sample) };
    applied(store, sample.opening([put(Row::SecondFactor(waiting))])).await;
    assert!(!known().await, "what is not confirmed counts for nothing");
    applied(store, sample.opening([put(Row::SecondFactor(SecondFactor { version: 2, ..factor(&sample) }))])).await;
    assert!(known().await);
}

/// The use is part of the write.
pub async fn of_two_who_use_one_code_one_is_refused(store: &impl Store) {
    let sample = seeded(store).await;
    applied(store, sample.opening([put(Row::SecondFactor(factor(&sample)))])).await;
    let used = SecondFactor { last_step: 59_000_001, version: 2, ..factor(&sample) };
    applied(store, sample.opening([put(Row::SecondFactor(used.clone()))])).await;
    let refusal = refused(store, sample.opening([put(Row::SecondFactor(used))])).await;
    assert_eq!(refusal, Refusal::Version { table: "second factor", current: 2 });
}

/// Spent ones too, until they are forgotten.
pub async fn a_challenge_is_found_by_its_token_until_it_is_over(store: &impl Store) {
    let sample = seeded(store).await;
    let now = store.database_now().await.expect("a time");
    let challenge = |number: u8, expires_at| MfaChallenge {
        id: sample.ids().mfa_challenge(),
        user_id: sample.user_id,
        kind: SessionKind::Console,
        digest: sample.digest(number),
        wrong: 0,
        created_at: noon(),
        expires_at,
        spent_at: None,
        version: 1,
    };
    let (live, old) = (challenge(1, now + Duration::from_secs(300)), challenge(2, noon()));
    applied(store, sample.opening([&live, &old].map(|row| put(Row::MfaChallenge(row.clone()))))).await;
    let spent = MfaChallenge { wrong: 5, spent_at: Some(noon()), version: 2, ..live.clone() };
    applied(store, sample.opening([put(Row::MfaChallenge(spent.clone()))])).await;
    assert_eq!(store.find_challenge(sample.digest(1)).await.expect("a read"), Some(spent.clone()));
    assert_eq!(store.find_challenge(sample.digest(2)).await.expect("a read"), Some(old));
    assert_eq!(store.find_challenge(sample.digest(3)).await.expect("a read"), None);
    let twin = MfaChallenge { digest: live.digest, ..challenge(4, now) };
    let refusal = refused(store, sample.opening([put(Row::MfaChallenge(twin))])).await;
    assert_eq!(refusal, Refusal::Unique { constraint: "mfa_challenges_digest_key".to_owned() });
    assert_eq!(store.prune_challenges(10).await.expect("a deletion"), 1);
    assert_eq!(store.find_challenge(sample.digest(2)).await.expect("a read"), None);
    assert_eq!(store.find_challenge(sample.digest(1)).await.expect("a read"), Some(spent));
    assert_eq!(store.prune_challenges(10).await.expect("a deletion"), 0);
}
