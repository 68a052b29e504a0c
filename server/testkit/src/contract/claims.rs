//! Claims: one effect under a key, whoever asks how often.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use kernel::ledger::{Claim, ClaimEnd, ClaimKey, ClaimOutcome, ClaimStatus, Fence, LedgerError, NewClaim, Op, Refusal};
use kernel::secret::Sealed;
use types::id::{ProcessId, Uuid};

use super::{Store, applied, refused, seeded, seeded_as};
use crate::sample::Sample;

const FINGERPRINT: [u8; 32] = [7; 32];

fn key(sample: &Sample, text: &str) -> ClaimKey {
    ClaimKey::new(sample.scope, "usr_caller", text)
}

/// A claim by a process that never lived, unless one is named.
fn new_claim(sample: &Sample, key: &ClaimKey, holder: u128, at: DateTime<Utc>) -> NewClaim {
    NewClaim {
        key: key.clone(),
        fingerprint: FINGERPRINT,
        holder: Uuid::from_u128(holder),
        run_id: Some(sample.ids().run()),
        owner: Fence { process_id: ProcessId::from_uuid(Uuid::from_u128(99)), epoch: 1 },
        at,
        is_resent: false,
    }
}

fn claiming(claim: NewClaim) -> Op {
    Op::KeyClaim(Arc::new(claim))
}

fn outcome() -> ClaimOutcome {
    ClaimOutcome {
        status: 201,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: Some(Sealed { key_id: "k1".to_owned(), nonce: vec![1; 24], ciphertext: vec![0, 255, 2] }),
        artifact_id: None,
    }
}

fn finishing(key: &ClaimKey, holder: u128, expires_at: DateTime<Utc>) -> Op {
    let end = ClaimEnd { key: key.clone(), holder: Uuid::from_u128(holder), outcome: outcome(), expires_at };
    Op::KeyFinish(Arc::new(end))
}

fn releasing(key: &ClaimKey, holder: u128, expires_at: DateTime<Utc>) -> Op {
    Op::KeyRelease { key: key.clone(), holder: Uuid::from_u128(holder), expires_at }
}

async fn now(store: &impl Store) -> DateTime<Utc> {
    store.database_now().await.expect("a time")
}

async fn found(store: &impl Store, sample: &Sample, key: &ClaimKey) -> Option<Claim> {
    store.find_claim(sample.scope, key).await.expect("a read")
}

fn present(refusal: Refusal) -> Claim {
    match refusal {
        Refusal::Claimed(claim) => *claim,
        other => panic!("the key must be taken: {other:?}"),
    }
}

/// Of twenty at once one gets it; the others learn who has it, and later what came of it.
pub async fn a_key_is_claimed_once(store: &impl Store) {
    let sample = seeded(store).await;
    let (key, at) = (key(&sample, "once"), now(store).await);
    let claims: Vec<NewClaim> = (1..=20).map(|holder| new_claim(&sample, &key, holder, at)).collect();
    let sent = claims.iter().map(|claim| store.commit(sample.opening([claiming(claim.clone())])));
    let mut won = Vec::new();
    for (claim, result) in claims.iter().zip(join_all(sent).await) {
        match result {
            Ok(committed) => won.push((claim.clone(), committed.claim)),
            Err(LedgerError::Refused(Refusal::Claimed(_))) => {}
            Err(other) => panic!("the key is claimed or not: {other}"),
        }
    }
    let [(winner, told)] = won.as_slice() else { panic!("{} claimed it", won.len()) };
    let standing = found(store, &sample, &key).await.expect("a claim");
    assert_eq!((standing.status, standing.holder, standing.attempts), (ClaimStatus::InProgress, winner.holder, 1));
    assert_eq!((standing.run_id, standing.first_run_id), (winner.run_id, winner.run_id));
    assert_eq!((standing.fingerprint, standing.expires_at), (FINGERPRINT, None));
    assert_eq!(told.as_ref().map(|claim| claim.claimed_at), Some(standing.claimed_at));
    // Sent again by its holder, it is what it is.
    applied(store, sample.opening([claiming(winner.clone())])).await;

    let until = at + TimeDelta::hours(1);
    let holder = winner.holder.as_u128();
    applied(store, sample.closing([finishing(&key, holder, until)])).await;
    let done = found(store, &sample, &key).await.expect("a claim");
    assert_eq!((done.status, done.expires_at), (ClaimStatus::Completed, Some(until)));
    assert_eq!(done.outcome.as_deref(), Some(&outcome()));
    let repeat = new_claim(&sample, &key, 50, at);
    let present = present(refused(store, sample.opening([claiming(repeat)])).await);
    assert_eq!((present.status, present.run_id), (ClaimStatus::Completed, winner.run_id));
}

