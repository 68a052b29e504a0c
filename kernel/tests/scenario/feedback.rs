//! What people say of runs: one word of each, kept only where content is.

use std::sync::Arc;

use kernel::feedback::{self, Feedback};
use kernel::ledger::NewRun;
use kernel::port::Ledger;
use kernel::record::{Row, Workspace};
use testkit::fake::FakeStore;
use testkit::sample::{Sample, open_run, put};
use types::feedback::{GiveFeedback, Rating};
use types::identity::Role;
use types::problem::Code;
use types::run::Capture;

use crate::management::world::{World, scope};

fn said(rating: Rating, comment: Option<&str>) -> GiveFeedback {
    GiveFeedback { rating, labels: vec!["slow".to_owned()], comment: comment.map(str::to_owned) }
}

/// A run that keeps content, one that does not, and what is said of them.
async fn stage(world: &Arc<World>, content_capture: Capture) -> (FakeStore, Feedback, [NewRun; 2]) {
    let store = FakeStore::new();
    let mut sample = Sample::named("feedback", 3);
    sample.scope = scope();
    store.commit(sample.seed()).await.expect("a seed");
    let workspace = Workspace { content_capture, version: 2, ..sample.workspace() };
    let (open, silent) = (sample.run(), NewRun { capture: Capture::MetadataOnly, ..sample.run() });
    let ops = [put(Row::Workspace(workspace)), open_run(&open), open_run(&silent)];
    store.commit(sample.opening(ops)).await.expect("a batch");
    let feedback = Feedback::new(feedback::Ports {
        runs: Arc::new(store.clone()),
        feedbacks: Arc::new(store.clone()),
        directory: Arc::new(store.clone()),
        ledger: Arc::new(store.clone()),
        ids: world.clone(),
    });
    (store, feedback, [open, silent])
}

#[tokio::test]
async fn a_person_says_one_thing_and_says_it_anew() {
    let world = World::new();
    let (store, feedback, [run, _]) = stage(&world, Capture::Full).await;
    let ctx = world.caller(Role::Viewer);
    let first = feedback.give_feedback(&ctx, run.id, &said(Rating::Down, Some(" too slow \0"))).await.unwrap();
    assert_eq!((first.rating, first.comment.as_deref()), (Rating::Down, Some("too slow \u{FFFD}")));
    // Said twice it is one thing.
    let twice = feedback.give_feedback(&ctx, run.id, &said(Rating::Down, Some("too slow \0"))).await.unwrap();
    assert_eq!(twice, first);
    let anew = feedback.give_feedback(&ctx, run.id, &said(Rating::Up, None)).await.unwrap();
    assert_eq!((anew.id, anew.rating, anew.comment.clone()), (first.id, Rating::Up, None));
    assert_eq!(feedback.list_feedback(&ctx, run.id).await.unwrap(), [anew]);

    let audit = store.audit(scope());
    let names: Vec<&str> = audit.iter().map(|row| row.event_type.as_str()).collect();
    assert_eq!(names, ["feedback.created", "feedback.replaced"]);
    assert!(audit.iter().all(|row| row.run_id == Some(run.id) && !row.payload.to_string().contains("too slow")));
}

#[tokio::test]
async fn where_no_content_is_kept_a_comment_is_refused_and_the_rest_is_not() {
    let world = World::new();
    let ctx = world.caller(Role::Dev);
    for (capture, runs) in [(Capture::Full, &[1][..]), (Capture::MetadataOnly, &[0, 1]), (Capture::Redacted, &[0, 1])] {
        let (store, feedback, both) = stage(&world, capture).await;
        for index in runs {
            let run = &both[*index];
            let error = feedback.give_feedback(&ctx, run.id, &said(Rating::Up, Some("canary"))).await.unwrap_err();
            assert_eq!((error.code(), error.field()), (Code::Invalid, Some("comment")), "{capture} {index}");
            assert!(!error.problem().errors[0].message.contains("canary"));
            assert_eq!(feedback.list_feedback(&ctx, run.id).await.unwrap(), []);
            feedback.give_feedback(&ctx, run.id, &said(Rating::Up, Some("  "))).await.unwrap();
            feedback.give_feedback(&ctx, run.id, &said(Rating::Down, None)).await.unwrap();
        }
        assert!(store.audit(scope()).iter().all(|row| !row.payload.to_string().contains("canary")));
    }
}

#[tokio::test]
async fn what_is_wrong_is_named_and_what_is_not_there_is_not_found() {
    let world = World::new();
    let (_, feedback, [run, _]) = stage(&world, Capture::Full).await;
    let ctx = world.caller(Role::Owner);
    let long = "x".repeat(2_001);
    let labels = |labels: &[&str]| GiveFeedback {
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        ..said(Rating::Up, None)
    };
    for (command, field) in [
        (said(Rating::Up, Some(&long)), "comment"),
        (labels(&["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]), "labels"),
        (labels(&["Not a label"]), "labels[0]"),
        (labels(&["a", "a"]), "labels[1]"),
        (labels(&[""]), "labels[0]"),
    ] {
        let error = feedback.give_feedback(&ctx, run.id, &command).await.unwrap_err();
        assert_eq!((error.code(), error.field()), (Code::Invalid, Some(field)), "{command:?}");
    }
    let unknown = "run_01jz8k0000000000000000000a".parse().unwrap();
    let error = feedback.give_feedback(&ctx, unknown, &said(Rating::Up, None)).await.unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
    assert_eq!(feedback.list_feedback(&ctx, unknown).await.unwrap_err().code(), Code::NotFound);
}
