//! What people say of runs.

use std::time::Duration;

use kernel::ledger::Refusal;
use kernel::port::Said;
use kernel::record::{Feedback, Row, User};
use types::feedback::Rating;
use types::id::{RunId, UserId};
use types::run::{RunFilter, RunMark};

use super::runs::found;
use super::{Store, applied, refused, seeded, seeded_as};
use crate::sample::{Sample, noon, open_run, put};

fn said(sample: &Sample, run_id: RunId, user_id: UserId, rating: Rating) -> Feedback {
    Feedback {
        id: sample.ids().feedback(),
        scope: sample.scope,
        run_id,
        user_id,
        rating,
        labels: vec!["wrong_tool".to_owned()],
        comment: Some("It said \"no\", 失败".to_owned()),
        created_at: noon(),
        updated_at: noon(),
        version: 1,
    }
}

async fn guest(store: &impl Store, sample: &Sample) -> UserId {
    let user = User { id: sample.ids().user(), email_key: "guest@sample.example".to_owned(), ..sample.user() };
    applied(store, sample.opening([put(Row::User(user.clone()))])).await;
    user.id
}

/// And says it anew, in their own row; nothing is there from outside.
pub async fn a_person_says_one_thing_of_a_run(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let guest = guest(store, &sample).await;
    let (run, quiet) = (sample.run(), sample.run());
    applied(store, sample.opening([open_run(&run), open_run(&quiet)])).await;
    let own = said(&sample, run.id, sample.user_id, Rating::Down);
    let theirs = Feedback { updated_at: noon() + Duration::from_secs(1), ..said(&sample, run.id, guest, Rating::Up) };
    applied(store, sample.opening([own.clone(), theirs.clone()].map(|said| put(Row::Feedback(said))))).await;
    let list = async |of: &Sample, run| store.list_feedback(of.scope, run).await.expect("a read");
    let by = |feedback: Feedback| Said { feedback, user: Some(sample.user().name) };
    assert_eq!(
        list(&sample, run.id).await,
        [theirs.clone(), own.clone()].map(by),
        "newest first, with what they are called"
    );
    assert_eq!(list(&sample, quiet.id).await, []);
    assert_eq!(list(&other, run.id).await, []);
    let find = async |of: &Sample, by| store.find_feedback(of.scope, run.id, by).await.expect("a read");
    assert_eq!(find(&sample, guest).await, Some(theirs));
    assert_eq!(find(&other, guest).await, None);

    let twice = said(&sample, run.id, sample.user_id, Rating::Up);
    let refusal = refused(store, sample.opening([put(Row::Feedback(twice))])).await;
    assert_eq!(refusal, Refusal::Unique { constraint: "feedback_run_id_user_id_key".to_owned() });
    let anew = Feedback { rating: Rating::Up, comment: None, labels: Vec::new(), version: 2, ..own };
    applied(store, sample.opening([put(Row::Feedback(anew.clone()))])).await;
    assert_eq!(find(&sample, sample.user_id).await, Some(anew.clone()));
    let refusal = refused(store, sample.opening([put(Row::Feedback(anew))])).await;
    assert_eq!(refusal, Refusal::Version { table: "feedback", current: 2 });
}

/// By any of it, beside what else marks them.
pub async fn runs_are_found_by_what_is_said_of_them(store: &impl Store) {
    let sample = seeded(store).await;
    let guest = guest(store, &sample).await;
    let runs = [(); 4].map(|()| sample.run());
    applied(store, sample.opening(runs.iter().map(open_run))).await;
    let rows = [
        said(&sample, runs[0].id, sample.user_id, Rating::Up),
        said(&sample, runs[1].id, sample.user_id, Rating::Down),
        said(&sample, runs[2].id, sample.user_id, Rating::Down),
        said(&sample, runs[2].id, guest, Rating::Up),
    ];
    applied(store, sample.opening(rows.map(|said| put(Row::Feedback(said))))).await;
    let ids = |indexes: &[usize]| indexes.iter().map(|index| runs[*index].id).collect::<Vec<_>>();
    let none = RunFilter::default;
    for (filter, expected) in [
        (RunFilter { feedback: vec![Rating::Up], ..none() }, &[0, 2][..]),
        (RunFilter { feedback: vec![Rating::Down], ..none() }, &[1, 2]),
        (RunFilter { feedback: vec![Rating::Up, Rating::Down], ..none() }, &[0, 1, 2]),
        (RunFilter { has: vec![RunMark::Feedback], ..none() }, &[0, 1, 2]),
        (RunFilter { has: vec![RunMark::Unpriced, RunMark::Feedback], ..none() }, &[0, 1, 2]),
        (RunFilter { has: vec![RunMark::Unpriced], ..none() }, &[]),
        (RunFilter { has: vec![RunMark::Feedback], feedback: vec![Rating::Up], ..none() }, &[0, 2]),
    ] {
        assert_eq!(found(store, &sample, filter.clone()).await, ids(expected), "{filter:?}");
    }
}
