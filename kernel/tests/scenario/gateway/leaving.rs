//! Clients that leave, and a process that has to.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use kernel::gateway::{Frame, Operation, Reply, Request};
use types::cost::PricingStatus;
use types::problem::Code;
use types::run::{RunStatus, StepStatus, UsageClass};

use super::provider::{Act, whole, words};
use super::world::{World, ask, ask_stream, key};

/// Starts a call and gives it up after a while.
async fn give_up(world: &World, body: serde_json::Value, after: Duration) {
    let request = Request { operation: Operation::Chat, body: body.to_string().into_bytes(), headers: Vec::new() };
    let call = world.gateway.complete(world.caller(key()), request);
    assert!(tokio::time::timeout(after, call).await.is_err(), "nothing is answered yet");
}

#[tokio::test(start_paused = true)]
async fn who_leaves_a_stream_ends_it_and_pays_for_the_words_so_far() {
    let world = World::new();
    world.provider.will([words(&["one ", "two ", "three ", "four"], Duration::from_secs(1))]);
    let Ok(Reply::Stream(mut stream)) = world.chat(ask_stream("model:acme:gpt")).await else { panic!("a stream") };
    stream.frames.next().await;
    stream.frames.next().await;
    drop(stream);
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(world.provider.open.load(std::sync::atomic::Ordering::SeqCst), 0, "the connection is closed at once");
    let run_id = world.only_run();
    let (status, end) = world.run(run_id);
    let error = end.error.unwrap();
    assert_eq!((status, error.code.as_str(), end.delivered), (RunStatus::Failed, "client_disconnected", Some(false)));
    let (status, step) = world.steps(run_id).remove(0);
    assert_eq!((status, step.error.unwrap().code.as_str()), (StepStatus::Canceled, "stream_abandoned"));
    let [cost] = world.costs().try_into().expect("one cost row");
    assert_eq!((cost.pricing_status, cost.usage.get(UsageClass::Output)), (PricingStatus::Estimated, 2));
    world.settled().await;
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn who_leaves_before_the_first_word_ends_the_stream_too() {
    let world = World::new();
    world.provider.will([Act::Hang]);
    give_up(&world, ask_stream("model:acme:gpt"), Duration::from_secs(3)).await;
    world.settled().await;
    let (_, end) = world.run(world.only_run());
    assert_eq!(end.error.unwrap().code, "client_disconnected");
    assert_eq!(world.costs()[0].usage.get(UsageClass::Output), 0);
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_whole_call_runs_on_without_its_caller() {
    let world = World::new();
    world.provider.will([whole("for nobody", 1, 2)]);
    let body = ask("model:acme:gpt").to_string().into_bytes();
    let request = Request { operation: Operation::Chat, body, headers: Vec::new() };
    let call = world.gateway.complete(world.caller(key()), request);
    // Polled once, so that the walk has begun, and dropped.
    assert!(futures::poll!(Box::pin(call)).is_pending());
    world.settled().await;
    let (status, end) = world.run(world.only_run());
    assert_eq!((status, end.delivered, world.costs().len()), (RunStatus::Succeeded, Some(false), 1));
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_nothing_counts_as_gone() {
    let world = World::new();
    world.set_up(|snapshot| snapshot.models[0].context_window = None);
    let long = "x".repeat(64 * 1024);
    let frames = vec![super::provider::delta(&long); 20];
    world.provider.will([Act::Stream { frames, pause: Duration::ZERO, end: None }]);
    let mut body = ask_stream("model:acme:gpt");
    body["max_tokens"] = serde_json::json!(10_000_000);
    let Ok(Reply::Stream(stream)) = world.chat(body).await else { panic!("a stream") };
    let started = tokio::time::Instant::now();
    world.settled().await;
    assert_eq!(started.elapsed().as_secs(), 120);
    assert_eq!(world.run(world.only_run()).1.error.unwrap().code, "client_disconnected");
    drop(stream);
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_process_that_ends_settles_what_it_cuts() {
    for body in [ask("model:acme:gpt"), ask_stream("model:acme:gpt")] {
        let world = Arc::new(World::new());
        world.provider.will([Act::Hang]);
        let life = Arc::clone(&world.life);
        let (refused, ()) = tokio::join!(world.chat(body), async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            life.abort();
        });
        assert_eq!(refused.unwrap_err().error.code(), Code::ShuttingDown);
        world.settled().await;
        let (status, end) = world.run(world.only_run());
        assert_eq!((status, end.error.unwrap().code.as_str()), (RunStatus::Failed, "process_shutdown"));
        assert_eq!(world.costs().len(), 1, "it was sent");
        world.nothing_is_left();
    }
}

#[tokio::test(start_paused = true)]
async fn a_thousand_abandoned_streams_leave_nothing() {
    let world = World::new();
    world.set_up(|snapshot| snapshot.providers[0].max_concurrency = 2_000);
    world.provider.will([words(&["a ", "b ", "c ", "d"], Duration::from_millis(100))]);
    let calls = (0..1_000_u64).map(|number| {
        let world = &world;
        async move {
            let Ok(Reply::Stream(mut stream)) = world.chat(ask_stream("model:acme:gpt")).await else {
                panic!("a stream")
            };
            for _ in 0..number % 4 {
                stream.frames.next().await;
            }
        }
    });
    futures::future::join_all(calls).await;
    world.settled().await;
    assert_eq!((world.runs().len(), world.costs().len()), (1_000, 1_000));
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_canceled_is_cut_and_pays_for_the_words_so_far() {
    for stream in [false, true] {
        let world = World::new();
        let (act, body) = match stream {
            false => (Act::Hang, ask("model:acme:gpt")),
            true => (words(&["one ", "two ", "three ", "four"], Duration::from_secs(1)), ask_stream("model:acme:gpt")),
        };
        world.provider.will([act]);
        let cancel = async {
            tokio::time::sleep(Duration::from_millis(2500)).await;
            world.gateway.cut(world.only_run());
        };
        let told = async {
            match world.chat(body).await {
                Err(refused) => refused.error.code(),
                Ok(Reply::Stream(stream)) => match stream.frames.collect::<Vec<_>>().await.pop() {
                    Some(Frame::Failed(error)) => error.code(),
                    other => panic!("a failed stream: {other:?}"),
                },
                Ok(Reply::Whole(_)) => panic!("nothing is answered"),
            }
        };
        let (told, ()) = tokio::join!(told, cancel);
        world.settled().await;
        let run_id = world.only_run();
        let (status, end) = world.run(run_id);
        assert_eq!(
            (told, status, end.error.unwrap().code.as_str()),
            (Code::RunCanceled, RunStatus::Canceled, "run_canceled")
        );
        let (status, step) = world.steps(run_id).remove(0);
        assert_eq!((status, step.error.unwrap().code.as_str()), (StepStatus::Canceled, "run_canceled"));
        assert_eq!(world.provider.open.load(std::sync::atomic::Ordering::SeqCst), 0, "the connection is closed");
        assert_eq!(world.costs().len(), 1, "what was sent is charged");
        world.nothing_is_left();
        // It is over here: nothing happens.
        world.gateway.cut(run_id);
    }
}
