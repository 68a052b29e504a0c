//! Providers that fail, in every way.

use std::time::Duration;

use kernel::ledger::Place;
use kernel::port::UpstreamKind;
use serde_json::json;
use types::problem::Code;
use types::run::{Capture, RunStatus, StepStatus};

use super::provider::{Act, delta, whole};
use super::world::{World, ask, ask_stream, budget, budget_counter};

fn fail(kind: UpstreamKind) -> Act {
    Act::Fail(kind, None)
}

#[tokio::test(start_paused = true)]
async fn each_failure_has_its_code_its_attempts_and_its_charge() {
    use UpstreamKind as U;
    for (kind, code, attempts, charged) in [
        (U::Connect, Code::UpstreamError, 3, false),
        (U::Reset, Code::UpstreamError, 3, true),
        (U::Timeout, Code::Timeout, 1, true),
        (U::Cut, Code::UpstreamError, 3, true),
        (U::Garbage, Code::UpstreamError, 3, true),
        (U::ErrorInBody, Code::UpstreamError, 3, false),
        (U::Credential, Code::SecretUnreadable, 1, false),
        (U::Status(400), Code::UpstreamInvalidRequest, 1, false),
        (U::Status(404), Code::UpstreamInvalidRequest, 1, false),
        (U::Status(401), Code::UpstreamError, 1, false),
        (U::Status(403), Code::UpstreamError, 1, false),
        (U::Status(408), Code::UpstreamError, 3, false),
        (U::Status(409), Code::UpstreamError, 3, false),
        (U::Status(429), Code::UpstreamRateLimited, 3, false),
        (U::Status(500), Code::UpstreamError, 3, false),
        (U::Status(503), Code::UpstreamError, 3, false),
        (U::Status(302), Code::UpstreamError, 1, false),
    ] {
        for body in [ask("model:acme:gpt"), ask_stream("model:acme:gpt")] {
            let world = World::new();
            world.provider.will([fail(kind)]);
            let refused = world.chat(body).await.unwrap_err();
            assert_eq!((refused.error.code(), refused.attempts), (code, Some(attempts)), "{kind:?}");
            world.settled().await;
            let run_id = refused.error.run_id().unwrap();
            let (status, end) = world.run(run_id);
            assert_eq!((status, end.error.unwrap().code), (RunStatus::Failed, code.to_string()), "{kind:?}");
            assert_eq!(world.steps(run_id).len(), usize::try_from(attempts).unwrap());
            assert!(world.steps(run_id).iter().all(|(status, _)| *status == StepStatus::Failed));
            let rows = if charged { usize::try_from(attempts).unwrap() } else { 0 };
            assert_eq!(world.costs().len(), rows, "{kind:?}");
            world.nothing_is_left();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_provider_says_of_its_failure_is_kept_in_the_recording_alone() {
    for (capture, kept) in [(Capture::Full, true), (Capture::Redacted, false), (Capture::MetadataOnly, false)] {
        for kind in [UpstreamKind::Status(400), UpstreamKind::Status(429), UpstreamKind::ErrorInBody] {
            let world = World::new();
            world.set_up(|snapshot| snapshot.workspace.content_capture = capture);
            world.provider.will([fail(kind)]);
            let refused = world.chat(ask("model:acme:gpt")).await.unwrap_err();
            assert!(refused.error.detail().ends_with(": as told"), "the caller is told: {}", refused.error.detail());
            world.settled().await;
            let run_id = refused.error.run_id().unwrap();
            let message = world.run(run_id).1.error.unwrap().message;
            assert!(message.starts_with("the provider ") && !message.contains("as told"), "{capture:?}: {message}");
            for (_, step) in world.steps(run_id) {
                assert_eq!(step.error.unwrap().message, message);
            }
            let tells = |place: &Place| match place {
                Place::Inline(bytes) => String::from_utf8_lossy(bytes).contains("as told"),
                Place::Object(_) => false,
            };
            assert_eq!(world.recordings().iter().any(|one| tells(&one.place)), kept, "{capture:?} {kind:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_passes_is_tried_again() {
    let world = World::new();
    world.provider.will([fail(UpstreamKind::Status(503)), fail(UpstreamKind::Connect), whole("at last", 1, 2)]);
    let answer = world.answered(ask("model:acme:gpt")).await;
    assert_eq!(answer.facts.attempts, 3);
    let run_id = answer.facts.run_id;
    let states: Vec<_> = world.steps(run_id).into_iter().map(|(status, _)| status).collect();
    assert_eq!(states, [StepStatus::Failed, StepStatus::Failed, StepStatus::Succeeded]);
    assert_eq!((world.run(run_id).0, world.costs().len()), (RunStatus::Succeeded, 1));
    assert_eq!(
        world.events(run_id),
        [
            "run.started",
            "step.opened",
            "step.closed",
            "step.opened",
            "step.closed",
            "step.opened",
            "step.closed",
            "run.finished"
        ]
    );
    world.settled().await;
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn rules_that_move_between_attempts_are_asked_again() {
    for allowed in [true, false] {
        let world = World::new();
        world.provider.will([Act::Fail(UpstreamKind::Status(429), Some(7)), whole("at last", 1, 2)]);
        let (answer, ()) = tokio::join!(world.chat(ask("model:acme:gpt")), async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            world.set_up(|snapshot| {
                snapshot.budgets = vec![budget("1", true)];
                snapshot.models[0].enabled = allowed;
            });
            world.raise_epoch();
        });
        world.settled().await;
        let run_id = world.only_run();
        let held = world.counter(budget_counter()).value;
        if allowed {
            assert!(answer.is_ok() && world.steps(run_id).len() == 2);
            assert_eq!((world.run(run_id).0, held), (RunStatus::Succeeded, 5_000), "the new budget pays");
        } else {
            let refused = answer.unwrap_err();
            assert_eq!((refused.error.code(), refused.attempts), (Code::UpstreamRateLimited, Some(1)));
            assert_eq!((world.run(run_id).0, held), (RunStatus::Failed, 0));
        }
        world.nothing_is_left();
    }
}

#[tokio::test(start_paused = true)]
async fn rules_that_move_between_attempts_never_make_a_run_keep_more_than_at_its_start() {
    for (before, after, kept) in [(Capture::MetadataOnly, Capture::Full, false), (Capture::Full, Capture::Full, true)] {
        let world = World::new();
        world.set_up(|snapshot| snapshot.workspace.content_capture = before);
        world.provider.will([Act::Fail(UpstreamKind::Status(429), Some(7)), whole("secret words", 1, 2)]);
        let (answer, ()) = tokio::join!(world.answered(ask("model:acme:gpt")), async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            world.set_up(|snapshot| snapshot.workspace.content_capture = after);
            world.raise_epoch();
        });
        world.settled().await;
        let (run_id, open) = (answer.facts.run_id, |text: Option<String>| text.is_some());
        assert_eq!(answer.facts.attempts, 2);
        assert_eq!(open(world.run(run_id).1.output.preview), kept);
        let outputs: Vec<_> = world.steps(run_id).into_iter().map(|(_, step)| open(step.output.preview)).collect();
        assert_eq!(outputs.last(), Some(&kept));
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_is_waited_for_as_long_as_it_asks_but_not_too_long() {
    let world = World::new();
    let started = tokio::time::Instant::now();
    world.provider.will([Act::Fail(UpstreamKind::Status(429), Some(7)), whole("x", 1, 1)]);
    world.answered(ask("model:acme:gpt")).await;
    assert_eq!(started.elapsed().as_secs(), 7);
    world.provider.will([Act::Fail(UpstreamKind::Status(429), Some(11))]);
    let refused = world.chat(ask("model:acme:gpt")).await.unwrap_err();
    assert_eq!((refused.attempts, refused.error.retry_after()), (Some(1), Some(11)));
}

#[tokio::test(start_paused = true)]
async fn all_attempts_share_one_deadline() {
    let world = World::new();
    world.set_up(|snapshot| {
        snapshot.providers[0].timeout_ms = Some(1_000);
        snapshot.providers[0].max_retries = 5;
    });
    world.provider.will([Act::Fail(UpstreamKind::Status(500), Some(1))]);
    let refused = world.chat(ask("model:acme:gpt")).await.unwrap_err();
    assert_eq!(refused.attempts, Some(1));
}

#[tokio::test(start_paused = true)]
async fn after_content_a_failure_is_told_in_the_stream_and_never_tried_again() {
    use UpstreamKind as U;
    for kind in [U::Reset, U::Cut, U::Garbage, U::ErrorInBody, U::Timeout] {
        let world = World::new();
        let frames = vec![delta("one "), delta("two "), delta("three")];
        world.provider.will([Act::Stream { frames, pause: Duration::ZERO, end: Some(kind) }]);
        let (data, failed) = world.streamed(ask_stream("model:acme:gpt")).await;
        let expected = if kind == U::Timeout { "timeout" } else { "upstream_error" };
        assert_eq!((data.len(), failed.as_deref()), (3, Some(expected)), "{kind:?}");
        let run_id = world.only_run();
        assert_eq!(world.run(run_id).0, RunStatus::Failed);
        assert_eq!(world.steps(run_id).len(), 1, "one attempt");
        assert_eq!(world.costs().len(), 1, "the words so far are charged");
        world.settled().await;
        world.nothing_is_left();
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_breaks_before_content_is_tried_again() {
    let world = World::new();
    let role = json!({ "choices": [{ "index": 0, "delta": { "role": "assistant" }, "finish_reason": null }] });
    let broken = Act::Stream { frames: vec![role], pause: Duration::ZERO, end: Some(UpstreamKind::Reset) };
    world.provider.will([broken, super::provider::words(&["fine"], Duration::ZERO)]);
    let (data, failed) = world.streamed(ask_stream("model:acme:gpt")).await;
    assert_eq!(failed, None);
    assert_eq!(data[0]["choices"][0]["delta"]["content"], "fine");
    assert_eq!(world.steps(world.only_run()).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_missing_end_mark_is_no_loss_after_the_finish_reason() {
    let world = World::new();
    let frames = vec![delta("whole"), super::provider::finish()];
    world.provider.will([Act::Stream { frames, pause: Duration::ZERO, end: Some(UpstreamKind::Cut) }]);
    let (_, failed) = world.streamed(ask_stream("model:acme:gpt")).await;
    assert_eq!((failed, world.run(world.only_run()).0), (None, RunStatus::Succeeded));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_no_completion_is_garbage() {
    let world = World::new();
    world.provider.will([Act::Whole(json!({ "hello": "world" }))]);
    let refused = world.chat(ask("model:acme:gpt")).await.unwrap_err();
    assert_eq!((refused.error.code(), refused.attempts), (Code::UpstreamError, Some(3)));
}

#[tokio::test(start_paused = true)]
async fn a_stream_beyond_its_cap_is_cut() {
    let world = World::new();
    let many = vec![delta("word "); 300];
    world.provider.will([Act::Stream { frames: many, pause: Duration::ZERO, end: None }]);
    let (data, failed) = world.streamed(ask_stream("model:acme:gpt")).await;
    assert_eq!(failed.as_deref(), Some("upstream_over_cap"));
    assert_eq!(data.len(), 165, "the cap of 100, 64 more, and the one too many");
    world.settled().await;
    world.nothing_is_left();
}