/// Whatever became of the first one.
pub async fn another_request_under_a_key_is_refused(store: &impl Store) {
    let sample = seeded(store).await;
    let (key, at) = (key(&sample, "other"), now(store).await);
    let other = |holder| NewClaim { fingerprint: [8; 32], ..new_claim(&sample, &key, holder, at) };
    applied(store, sample.opening([claiming(new_claim(&sample, &key, 1, at))])).await;
    assert_eq!(present(refused(store, sample.opening([claiming(other(2))])).await).status, ClaimStatus::InProgress);
    applied(store, sample.closing([releasing(&key, 1, at + TimeDelta::hours(1))])).await;
    assert_eq!(present(refused(store, sample.opening([claiming(other(3))])).await).status, ClaimStatus::Released);
}

/// The first run stays known, and how often it was tried.
pub async fn a_released_key_is_claimed_again(store: &impl Store) {
    let sample = seeded(store).await;
    let (key, at) = (key(&sample, "again"), now(store).await);
    let first = new_claim(&sample, &key, 1, at);
    applied(store, sample.opening([claiming(first.clone())])).await;
    applied(store, sample.closing([releasing(&key, 1, at + TimeDelta::hours(1))])).await;
    assert_eq!(found(store, &sample, &key).await.map(|claim| claim.status), Some(ClaimStatus::Released));
    let second = new_claim(&sample, &key, 2, at + TimeDelta::minutes(5));
    applied(store, sample.opening([claiming(second.clone())])).await;
    let claim = found(store, &sample, &key).await.expect("a claim");
    assert_eq!((claim.status, claim.attempts, claim.holder), (ClaimStatus::InProgress, 2, second.holder));
    assert_eq!((claim.run_id, claim.first_run_id, claim.claimed_at), (second.run_id, first.run_id, at));
    // In one batch as well: a refusal that is only recorded.
    let third = new_claim(&sample, &key, 3, at);
    applied(store, sample.closing([releasing(&key, 2, at + TimeDelta::hours(1))])).await;
    applied(store, sample.opening([claiming(third), releasing(&key, 3, at + TimeDelta::hours(1))])).await;
    let claim = found(store, &sample, &key).await.expect("a claim");
    assert_eq!((claim.status, claim.attempts, claim.first_run_id), (ClaimStatus::Released, 3, first.run_id));
}

/// Its batch is applied all the same.
pub async fn an_end_that_is_not_the_holders_changes_nothing(store: &impl Store) {
    let sample = seeded(store).await;
    let (key, at) = (key(&sample, "late"), now(store).await);
    let until = at + TimeDelta::hours(1);
    applied(store, sample.closing([finishing(&key, 1, until), releasing(&key, 1, until)])).await;
    assert_eq!(found(store, &sample, &key).await, None);
    applied(store, sample.opening([claiming(new_claim(&sample, &key, 1, at))])).await;
    let before = found(store, &sample, &key).await;
    applied(store, sample.closing([finishing(&key, 2, until), releasing(&key, 2, until)])).await;
    assert_eq!(found(store, &sample, &key).await, before);
    applied(store, sample.closing([finishing(&key, 1, until), releasing(&key, 1, until)])).await;
    assert_eq!(found(store, &sample, &key).await.map(|claim| claim.status), Some(ClaimStatus::Completed));
}

/// Who was taken for dead and was not had an effect nevertheless.
pub async fn a_key_let_go_for_the_dead_still_takes_its_outcome(store: &impl Store) {
    let sample = seeded(store).await;
    let (key, at) = (key(&sample, "slow"), now(store).await);
    let until = at + TimeDelta::hours(1);
    applied(store, sample.opening([claiming(new_claim(&sample, &key, 1, at))])).await;
    applied(store, sample.closing([releasing(&key, 1, until)])).await;
    applied(store, sample.closing([finishing(&key, 1, until)])).await;
    assert_eq!(found(store, &sample, &key).await.map(|claim| claim.status), Some(ClaimStatus::Completed));
}

/// A store that lost a claim gets it again, but not over the head of who took the key since.
pub async fn a_claim_sent_again_leaves_others_their_key(store: &impl Store) {
    let sample = seeded(store).await;
    let (key, at) = (key(&sample, "resent"), now(store).await);
    let resent = |holder| NewClaim { is_resent: true, ..new_claim(&sample, &key, holder, at) };
    applied(store, sample.closing([claiming(resent(1)), finishing(&key, 1, at + TimeDelta::hours(1))])).await;
    let mine = found(store, &sample, &key).await.expect("a claim");
    assert_eq!((mine.status, mine.holder), (ClaimStatus::Completed, Uuid::from_u128(1)));
    applied(store, sample.closing([claiming(resent(2)), finishing(&key, 2, at + TimeDelta::hours(2))])).await;
    assert_eq!(found(store, &sample, &key).await, Some(mine));
}

