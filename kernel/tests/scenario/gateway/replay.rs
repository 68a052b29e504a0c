//! Calls that come out of recorded ones.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use kernel::Error;
use kernel::gateway::Reply;
use kernel::ledger::{NewArtifact, Place};
use kernel::port::UpstreamKind;
use kernel::replay::{Change, Order, Recorded, Recording, Runner};
use serde_json::{Value, json};
use testkit::fake::Mood;
use types::id::RunId;
use types::problem::Code;
use types::replay::{ReplayKind, ReplayTools};
use types::run::{Capture, Content, Failure, Run, RunStatus, Source, Step};

use super::provider::{Act, whole, words};
use super::world::{World, ask, ask_stream, key, uuid};

/// More than lies in a row.
const LARGE: usize = 20_000;

fn read(artifact: &NewArtifact) -> Value {
    let Place::Inline(bytes) = &artifact.place else { panic!("in the row: {artifact:?}") };
    serde_json::from_slice(bytes).unwrap()
}

/// A run as a store would give it back, made of what the ledger was told.
fn recorded(world: &World, id: RunId) -> Recorded {
    let (new, (status, end)) = (world.new_run(id), world.run(id));
    let steps = world.new_steps(id).into_iter().zip(world.steps(id)).zip(1..);
    let steps = steps.map(|((new, (status, end)), seq)| Step {
        id: new.id,
        run_id: id,
        seq,
        parent_step_id: None,
        call_id: new.call_id,
        step_type: new.step_type,
        status,
        attempt_no: new.attempt_no,
        effect: new.effect,
        decision: new.decision,
        request_digest: new.request_digest,
        input: new.input,
        output: end.output,
        metrics: end.metrics,
        error: end.error,
        started_at: new.started_at,
        outbound_at: new.outbound_at,
        ended_at: Some(end.ended_at),
        latency_ms: Some(0),
        ttft_ms: end.ttft_ms,
    });
    let recordings = world.recordings();
    let of_run = recordings.iter().find(|artifact| artifact.run_id == Some(id)).expect("a recording");
    let recording: Recording = serde_json::from_value(read(of_run)).unwrap();
    let run = Run {
        id,
        workspace_id: super::world::scope().workspace_id,
        mode: new.mode,
        source: new.source,
        entry: new.entry,
        status,
        caller: new.caller,
        user_id: new.user_id,
        api_key_id: new.api_key_id,
        root_run_id: id,
        parent_run_id: None,
        source_run_id: new.source_run_id,
        attempt_no: new.attempt_no,
        capture: new.capture,
        trace_id: new.trace_id,
        request_id: new.request_id,
        policy_revision: new.policy_revision,
        sandbox: new.sandbox,
        model_ref: new.model_ref,
        input: Content::default(),
        output: end.output,
        labels: new.labels,
        started_at: new.started_at,
        ended_at: Some(end.ended_at),
        duration_ms: Some(0),
        error: end.error,
        totals: Default::default(),
        delivered: end.delivered,
        flags: end.flags,
        refusals: 0,
    };
    Recorded { run, steps: steps.collect(), request: recording.request.expect("a request"), calls: recording.calls }
}

fn order(kind: ReplayKind, source: RunId, from_seq: u32) -> Order {
    let run_id = RunId::from_uuid(uuid(77));
    let tools = Some(ReplayTools::Simulated);
    Order { run_id, kind, source_run_id: source, attempt_no: 1, from_seq, tools, change: Change::default() }
}

async fn start(world: &World, recorded: Recorded, order: Order) -> Result<RunId, Error> {
    let started = Arc::clone(&world.gateway).start(world.caller(key()), recorded, order).await;
    world.settled().await;
    started
}

/// The run of a call that is over.
async fn source(world: &World, body: Value) -> RunId {
    if let Ok(Reply::Stream(mut stream)) = world.chat(body).await {
        while stream.frames.next().await.is_some() {}
    }
    world.settled().await;
    world.only_run()
}

