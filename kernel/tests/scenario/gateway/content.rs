//! Long texts: kept whole beside the beginning, where they may be kept and the store takes them.

use std::time::Duration;

use futures::StreamExt;
use kernel::gateway::{Frame, Operation, Reply, Request};
use kernel::ledger::{NewArtifact, Place};
use kernel::port::UpstreamKind;
use serde_json::Value;
use testkit::fake::Mood;
use types::problem::Code;
use types::run::{Capture, RunStatus};

use super::provider::{Act, whole, words};
use super::world::{World, ask, ask_stream, key};

/// More than lies in a row.
const LARGE: usize = 20_000;

fn asking(text: &str) -> Value {
    let mut body = ask("model:acme:gpt");
    body["messages"][0]["content"] = text.into();
    body
}

fn bytes(artifact: &NewArtifact) -> Vec<u8> {
    match &artifact.place {
        Place::Inline(bytes) => bytes.clone(),
        Place::Object(key) => panic!("{key} lies in the row"),
    }
}

#[tokio::test(start_paused = true)]
async fn short_texts_make_no_artifact() {
    let world = World::new();
    world.provider.will([whole(&"b".repeat(2048), 3, 4)]);
    let answer = world.answered(asking(&"a".repeat(2048))).await;
    let (_, end) = world.run(answer.facts.run_id);
    assert_eq!((end.input_artifact, end.output.artifact_id, end.flags.len()), (None, None, 0));
    assert_eq!((world.artifacts().len(), world.objects.puts()), (0, 0));
    assert_eq!(world.recordings().len(), 1, "what is needed to replay it is kept beside");
}

#[tokio::test(start_paused = true)]
async fn what_is_longer_than_a_preview_is_kept_whole_and_named_by_run_and_step() {
    let world = World::new();
    let (asked, said) = ("ä".repeat(2049), format!("{}\0", "b".repeat(3000)));
    world.provider.will([whole(&said, 3, 4)]);
    let run_id = world.answered(asking(&asked)).await.facts.run_id;
    let (_, end) = world.run(run_id);
    let steps = world.steps(run_id);
    let [(_, step)] = steps.as_slice() else { panic!("one step") };
    let artifacts = world.artifacts();
    let [input, output] = artifacts.as_slice() else { panic!("two artifacts: {artifacts:?}") };
    assert_eq!((end.input_artifact, end.output.artifact_id), (Some(input.id), Some(output.id)));
    assert_eq!((step.input_artifact, step.output.artifact_id), (Some(input.id), Some(output.id)));
    assert_eq!((bytes(input), bytes(output)), (asked.into_bytes(), said.into_bytes()));
    assert_eq!((input.run_id, input.step_id), (Some(run_id), None));
    assert_eq!((output.run_id, output.step_id), (Some(run_id), Some(step.step_id)));
    assert_eq!((input.mime.as_str(), input.size), ("text/plain; charset=utf-8", 4098));
    assert_eq!(world.objects.puts(), 0, "up to 16 KiB lie in the row");
}

