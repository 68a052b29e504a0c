//! Following a run: no gap, no repeat, and an end.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use kernel::observe::RunItem;
use kernel::port::{Heard, LiveEvent};
use types::identity::Role;
use types::problem::Code;
use types::run::RunStatus;

use super::world::{World, run_id, scope};

fn running() -> Arc<World> {
    let world = World::new();
    world.rows().run = Some(RunStatus::Running);
    world
}

async fn follow(world: &Arc<World>, after: u64) -> BoxStream<'static, RunItem> {
    world.observe().stream_run(world.caller(Role::Viewer), run_id(), after).await.unwrap()
}

/// Everything that is there at this moment, by offset or name.
fn ready(stream: &mut BoxStream<'static, RunItem>) -> Vec<String> {
    let mut seen = Vec::new();
    while let Some(Some(item)) = stream.next().now_or_never() {
        seen.push(match item {
            RunItem::Event(event) => event.offset.to_string(),
            RunItem::Delta { offset, chars, text } => format!("{offset}/{chars} {text}"),
            RunItem::Lagged => "lagged".to_owned(),
            RunItem::End => "end".to_owned(),
            RunItem::Closed(code) => format!("closed {code}"),
        });
    }
    seen
}

#[tokio::test]
async fn what_is_stored_comes_first_and_nothing_twice() {
    let world = running();
    let [first, second] = ["run.started", "step.opened"].map(|name| world.store_event(name));
    let mut stream = follow(&world, 0).await;
    // Both were committed after the reader subscribed and before it read.
    world.tell(LiveEvent::Stored(first));
    world.tell(LiveEvent::Stored(second.clone()));
    assert_eq!(ready(&mut stream), ["1", "2"]);
    world.tell(LiveEvent::Stored(second));
    let third = world.store_event("step.closed");
    world.tell(LiveEvent::Stored(third));
    assert_eq!(ready(&mut stream), ["3"]);
}

#[tokio::test]
async fn a_jump_sends_the_reader_to_the_store() {
    let world = running();
    world.store_event("run.started");
    let mut stream = follow(&world, 0).await;
    assert_eq!(ready(&mut stream), ["1"]);
    world.store_event("step.opened");
    let third = world.store_event("step.closed");
    world.tell(LiveEvent::Stored(third));
    assert_eq!(ready(&mut stream), ["2", "3"]);
}

#[tokio::test]
async fn another_process_only_says_that_something_changed() {
    let world = running();
    let mut stream = follow(&world, 0).await;
    assert_eq!(ready(&mut stream), Vec::<String>::new());
    world.store_event("run.started");
    world.store_event("run.finished");
    world.rows().run = Some(RunStatus::Succeeded);
    world.tell(LiveEvent::RunChanged(scope(), run_id()));
    assert_eq!(ready(&mut stream), ["1", "2", "end"]);
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn the_word_that_there_may_be_more_leads_to_the_store_and_says_nothing_by_itself() {
    let world = running();
    let mut stream = follow(&world, 0).await;
    world.hear(&Heard::More);
    assert_eq!(ready(&mut stream), Vec::<String>::new());
    world.store_event("run.started");
    world.hear(&Heard::More);
    assert_eq!(ready(&mut stream), ["1"]);
}

#[tokio::test]
async fn a_lost_word_costs_seconds_and_no_event() {
    let world = running();
    let mut stream = follow(&world, 0).await;
    assert_eq!(ready(&mut stream), Vec::<String>::new());
    world.store_event("run.started");
    for _ in 0..4 {
        world.ring();
        assert_eq!(ready(&mut stream), Vec::<String>::new());
    }
    world.ring();
    assert_eq!(ready(&mut stream), ["1"]);
}

#[tokio::test]
async fn a_run_that_is_over_ends_at_once_also_without_a_last_event() {
    let world = running();
    world.store_event("run.started");
    world.rows().run = Some(RunStatus::Failed);
    assert_eq!(ready(&mut follow(&world, 0).await), ["1", "end"]);
    assert_eq!(ready(&mut follow(&world, 1).await), ["end"]);
}

#[tokio::test]
async fn a_reader_goes_on_where_it_left_off_and_not_beyond_the_end() {
    let world = running();
    for name in ["run.started", "step.opened", "step.closed"] {
        world.store_event(name);
    }
    assert_eq!(ready(&mut follow(&world, 2).await), ["3"]);
    let ahead = world.observe().stream_run(world.caller(Role::Viewer), run_id(), 4).await;
    assert_eq!(ahead.err().map(|error| error.code()), Some(Code::OffsetAhead));
}

#[tokio::test]
async fn deltas_are_counted_in_characters_behind_the_last_stored_event() {
    let world = running();
    world.store_event("run.started");
    let mut stream = follow(&world, 0).await;
    assert_eq!(ready(&mut stream), ["1"]);
    world.tell(LiveEvent::Delta { run_id: run_id(), chars: 3, text: "füü".to_owned() });
    assert_eq!(ready(&mut stream), ["1/6 füü"]);
}

#[tokio::test]
async fn a_slow_reader_is_told_and_misses_no_stored_event() {
    let world = running();
    let mut stream = follow(&world, 0).await;
    assert_eq!(ready(&mut stream), Vec::<String>::new());
    world.store_event("run.started");
    world.lag();
    assert_eq!(ready(&mut stream), ["lagged", "1"]);
}

#[tokio::test]
async fn a_reader_whose_rights_go_is_shown_out() {
    let world = running();
    let mut stream = follow(&world, 0).await;
    assert_eq!(ready(&mut stream), Vec::<String>::new());
    world.ring();
    assert_eq!(ready(&mut stream), Vec::<String>::new());
    world.is_revoked.store(true, Ordering::SeqCst);
    world.raise_epoch();
    world.ring();
    assert_eq!(ready(&mut stream), ["closed invalid_credentials"]);
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn another_workspaces_run_is_not_there() {
    let world = running();
    let mut ctx = world.caller(Role::Viewer);
    ctx.scope.workspace_id = types::id::WorkspaceId::from_uuid(types::id::Uuid::from_u128(99));
    let refused = world.observe().stream_run(ctx, run_id(), 0).await;
    assert_eq!(refused.err().map(|error| error.code()), Some(Code::NotFound));
}
