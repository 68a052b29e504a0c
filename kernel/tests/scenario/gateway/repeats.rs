//! Calls under an `Idempotency-Key`: one effect, however often they are sent.

use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::StreamExt;
use kernel::gateway::{Frame, Operation, Refused, Reply, Request, Whole};
use kernel::port::UpstreamKind;
use kernel::record::ApiKey;
use serde_json::Value;
use types::id::{ApiKeyId, RunId};
use types::problem::Code;
use types::run::{Capture, RunStatus};

use super::provider::{Act, whole, words};
use super::world::{World, ask, ask_stream, budget, key, uuid};

async fn send(world: &World, caller: ApiKey, headers: &[(&str, &str)], body: &Value) -> Result<Reply, Refused> {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()));
    let request =
        Request { operation: Operation::Chat, body: body.to_string().into_bytes(), headers: headers.collect() };
    world.gateway.complete(world.caller(caller), request).await
}

async fn under(world: &World, text: &str, body: &Value) -> Result<Reply, Refused> {
    send(world, key(), &[("idempotency-key", text)], body).await
}

async fn answered(world: &World, text: &str, body: &Value) -> Whole {
    match under(world, text, body).await.unwrap() {
        Reply::Whole(whole) => whole,
        Reply::Stream(_) => panic!("a whole answer"),
    }
}

async fn refused(world: &World, text: &str, body: &Value) -> (Code, Option<RunId>) {
    let error = under(world, text, body).await.expect_err("a refusal").error;
    (error.code(), error.run_id())
}

async fn frames(reply: Reply) -> (RunId, bool, Vec<String>) {
    let Reply::Stream(mut stream) = reply else { panic!("a stream") };
    let mut data = Vec::new();
    while let Some(frame) = stream.frames.next().await {
        if let Frame::Data(text) = frame {
            data.push(text);
        }
    }
    (stream.facts.run_id, stream.facts.is_replayed, data)
}

fn late(after: Duration, text: &str) -> Act {
    let Act::Whole(body) = whole(text, 3, 4) else { panic!("a whole answer") };
    Act::Late(after, body)
}

fn calls(world: &World) -> usize {
    world.provider.received.lock().unwrap().len()
}

#[tokio::test(start_paused = true)]
async fn a_repeat_is_answered_as_the_first_one_was_and_costs_nothing() {
    let world = World::new();
    world.provider.will([whole("once", 3, 4)]);
    let first = answered(&world, "a", &ask("model:acme:gpt")).await;
    world.settled().await;
    let commits = world.ledger.commits.load(Ordering::SeqCst);
    let again = answered(&world, "a", &ask("model:acme:gpt")).await;
    assert_eq!((&again.body, again.facts.run_id, again.cost), (&first.body, first.facts.run_id, first.cost));
    assert_eq!((first.facts.is_replayed, again.facts.is_replayed), (false, true));
    assert_eq!((again.facts.model_ref, again.facts.attempts), (first.facts.model_ref, first.facts.attempts));
    assert_eq!(world.ledger.commits.load(Ordering::SeqCst), commits + 1, "it is counted, and that is all");
    assert_eq!((calls(&world), world.costs().len(), world.runs().len()), (1, 1, 1));

    // Another body, another caller, no key at all.
    let mut other = ask("model:acme:gpt");
    other["max_tokens"] = 7.into();
    assert_eq!(refused(&world, "a", &other).await.0, Code::IdempotencyConflict);
    world.provider.will([whole("two", 3, 4), whole("three", 3, 4)]);
    let stranger = ApiKey { id: ApiKeyId::from_uuid(uuid(77)), ..key() };
    let theirs = send(&world, stranger, &[("idempotency-key", "a")], &ask("model:acme:gpt")).await;
    assert!(matches!(theirs, Ok(Reply::Whole(whole)) if !whole.facts.is_replayed));
    world.answered(ask("model:acme:gpt")).await;
    assert_eq!(calls(&world), 3);
}

