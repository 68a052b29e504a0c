//! Content that is kept whole.

use std::sync::Arc;

use chrono::TimeDelta;
use kernel::ledger::{NewArtifact, Op, Place, Refusal, RunEnd, StepEnd};
use kernel::port::{Expired, ObjectKey};
use kernel::record::Digest;
use types::artifact::ArtifactKind;
use types::id::{ArtifactId, RunId};
use types::run::{Content, RunStatus};

use super::{Store, applied, refused, seeded, seeded_as};
use crate::sample::{Sample, noon, open_run, open_step, run_end, step_end};

fn artifact(sample: &Sample, run_id: Option<RunId>, place: Place) -> NewArtifact {
    NewArtifact {
        id: sample.ids().artifact(),
        run_id,
        step_id: None,
        kind: ArtifactKind::File,
        mime: "text/plain; charset=utf-8".to_owned(),
        size: 5,
        sha256: sample.digest(7),
        place,
        expires_at: None,
    }
}

fn object(sample: &Sample, number: u8) -> ObjectKey {
    ObjectKey::new(noon().date_naive(), sample.scope, &Digest([number; 32]))
}

fn add(artifact: &NewArtifact) -> Op {
    Op::ArtifactAdd(Arc::new(artifact.clone()))
}

/// Whether its bytes lie in the row or not.
pub async fn an_artifact_is_read_as_it_was_written(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let step = sample.step(run.id);
    let inline = NewArtifact {
        step_id: Some(step.id),
        kind: ArtifactKind::Json,
        mime: "application/json".to_owned(),
        ..artifact(&sample, Some(run.id), Place::Inline(vec![0, 255, b'[', b']', 0]))
    };
    let large = artifact(&sample, Some(run.id), Place::Object(object(&sample, 1)));
    let ops = [open_run(&run), open_step(&step), add(&inline), add(&large)];
    applied(store, sample.opening(ops)).await;

    let listed = store.list_artifacts(sample.scope, run.id).await.expect("a list");
    assert_eq!(listed.len(), 2);
    for (of, listed) in [inline, large].into_iter().zip(listed) {
        let found = store.find_artifact(sample.scope, of.id).await.expect("a read").expect("an artifact");
        assert_eq!(found.place, of.place);
        assert_eq!(found.artifact, listed);
        assert_eq!((listed.id, listed.run_id, listed.step_id), (of.id, of.run_id, of.step_id));
        assert_eq!((listed.kind, listed.mime, listed.size), (of.kind, of.mime, of.size));
        assert_eq!(listed.sha256, of.sha256.hex());
    }
}

/// And to nobody else; one that names a run that is not there is refused.
pub async fn an_artifact_belongs_to_its_run_and_workspace(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let (run, second) = (sample.run(), sample.run());
    let kept = artifact(&sample, Some(run.id), Place::Inline(b"bytes".to_vec()));
    applied(store, sample.opening([open_run(&run), open_run(&second), add(&kept)])).await;
    assert_eq!(store.list_artifacts(sample.scope, second.id).await.expect("a list"), []);
    assert_eq!(store.list_artifacts(other.scope, run.id).await.expect("a list"), []);
    assert_eq!(store.find_artifact(other.scope, kept.id).await.expect("a read"), None);
    for foreign in [run.id, other.ids().run()] {
        let stray = artifact(&other, Some(foreign), Place::Inline(Vec::new()));
        assert_eq!(refused(store, other.opening([add(&stray)])).await, Refusal::Missing { what: "run" });
    }
    let missing = store.find_artifact(sample.scope, ArtifactId::from_uuid(sample.ids().uuid())).await;
    assert_eq!(missing.expect("a read"), None);
}