#[tokio::test(start_paused = true)]
async fn whatever_the_provider_did_is_repeated_at_once_without_it() {
    let fail = |kind| Act::Fail(kind, None);
    for (acts, body) in [
        (vec![whole("fine", 3, 4)], ask("model:acme:gpt")),
        (
            vec![fail(UpstreamKind::Status(500)), fail(UpstreamKind::Connect), whole("fine", 3, 4)],
            ask("model:acme:gpt"),
        ),
        (vec![fail(UpstreamKind::Status(400))], ask("model:acme:gpt")),
        (vec![Act::Whole(json!({ "no": "completion" }))], ask("model:acme:gpt")),
        (vec![words(&["a ", "b"], Duration::from_secs(1))], ask_stream("model:acme:gpt")),
        (
            vec![Act::Stream {
                frames: vec![super::provider::delta("half")],
                pause: Duration::ZERO,
                end: Some(UpstreamKind::Reset),
            }],
            ask_stream("model:acme:gpt"),
        ),
        (vec![Act::Stream { frames: Vec::new(), pause: Duration::ZERO, end: None }], ask_stream("model:acme:gpt")),
    ] {
        let world = World::new();
        world.provider.will(acts.clone());
        let id = source(&world, body).await;
        let (status, end) = world.run(id);
        let (calls, costs) = (world.provider.received.lock().unwrap().len(), world.costs().len());
        let before = tokio::time::Instant::now();
        let made = start(&world, recorded(&world, id), order(ReplayKind::Reexecute, id, 1)).await.unwrap();
        assert!(before.elapsed() < Duration::from_millis(200), "nobody waits for what is recorded: {acts:?}");
        let (repeated, repeated_end) = world.run(made);
        assert_eq!(repeated, status, "{acts:?}");
        assert_eq!(repeated_end.flags.last().map(String::as_str), Some("identical"), "{acts:?}");
        let code = |failure: Option<Failure>| failure.map(|failure| failure.code);
        assert_eq!((code(repeated_end.error), repeated_end.output.preview), (code(end.error), end.output.preview));
        assert_eq!(world.provider.received.lock().unwrap().len(), calls, "{acts:?}");
        assert_eq!((world.costs().len(), repeated_end.delivered), (costs, None));
        let run = world.new_run(made);
        assert_eq!((run.source, run.sandbox, run.source_run_id), (Source::Rehearsal, true, Some(id)));
        assert!(world.events(made).contains(&"run.replay_compared"));
        world.nothing_is_left();
    }
}

#[tokio::test(start_paused = true)]
async fn a_repetition_ends_where_it_would_send_something_else() {
    let world = World::new();
    world.provider.will([Act::Fail(UpstreamKind::Status(500), None), whole("fine", 3, 4)]);
    let id = source(&world, ask("model:acme:gpt")).await;
    let mut record = recorded(&world, id);
    record.calls[1].request_digest = "00".repeat(32);
    let made = start(&world, record, order(ReplayKind::Reexecute, id, 1)).await.unwrap();
    let (status, end) = world.run(made);
    let error = end.error.unwrap();
    assert_eq!((status, error.code.as_str()), (RunStatus::Failed, "replay_diverged"));
    assert_eq!(
        (end.flags, error.message.as_str()),
        (vec!["reexecuted".to_owned(), "diverged".to_owned()], "step 2 is not as it is in the record")
    );
    assert_eq!(world.steps(made).len(), 2);
    world.nothing_is_left();
}