#[tokio::test(start_paused = true)]
async fn a_repeat_spends_the_minute_and_nothing_else() {
    let world = World::new();
    world.provider.will([whole("once", 3, 4)]);
    let limited = || ApiKey { rate_limit_per_minute: Some(60), daily_request_quota: Some(1), ..key() };
    let sent = [("idempotency-key", "a")];
    world.around.calls_left.store(2, Ordering::SeqCst);
    for _ in 0..2 {
        assert!(send(&world, limited(), &sent, &ask("model:acme:gpt")).await.is_ok(), "the day's only call, twice");
    }
    let third = send(&world, limited(), &sent, &ask("model:acme:gpt")).await.err().unwrap();
    assert_eq!(third.error.code(), Code::RateLimited);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_frees_its_key_and_the_next_try_is_another_run() {
    let world = World::new();
    world.set_up(|snapshot| snapshot.budgets = vec![budget("0.000001", true)]);
    let mut tries = Vec::new();
    for _ in 0..2 {
        let (code, run) = refused(&world, "a", &ask("model:acme:gpt")).await;
        assert_eq!(code, Code::BudgetExhausted);
        tries.extend(run);
    }
    assert_eq!(tries.len(), 2, "each try is a run of its own");
    world.set_up(|snapshot| snapshot.budgets = vec![budget("5", true)]);
    world.provider.will([whole("at last", 3, 4)]);
    let done = answered(&world, "a", &ask("model:acme:gpt")).await;
    let of = |run: RunId| {
        let run = world.new_run(run);
        (run.source_run_id, run.attempt_no)
    };
    assert_eq!(of(tries[0]), (None, 1));
    assert_eq!(of(tries[1]), (Some(tries[0]), 2));
    assert_eq!(of(done.facts.run_id), (Some(tries[0]), 3));
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_failure_of_the_provider_frees_the_key() {
    let world = World::new();
    world.provider.will([Act::Fail(UpstreamKind::Status(400), None), whole("well", 3, 4)]);
    assert!(under(&world, "a", &ask("model:acme:gpt")).await.is_err());
    world.settled().await;
    assert!(!answered(&world, "a", &ask("model:acme:gpt")).await.facts.is_replayed);
    assert_eq!(calls(&world), 2);
}

#[tokio::test(start_paused = true)]
async fn who_asks_while_the_first_is_at_it_is_told_its_run_or_waits_for_it() {
    let world = World::new();
    world.provider.will([late(Duration::from_secs(5), "slow")]);
    let asked = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let (code, run) = refused(&world, "a", &ask("model:acme:gpt")).await;
        assert_eq!((code, run), (Code::IdempotencyInFlight, Some(world.only_run())));
        let waiting = [("idempotency-key", "a"), ("prefer", "wait=2")];
        let gave_up = send(&world, key(), &waiting, &ask("model:acme:gpt")).await.unwrap_err();
        assert_eq!((gave_up.error.code(), gave_up.error.retry_after()), (Code::IdempotencyInFlight, Some(1)));
        let waiting = [("idempotency-key", "a"), ("prefer", "wait=30")];
        send(&world, key(), &waiting, &ask("model:acme:gpt")).await
    };
    let (first, Ok(Reply::Whole(waited))) = tokio::join!(answered_under(&world), asked) else { panic!("an answer") };
    assert_eq!((waited.body, waited.facts.is_replayed), (first.body, true));
    assert_eq!((calls(&world), world.runs().len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_stream_runs_on_without_its_client_and_is_answered_again_whole() {
    let world = World::new();
    world.provider.will([words(&["one ", "two ", "three"], Duration::from_secs(1))]);
    let Ok(Reply::Stream(mut stream)) = under(&world, "a", &ask_stream("model:acme:gpt")).await else {
        panic!("a stream")
    };
    let run_id = stream.facts.run_id;
    let Some(Frame::Data(head)) = stream.frames.next().await else { panic!("a frame") };
    drop(stream);
    world.settled().await;
    let (status, end) = world.run(run_id);
    assert_eq!((status, end.delivered), (RunStatus::Succeeded, Some(false)));
    let (again, is_replayed, data) = frames(under(&world, "a", &ask_stream("model:acme:gpt")).await.unwrap()).await;
    assert_eq!((again, is_replayed, &data[0]), (run_id, true, &head));
    let text: String = data
        .iter()
        .filter_map(|frame| {
            let frame: Value = serde_json::from_str(frame).unwrap();
            frame["choices"][0]["delta"]["content"].as_str().map(str::to_owned)
        })
        .collect();
    assert_eq!(text, "one two three");
    assert_eq!(calls(&world), 1);
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_kept_for_its_time_and_no_longer() {
    for capture in [Capture::Full, Capture::MetadataOnly] {
        let world = World::new();
        world.set_up(|snapshot| snapshot.workspace.content_capture = capture);
        world.provider.will([whole("one", 3, 4), whole("two", 3, 4)]);
        answered(&world, "a", &ask("model:acme:gpt")).await;
        tokio::time::sleep(Duration::from_secs(24 * 3600 - 60)).await;
        assert!(answered(&world, "a", &ask("model:acme:gpt")).await.facts.is_replayed);
        tokio::time::sleep(Duration::from_secs(120)).await;
        let anew = answered(&world, "a", &ask("model:acme:gpt")).await;
        assert!(!anew.facts.is_replayed);
        assert_eq!(world.new_run(anew.facts.run_id).attempt_no, 1, "nothing is remembered of the first");
    }
}

#[tokio::test(start_paused = true)]
async fn a_settlement_lands_though_the_store_lost_its_claim() {
    let world = World::new();
    world.provider.will([late(Duration::from_secs(2), "kept")]);
    let (first, ()) = tokio::join!(answered_under(&world), async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        world.ledger.forgets.store(true, Ordering::SeqCst);
    });
    world.settled().await;
    let again = answered(&world, "a", &ask("model:acme:gpt")).await;
    assert_eq!((again.facts.run_id, again.facts.is_replayed), (first.facts.run_id, true));
    world.nothing_is_left();
}

async fn answered_under(world: &World) -> Whole {
    answered(world, "a", &ask("model:acme:gpt")).await
}
