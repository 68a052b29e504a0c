//! Calls that are answered.

use std::time::Duration;

use kernel::gateway::{Operation, Reply};
use kernel::port::SafetyVerdict;
use serde_json::{Value, json};
use types::cost::{PricingStatus, UsageBasis};
use types::problem::Code;
use types::run::{Capture, RunStatus, StepStatus, UsageClass};

use super::provider::{Act, delta, finish, whole, words};
use super::world::{World, ask, ask_stream, key};

#[tokio::test(start_paused = true)]
async fn a_whole_call_is_two_batches_and_leaves_the_truth() {
    let world = World::new();
    world.provider.will([whole("fine thanks", 10, 5)]);
    let answer = world.answered(ask("model:acme:gpt")).await;
    let run_id = answer.facts.run_id;
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body["id"], format!("chatcmpl-{run_id}"));
    assert_eq!(body["model"], "model:acme:gpt");
    assert_eq!(answer.cost.unwrap().to_string(), "USD 0.00002");
    assert_eq!(world.ledger.commits.load(std::sync::atomic::Ordering::SeqCst), 2);

    let (status, end) = world.run(run_id);
    assert_eq!(
        (status, end.delivered, end.output.preview.as_deref()),
        (RunStatus::Succeeded, Some(true), Some("fine thanks"))
    );
    assert_eq!(world.new_run(run_id).input.preview.as_deref(), Some("how are you"));
    assert_eq!(world.events(run_id), ["run.started", "step.opened", "step.closed", "run.finished"]);
    let [cost] = world.costs().try_into().expect("one cost row");
    assert_eq!((cost.pricing_status, cost.usage_basis), (PricingStatus::Priced, UsageBasis::Provider));
    assert_eq!((cost.usage.get(UsageClass::Input), cost.usage.get(UsageClass::Output)), (10, 5));
    assert_eq!((cost.upstream_id.as_deref(), cost.upstream_request_id.as_deref()), (Some("up-1"), Some("up-request")));
    let [(status, step)] = world.steps(run_id).try_into().expect("one step");
    assert_eq!(status, StepStatus::Succeeded);
    assert_eq!(step.metrics["sent"], true);
    let unjudged = json!({ "inbound": "not_configured", "outbound": "not_configured" });
    assert_eq!(step.metrics["gates"]["safety"], unjudged);
    assert_eq!(step.metrics["gates"]["egress"]["addresses"], json!(["1.1.1.1"]));
    let gates: Vec<_> =
        world.decision(run_id)["gates"].as_array().unwrap().iter().map(|gate| gate["gate"].clone()).collect();
    assert_eq!(gates, ["access", "model", "egress"]);
    world.settled().await;
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn what_goes_out_is_what_came_in_under_the_providers_name() {
    let world = World::new();
    world.provider.will([whole("x", 1, 1)]);
    let mut body = ask("model:acme:gpt");
    body["vendor"] = json!({ "z": [1.0], "a": null });
    body["user"] = json!("somebody");
    world.answered(body).await;
    let received = world.provider.received.lock().unwrap();
    let call = received.first().unwrap();
    assert_eq!(
        call.body.to_string(),
        r#"{"model":"gpt","messages":[{"role":"user","content":"how are you"}],"max_tokens":100,"vendor":{"z":[1.0],"a":null}}"#
    );
    let target = call.target.as_ref().unwrap();
    assert_eq!(target.url().as_str(), "https://api.acme.test/v1/chat/completions");
    assert_eq!(call.timeout, Duration::from_secs(180));
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_settled_before_its_end_and_watched_while_it_runs() {
    let world = World::new();
    world.provider.will([words(&["good ", "day"], Duration::from_millis(50))]);
    let mut body = ask_stream("model:acme:gpt");
    body["stream_options"] = json!({ "include_usage": true });
    let (data, failed) = world.streamed(body).await;
    assert_eq!(failed, None);
    let run_id = world.only_run();
    let (status, end) = world.run(run_id);
    assert_eq!((status, end.output.preview.as_deref()), (RunStatus::Succeeded, Some("good day")));
    assert_eq!(data[0]["choices"][0]["delta"], json!({ "role": "assistant", "content": "good " }));
    assert_eq!(data.last().unwrap()["usage"]["prompt_tokens"], 10);
    assert!(data.iter().all(|frame| frame["id"] == format!("chatcmpl-{run_id}")));
    assert_eq!(*world.around.deltas.lock().unwrap(), [(0, "good ".to_owned()), (5, "day".to_owned())]);
    assert_eq!(world.steps(run_id)[0].1.ttft_ms, Some(50));
    world.settled().await;
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn without_usage_the_answer_says_null_and_the_ledger_counts() {
    let world = World::new();
    let Act::Whole(mut body) = whole("one two three", 0, 0) else { unreachable!() };
    body.as_object_mut().unwrap().remove("usage");
    world.provider.will([Act::Whole(body)]);
    let answer = world.answered(ask("model:acme:gpt")).await;
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body["usage"], Value::Null);
    let [cost] = world.costs().try_into().unwrap();
    assert_eq!((cost.pricing_status, cost.usage_basis), (PricingStatus::Estimated, UsageBasis::Tokenizer));
    assert_eq!((cost.usage.get(UsageClass::Input), cost.usage.get(UsageClass::Output)), (3, 3));
}

#[tokio::test(start_paused = true)]
async fn usage_that_contradicts_itself_is_counted_instead() {
    let world = World::new();
    world.provider.will([whole("some words", 5, 0)]);
    let answer = world.answered(ask("model:acme:unknown")).await;
    let [cost] = world.costs().try_into().unwrap();
    // The tokenizer of this model is not public: three words count as four tokens.
    assert_eq!((cost.usage_basis, cost.usage.get(UsageClass::Input)), (UsageBasis::Calibrated, 4));
    assert_eq!(world.run(answer.facts.run_id).1.flags, ["usage_inconsistent"]);
    assert_eq!(world.steps(answer.facts.run_id)[0].1.metrics["usage_reported"]["prompt_tokens"], 5);
}

#[tokio::test(start_paused = true)]
async fn metadata_only_keeps_lengths_and_no_words() {
    let world = World::new();
    world.set_up(|snapshot| snapshot.workspace.content_capture = Capture::MetadataOnly);
    world.provider.will([whole("secret answer", 1, 2)]);
    let answer = world.answered(ask("model:acme:gpt")).await;
    let (_, end) = world.run(answer.facts.run_id);
    assert_eq!((end.output.preview, end.output.chars), (None, 13));
    assert_eq!(world.new_run(answer.facts.run_id).input.preview, None);
}

#[tokio::test(start_paused = true)]
async fn metadata_only_shows_nobody_the_words_while_they_come() {
    let world = World::new();
    world.set_up(|snapshot| snapshot.workspace.content_capture = Capture::MetadataOnly);
    let frames = vec![delta("secret words"), finish()];
    world.provider.will([Act::Stream { frames, pause: Duration::ZERO, end: None }]);
    let Ok(Reply::Stream(stream)) = world.chat(ask_stream("model:acme:gpt")).await else { panic!("a stream") };
    futures::StreamExt::collect::<Vec<_>>(stream.frames).await;
    assert!(world.around.deltas.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_safety_withholds_is_charged_and_not_given() {
    for body in [ask("model:acme:gpt"), ask_stream("model:acme:gpt")] {
        let world = World::new();
        *world.around.release.lock().unwrap() = SafetyVerdict::Block(vec!["pii.email".to_owned()]);
        let is_stream = body["stream"] == true;
        let frames = vec![delta("secret words"), finish()];
        let stream = Act::Stream { frames, pause: Duration::ZERO, end: None };
        world.provider.will([if is_stream { stream } else { whole("secret words", 1, 2) }]);
        let error = match world.chat(body).await {
            Err(refused) => refused.error,
            Ok(Reply::Stream(stream)) => {
                let frames: Vec<_> = futures::StreamExt::collect(stream.frames).await;
                match frames.last() {
                    Some(kernel::gateway::Frame::Failed(error)) => (**error).clone(),
                    last => panic!("an error at the end, not {last:?}"),
                }
            }
            Ok(Reply::Whole(_)) => panic!("the answer was given"),
        };
        assert_eq!(error.code(), Code::ContentBlocked);
        world.settled().await;
        let run_id = error.run_id().unwrap();
        assert_eq!(world.run(run_id).0, RunStatus::Failed);
        let [(status, step)] = world.steps(run_id).try_into().unwrap();
        assert_eq!((status, &step.metrics["gates"]["safety"]["outbound"]), (StepStatus::Failed, &json!("block")));
        assert_eq!(world.costs().len(), 1, "the provider worked");
        world.nothing_is_left();
    }
}

#[tokio::test(start_paused = true)]
async fn embeddings_take_ids_and_give_vectors() {
    let world = World::new();
    world.provider.will([Act::Whole(json!({ "data": [{ "embedding": [1, 2] }], "usage": { "prompt_tokens": 2 } }))]);
    let body = json!({ "model": "model:test:embed", "input": [7, 8], "encoding_format": "base64" });
    let Ok(Reply::Whole(answer)) = world.call(key(), Operation::Embeddings, body).await else { panic!("an answer") };
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body["data"][0]["embedding"], "AACAPwAAAEA=");
    assert_eq!(world.provider.received.lock().unwrap()[0].body["input"], "7 8");
    assert_eq!(world.costs()[0].operation, "embedding");
}

#[tokio::test(start_paused = true)]
async fn a_silent_provider_is_waited_for_aloud() {
    let world = World::new();
    world.provider.will([Act::Stream {
        frames: vec![delta("late"), finish()],
        pause: Duration::from_secs(50),
        end: None,
    }]);
    let Ok(Reply::Stream(stream)) = world.chat(ask_stream("model:acme:gpt")).await else { panic!("a stream") };
    let frames: Vec<_> = futures::StreamExt::collect(stream.frames).await;
    let kinds: String = frames
        .iter()
        .map(|frame| match frame {
            kernel::gateway::Frame::Data(_) => 'd',
            kernel::gateway::Frame::Wait => 'w',
            kernel::gateway::Frame::Failed(_) => 'f',
        })
        .collect();
    // Silence of 30 s, then every 15 s; content at 50 s and 100 s.
    assert_eq!(kinds, "wwdwwwdwww");
}