/// The event stays when content is erased: it holds nothing of it, and nobody can guess it from what it holds.
#[tokio::test(start_paused = true)]
async fn a_difference_in_texts_is_told_without_them() {
    let world = World::new();
    world.provider.will([whole("fine", 3, 4)]);
    let id = source(&world, ask("model:acme:gpt")).await;
    let asked = ask("model:acme:gpt");
    let of_request = |record: &mut Recorded| {
        let written = json!({ "messages": [{ "role": "user", "content": "canary" }], "max_tokens": 7 });
        record.calls[0].request_digest = "00".repeat(32);
        record.calls[0].sent["written"] = json!(written.to_string());
    };
    let of_answer = |record: &mut Recorded| record.steps[0].output.preview = Some("canary".to_owned());
    for (change, name, chars) in [
        (&of_request as &dyn Fn(&mut Recorded), "messages", asked["messages"].to_string().len()),
        (&of_answer as &dyn Fn(&mut Recorded), "output", "fine".len()),
    ] {
        let mut record = recorded(&world, id);
        change(&mut record);
        let run_id = RunId::from_uuid(uuid(7_000 + u128::try_from(chars).unwrap()));
        let order = Order { run_id, ..order(ReplayKind::Reexecute, id, 1) };
        let made = start(&world, record, order).await.unwrap();
        let told = world.payload(made, "run.replay_compared");
        assert_eq!(told["outcome"], "diverged", "{told}");
        let text = told.to_string();
        assert!(!["canary", "how are you", "fine"].iter().any(|words| text.contains(words)), "{told}");
        let (expected, actual) = (&told["divergence"]["expected"], &told["divergence"]["actual"]);
        assert_eq!(actual[name]["chars"], chars, "{told}");
        assert!(expected[name]["commitment"].is_string() && expected[name] != actual[name], "{told}");
        if name == "messages" {
            assert_eq!((&expected["max_tokens"], &actual["max_tokens"]), (&json!(7), &json!(100)), "numbers are told");
        }
    }
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn fewer_attempts_than_recorded_are_a_difference() {
    let world = World::new();
    world.provider.will([Act::Fail(UpstreamKind::Status(500), None), whole("fine", 3, 4)]);
    let id = source(&world, ask("model:acme:gpt")).await;
    let record = recorded(&world, id);
    world.set_up(|snapshot| snapshot.providers[0].max_retries = 0);
    let made = start(&world, record, order(ReplayKind::Reexecute, id, 1)).await.unwrap();
    assert_eq!(world.run(made).1.flags, ["reexecuted", "diverged"]);
    assert_eq!(world.steps(made).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_gone_is_a_difference_and_who_may_not_call_it_is_refused() {
    let world = World::new();
    world.provider.will([whole("fine", 3, 4)]);
    let id = source(&world, ask("model:acme:gpt")).await;
    let record = recorded(&world, id);
    let limited = kernel::record::ApiKey { allowed_models: Some(Vec::new()), ..key() };
    let refused = Arc::clone(&world.gateway)
        .start(world.caller(limited), record.clone(), order(ReplayKind::Reexecute, id, 1))
        .await;
    let refused = refused.unwrap_err();
    world.settled().await;
    assert_eq!(refused.code(), Code::ModelNotAllowed);
    assert_eq!(world.run(refused.run_id().unwrap()).1.flags, ["reexecuted"]);
    world.set_up(|snapshot| snapshot.models.clear());
    let made = start(&world, record, order(ReplayKind::Reexecute, id, 1)).await.unwrap();
    assert_eq!(world.run(made).1.flags, ["reexecuted", "diverged"]);
}

#[tokio::test(start_paused = true)]
async fn a_fork_copies_the_steps_of_before_and_makes_the_rest() {
    let world = World::new();
    world.provider.will([Act::Fail(UpstreamKind::Status(500), None), whole("fine", 3, 4)]);
    let id = source(&world, ask("model:acme:gpt")).await;
    let record = recorded(&world, id);
    let (first, costs) = (record.steps[0].clone(), world.costs().len());
    world.provider.will([whole("other", 30, 40)]);
    let change = Change { model_ref: Some("model:acme:unknown".to_owned()), ..Change::default() };
    let made = start(&world, record, Order { change, ..order(ReplayKind::Fork, id, 2) }).await.unwrap();
    let steps = world.new_steps(made);
    assert_eq!((steps.len(), steps[0].metrics["replay_of"].clone()), (2, json!(first.id)));
    assert_eq!((steps[0].outbound_at, steps[0].call_id), (None, steps[1].call_id));
    assert_eq!((steps[1].attempt_no, steps[1].metrics["target_ref"].clone()), (2, json!("model:acme:unknown")));
    assert_eq!((world.costs().len(), world.run(made).0), (costs + 1, RunStatus::Succeeded));
    assert_eq!(world.run(made).1.flags, ["forked"]);
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_kept_whole_is_no_record() {
    let world = World::new();
    world.set_up(|snapshot| snapshot.workspace.content_capture = Capture::Redacted);
    world.provider.will([whole("fine", 3, 4)]);
    source(&world, ask("model:acme:gpt")).await;
    assert!(world.recordings().is_empty());

    // A store that takes nothing costs the record, and nothing else.
    let world = World::new();
    world.objects.set(Mood::Down);
    world.provider.will([whole(&"b".repeat(LARGE), 3, 4)]);
    let id = source(&world, ask("model:acme:gpt")).await;
    assert_eq!((world.recordings().len(), world.run(id).0), (0, RunStatus::Succeeded));

    // Answers that are too long leave the request.
    let world = World::new();
    world.provider.will([whole(&"b".repeat(5 * 1024 * 1024), 3, 4)]);
    let id = source(&world, ask("model:acme:gpt")).await;
    let record = recorded(&world, id);
    assert!(record.calls.is_empty());
    assert_eq!(record.calls_from(1).unwrap_err().code(), Code::ContentNotKept);
    world.provider.will([whole("short", 3, 4)]);
    let made = start(&world, record, order(ReplayKind::Rerun, id, 1)).await.unwrap();
    assert_eq!(world.run(made).1.output.preview.as_deref(), Some("short"));
}