/// In the batch that closes a step and ends its run.
pub async fn ends_name_what_went_in_and_came_out(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let step = sample.step(run.id);
    applied(store, sample.opening([open_run(&run), open_step(&step)])).await;
    let input = artifact(&sample, Some(run.id), Place::Inline(b"input".to_vec()));
    let output = artifact(&sample, Some(run.id), Place::Object(object(&sample, 1)));
    let content = Content { artifact_id: Some(output.id), ..run_end().output };
    let closed = StepEnd { input_artifact: Some(input.id), output: content.clone(), ..step_end(step.id) };
    let ended = RunEnd { input_artifact: Some(input.id), output: content, ..run_end() };
    let ops = [
        add(&input),
        add(&output),
        Op::StepClose(Arc::new(closed)),
        Op::RunMove { run_id: run.id, to: RunStatus::Succeeded, end: Some(Arc::new(ended)) },
    ];
    applied(store, sample.closing(ops)).await;

    let found = store.find_run(sample.scope, run.id).await.expect("a read").expect("the run");
    let steps = store.list_steps(sample.scope, run.id).await.expect("a read");
    for (went_in, came_out) in [(&found.input, &found.output), (&steps[0].input, &steps[0].output)] {
        assert_eq!((went_in.artifact_id, came_out.artifact_id), (Some(input.id), Some(output.id)));
    }
    let quick = sample.run();
    let step = sample.step(quick.id);
    let closed = StepEnd { input_artifact: Some(input.id), ..step_end(step.id) };
    let ended = RunEnd { input_artifact: Some(input.id), ..run_end() };
    let ops = [
        open_run(&quick),
        open_step(&step),
        Op::StepClose(Arc::new(closed)),
        Op::RunMove { run_id: quick.id, to: RunStatus::Succeeded, end: Some(Arc::new(ended)) },
    ];
    applied(store, sample.opening(ops)).await;
    let found = store.find_run(sample.scope, quick.id).await.expect("a read").expect("the run");
    assert_eq!((found.input.artifact_id, found.output.artifact_id), (Some(input.id), None));
}

/// Of any workspace.
pub async fn an_object_is_named_by_any_row(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    for of in [&sample, &other] {
        applied(store, of.opening([add(&artifact(of, None, Place::Object(object(of, 1))))])).await;
    }
    let asked = [object(&sample, 1), object(&sample, 2), object(&other, 1)];
    let named = store.named_objects(&asked).await.expect("a read");
    assert_eq!(named, [asked[0].clone(), asked[2].clone()].into());
    assert!(store.named_objects(&[]).await.expect("a read").is_empty());
}

/// By the store's clock; an object that another row names as well stays.
pub async fn artifacts_go_when_their_time_is_over(store: &impl Store) {
    let sample = seeded(store).await;
    let of = |place, expires_at| NewArtifact { expires_at, ..artifact(&sample, None, place) };
    let (over, later) = (Some(noon()), Some(noon() + TimeDelta::days(36_500)));
    let gone = of(Place::Object(object(&sample, 1)), over);
    let shared = of(Place::Object(object(&sample, 2)), over);
    let inline = of(Place::Inline(b"bytes".to_vec()), over);
    let stay = [of(Place::Object(object(&sample, 2)), None), of(Place::Object(object(&sample, 3)), later)];
    let rows = [&gone, &shared, &inline].into_iter().chain(&stay);
    applied(store, sample.opening(rows.map(add))).await;

    let mut expired = store.expired_artifacts(10).await.expect("a read");
    expired.sort_by_key(|expired| expired.id);
    let object = |artifact: &NewArtifact| Expired { id: artifact.id, object: Some(object(&sample, 1)) };
    let bare = |artifact: &NewArtifact| Expired { id: artifact.id, object: None };
    assert_eq!(expired, [object(&gone), bare(&shared), bare(&inline)]);
    assert_eq!(store.expired_artifacts(2).await.expect("a read").len(), 2);
    let ids: Vec<ArtifactId> = [&gone, &shared, &inline].into_iter().chain(&stay).map(|artifact| artifact.id).collect();
    store.delete_expired(&ids).await.expect("a deletion");
    store.delete_expired(&[]).await.expect("nothing to delete");
    assert_eq!(store.expired_artifacts(10).await.expect("a read"), []);
    for artifact in &stay {
        assert!(
            store.find_artifact(sample.scope, artifact.id).await.expect("a read").is_some(),
            "its time is not over"
        );
    }
    assert_eq!(store.find_artifact(sample.scope, gone.id).await.expect("a read"), None);
}