/// Those of the living are left alone, and those that ended.
pub async fn claims_of_the_dead_are_found(store: &impl Store) {
    let sample = seeded(store).await;
    let at = now(store).await;
    let owner = store.register(sample.ids().process(), "all", "0", false).await.expect("a fence");
    let [alive, dead, ended] = ["alive", "dead", "ended"].map(|text| key(&sample, text));
    let of_the_living = NewClaim { owner, ..new_claim(&sample, &alive, 1, at) };
    let of_the_dead = [(&dead, 2), (&ended, 3)].map(|(key, holder)| claiming(new_claim(&sample, key, holder, at)));
    applied(store, sample.opening(of_the_dead.into_iter().chain([claiming(of_the_living)]))).await;
    applied(store, sample.closing([releasing(&ended, 3, at + TimeDelta::hours(1))])).await;
    let found = store.dead_claims(10).await.expect("claims");
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((only.scope, &only.key, only.holder), (sample.scope, &dead, Uuid::from_u128(2)));
    store.close(owner).await.expect("a goodbye");
    assert_eq!(store.dead_claims(10).await.expect("claims").len(), 2);
    assert_eq!(store.dead_claims(1).await.expect("claims").len(), 1);
}

/// As often as one likes, once their time is over.
pub async fn claims_that_are_over_are_forgotten_and_may_be_made_anew(store: &impl Store) {
    let sample = seeded(store).await;
    let at = now(store).await;
    let [old, lasting, open] = ["old", "lasting", "open"].map(|text| key(&sample, text));
    let ends = [(&old, 1, at - TimeDelta::seconds(1)), (&lasting, 2, at + TimeDelta::hours(1))];
    for (key, holder, until) in ends {
        let ops = [claiming(new_claim(&sample, key, holder, at)), finishing(key, holder, until)];
        applied(store, sample.opening(ops)).await;
    }
    applied(store, sample.opening([claiming(new_claim(&sample, &open, 3, at))])).await;
    let anew = NewClaim { fingerprint: [9; 32], ..new_claim(&sample, &old, 4, at) };
    let committed = applied(store, sample.opening([claiming(anew.clone())])).await;
    let claim = committed.claim.expect("a claim");
    assert_eq!((claim.attempts, claim.claimed_at, claim.first_run_id), (1, at, anew.run_id), "a claim of its own");
    applied(store, sample.closing([finishing(&old, 4, at - TimeDelta::seconds(1))])).await;
    assert_eq!(store.prune_claims(10).await.expect("a number"), 1);
    assert_eq!(found(store, &sample, &old).await, None);
    assert!(found(store, &sample, &lasting).await.is_some() && found(store, &sample, &open).await.is_some());
    assert_eq!(store.prune_claims(10).await.expect("a number"), 0);
}

/// The same text of another caller, workspace or tenant.
pub async fn keys_of_others_are_other_keys(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let at = now(store).await;
    let own = key(&sample, "same");
    let of_another = ClaimKey::new(sample.scope, "usr_other", "same");
    let elsewhere = key(&other, "same");
    applied(store, sample.opening([claiming(new_claim(&sample, &own, 1, at))])).await;
    applied(store, sample.opening([claiming(new_claim(&sample, &of_another, 2, at))])).await;
    applied(store, other.opening([claiming(new_claim(&other, &elsewhere, 3, at))])).await;
    assert_eq!(store.find_claim(other.scope, &own).await.expect("a read"), None);
    assert_eq!(store.find_claim(sample.scope, &elsewhere).await.expect("a read"), None);
}

/// Which a repeat reads; its row has no bytes of the answer.
pub async fn a_long_answer_names_its_artifact(store: &impl Store) {
    let sample = seeded(store).await;
    let (key, at) = (key(&sample, "long"), now(store).await);
    let body = Sealed { key_id: "k1".to_owned(), nonce: vec![1; 24], ciphertext: Vec::new() };
    let outcome = ClaimOutcome { body: Some(body), artifact_id: Some(sample.ids().artifact()), ..outcome() };
    let end = ClaimEnd {
        key: key.clone(),
        holder: Uuid::from_u128(1),
        outcome: outcome.clone(),
        expires_at: at + TimeDelta::hours(1),
    };
    let ops = [claiming(new_claim(&sample, &key, 1, at)), Op::KeyFinish(Arc::new(end))];
    applied(store, sample.opening(ops)).await;
    let claim = found(store, &sample, &key).await.expect("a claim");
    assert_eq!(claim.outcome.as_deref(), Some(&outcome));
}