#[tokio::test(start_paused = true)]
async fn what_is_large_lies_in_the_store_before_a_row_names_it() {
    let world = World::new();
    world.provider.will([whole(&"b".repeat(LARGE), 3, 4)]);
    world.answered(asking(&"a".repeat(LARGE))).await;
    let keys = world.objects.keys();
    assert_eq!((keys.len(), world.recordings().len()), (3, 1));
    for artifact in world.artifacts() {
        let Place::Object(key) = &artifact.place else { panic!("in the store: {artifact:?}") };
        assert!(keys.contains(key) && key.as_str().ends_with(&artifact.sha256.hex()), "{key}");
        assert_eq!(artifact.size, LARGE as u64);
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_kept_where_only_metadata_is() {
    for capture in [Capture::MetadataOnly, Capture::Redacted] {
        let world = World::new();
        world.set_up(|snapshot| snapshot.workspace.content_capture = capture);
        world.provider.will([whole(&"b".repeat(LARGE), 3, 4)]);
        let answer = world.answered(asking(&"a".repeat(LARGE))).await;
        let (_, end) = world.run(answer.facts.run_id);
        assert_eq!((end.input_artifact, end.output.artifact_id, end.flags.len()), (None, None, 0));
        assert_eq!((world.artifacts().len(), world.objects.puts()), (0, 0), "{capture}");
        assert!(world.recordings().is_empty(), "{capture}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_went_in_is_kept_once_however_many_attempts_it_takes() {
    let world = World::new();
    world.provider.will([Act::Fail(UpstreamKind::Status(500), None), whole("short", 3, 4)]);
    let run_id = world.answered(asking(&"a".repeat(3000))).await.facts.run_id;
    let steps = world.steps(run_id);
    assert_eq!(steps.len(), 2);
    let artifacts = world.artifacts();
    let [input] = artifacts.as_slice() else { panic!("one artifact: {artifacts:?}") };
    assert!(steps.iter().all(|(_, step)| step.input_artifact == Some(input.id)));
    assert_eq!(world.run(run_id).1.input_artifact, Some(input.id));
}

/// Long enough for the patience with the store, and no longer.
#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_delays_an_answer_by_two_seconds_and_is_then_left_alone() {
    let world = World::new();
    world.objects.set(Mood::Silent);
    world.provider.will([whole(&"b".repeat(LARGE), 3, 4)]);
    let started = tokio::time::Instant::now();
    let answer = world.answered(asking("short")).await;
    assert_eq!(started.elapsed().as_secs(), 2);
    let (status, end) = world.run(answer.facts.run_id);
    assert_eq!((status, end.output.artifact_id), (RunStatus::Succeeded, None));
    assert_eq!(
        (end.flags, end.output.preview.map(|text| text.len())),
        (vec!["content_not_kept".to_owned()], Some(2048))
    );
    assert!(answer.body.contains(&"b".repeat(LARGE)), "the caller has all of it");
    assert_eq!(world.costs().len(), 1);

    let started = tokio::time::Instant::now();
    let second = world.answered(asking("short")).await;
    assert_eq!((started.elapsed().as_secs(), world.objects.puts()), (0, 1), "nobody waits for it again so soon");
    assert_eq!(world.run(second.facts.run_id).1.flags, ["content_not_kept"]);

    world.objects.set(Mood::Well);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let third = world.answered(asking("short")).await;
    assert!(world.run(third.facts.run_id).1.output.artifact_id.is_some());
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_full_or_away_costs_the_content_and_nothing_else() {
    for mood in [Mood::Full, Mood::Down] {
        let world = World::new();
        world.objects.set(mood);
        world.provider.will([words(&[&"b".repeat(LARGE)], Duration::from_millis(1))]);
        let mut body = ask_stream("model:acme:gpt");
        body["messages"][0]["content"] = "a".repeat(3000).into();
        let (frames, failed) = world.streamed(body).await;
        assert!(failed.is_none() && !frames.is_empty());
        world.settled().await;
        let (status, end) = world.run(world.only_run());
        assert_eq!((status, end.flags), (RunStatus::Succeeded, vec!["content_not_kept".to_owned()]), "{mood:?}");
        assert!(end.input_artifact.is_some() && end.output.artifact_id.is_none(), "what lies in the row is kept");
        world.nothing_is_left();
    }
}

async fn under(world: &World, body: &Value) -> Result<(bool, Vec<String>), Code> {
    let headers = vec![("idempotency-key".to_owned(), b"a".to_vec())];
    let request = Request { operation: Operation::Chat, body: body.to_string().into_bytes(), headers };
    match world.gateway.complete(world.caller(key()), request).await {
        Ok(Reply::Whole(whole)) => Ok((whole.facts.is_replayed, vec![whole.body])),
        Ok(Reply::Stream(mut stream)) => {
            let mut frames = Vec::new();
            while let Some(frame) = stream.frames.next().await {
                if let Frame::Data(text) = frame {
                    frames.push(text);
                }
            }
            Ok((stream.facts.is_replayed, frames))
        }
        Err(refused) => Err(refused.error.code()),
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_answer_under_a_key_is_sealed_in_the_store_and_answered_again_from_there() {
    for act in [whole(&"b".repeat(LARGE), 3, 4), words(&[&"b".repeat(LARGE)], Duration::ZERO)] {
        let world = World::new();
        world.set_up(|snapshot| snapshot.workspace.content_capture = Capture::MetadataOnly);
        let is_stream = matches!(act, Act::Stream { .. });
        world.provider.will([act]);
        let body = if is_stream { ask_stream("model:acme:gpt") } else { ask("model:acme:gpt") };
        let first = under(&world, &body).await.unwrap();
        world.settled().await;
        let artifacts = world.artifacts();
        let [answer] = artifacts.as_slice() else { panic!("one artifact: {artifacts:?}") };
        assert!(answer.run_id.is_none() && answer.expires_at.is_some(), "{answer:?}");
        assert_eq!(world.objects.keys().len(), 1);

        let again = under(&world, &body).await.unwrap();
        assert_eq!((first.0, again.0), (false, true));
        assert_eq!(first.1, again.1);

        world.objects.set(Mood::Down);
        assert_eq!(
            under(&world, &body).await,
            Err(Code::StorageUnavailable),
            "to be tried again, without a second effect"
        );
        world.objects.set(Mood::Well);
        world.objects.tamper(&world.objects.keys()[0], vec![b'c'; LARGE]);
        assert_eq!(under(&world, &body).await, Err(Code::ArtifactCorrupt));
        assert_eq!(world.provider.received.lock().unwrap().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_answer_that_the_store_does_not_take_is_known_to_have_been_given() {
    let world = World::new();
    world.objects.set(Mood::Down);
    world.provider.will([whole(&"b".repeat(LARGE), 3, 4)]);
    let body = ask("model:acme:gpt");
    under(&world, &body).await.unwrap();
    world.settled().await;
    world.objects.set(Mood::Well);
    assert_eq!(under(&world, &body).await, Err(Code::ContentNotKept));
    assert_eq!(world.provider.received.lock().unwrap().len(), 1);
}
