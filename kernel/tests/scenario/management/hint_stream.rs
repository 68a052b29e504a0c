//! Hints for lists: gathered, by topic, and told to those who may know.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use kernel::observe::HintItem;
use kernel::port::{Heard, Live, LiveEvent, Subject};
use types::id::{RunId, Uuid};
use types::identity::Role;
use types::observe::{Hint, Topic};

use super::budget::monthly;
use super::world::{World, run_id, scope};

fn listen(world: &Arc<World>, topics: &[Topic], comes_again: bool) -> BoxStream<'static, HintItem> {
    let topics: BTreeSet<Topic> = topics.iter().copied().collect();
    world.observe().stream_hints(world.caller(Role::Viewer), topics, comes_again).unwrap()
}

/// Everything that is there at this moment, by topic or name.
fn ready(stream: &mut BoxStream<'static, HintItem>) -> Vec<String> {
    let mut seen = Vec::new();
    while let Some(Some(item)) = stream.next().now_or_never() {
        seen.push(match item {
            HintItem::Hint(hint) => format!("{} {}", hint.topic, hint.id),
            HintItem::Resync => "resync".to_owned(),
            HintItem::Closed(code) => format!("closed {code}"),
        });
    }
    seen
}

fn budget_hint() -> LiveEvent {
    LiveEvent::Changed(scope(), Hint { topic: Topic::Budgets, id: "bdg_1".to_owned(), version: 1 })
}

#[tokio::test]
async fn many_changes_of_one_thing_are_one_hint() {
    let world = World::new();
    let mut stream = listen(&world, &[], false);
    for _ in 0..5 {
        world.tell(LiveEvent::RunChanged(scope(), run_id()));
    }
    world.tell(budget_hint());
    assert_eq!(ready(&mut stream), Vec::<String>::new());
    world.ring();
    assert_eq!(ready(&mut stream), [format!("runs {}", run_id()), "budgets bdg_1".to_owned()]);
}

#[tokio::test]
async fn topics_that_were_not_asked_for_are_not_told() {
    let world = World::new();
    let mut stream = listen(&world, &[Topic::Budgets], false);
    world.tell(LiveEvent::RunChanged(scope(), run_id()));
    world.tell(budget_hint());
    assert_eq!(ready(&mut stream), Vec::<String>::new());
    world.ring();
    assert_eq!(ready(&mut stream), ["budgets bdg_1"]);
}

#[tokio::test]
async fn who_comes_again_or_is_overrun_loads_everything_anew() {
    let world = World::new();
    let mut stream = listen(&world, &[], true);
    assert_eq!(ready(&mut stream), ["resync"]);
    for number in 0..300 {
        world.tell(LiveEvent::RunChanged(scope(), RunId::from_uuid(Uuid::from_u128(number))));
    }
    assert_eq!(ready(&mut stream), Vec::<String>::new());
    world.ring();
    assert_eq!(ready(&mut stream), ["resync"]);
    world.lag();
    assert_eq!(ready(&mut stream), ["resync"]);
}

#[tokio::test]
async fn runs_of_other_processes_tell_of_a_workspaces_budgets_once_however_many_they_are() {
    let world = World::new();
    let budget = world.budgets().create_budget(&world.caller(Role::Admin), monthly(100)).await.unwrap();
    let mut heard = world.listen(Subject::Workspace(scope()));
    let runs: Vec<_> = (0..20).map(|number| (scope(), RunId::from_uuid(Uuid::from_u128(number)))).collect();
    world.observe().announce_changed(&runs, &*world).await.unwrap();
    let mut budgets = Vec::new();
    let mut changed = 0;
    while let Some(Some(Heard::Event(event))) = heard.next().now_or_never() {
        match event {
            LiveEvent::Changed(_, hint) => budgets.push(hint.id),
            LiveEvent::RunChanged(..) => changed += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((changed, budgets), (20, vec![budget.id.to_string()]));
}

#[tokio::test]
async fn a_page_learns_what_changed_since_it_was_read() {
    let world = World::new();
    let ctx = world.caller(Role::Viewer);
    let (observe, now) = (world.observe(), ctx.now);
    let changed = async |since| observe.list_changed(&ctx, since).await.unwrap();
    let before = |seconds| now - TimeDelta::seconds(seconds);
    assert_eq!(changed(now).await, Some(vec![]), "nothing ran yet");
    world.rows().changed.push((before(60), run_id()));
    assert_eq!(changed(before(30)).await, Some(vec![]), "read after it");
    assert_eq!(changed(before(90)).await, Some(vec![run_id()]), "read before it");
    assert_eq!(changed(before(58)).await, Some(vec![run_id()]), "stamped before it could be read");
    assert_eq!(changed(DateTime::<Utc>::MAX_UTC).await, Some(vec![]), "not read yet");
    for moment in [DateTime::<Utc>::MIN_UTC, before(86_401)] {
        assert_eq!(changed(moment).await, None, "out of date in any case");
    }
    let many = (1..200).map(|number| (now, RunId::from_uuid(Uuid::from_u128(number))));
    world.rows().changed.extend(many);
    assert_eq!(changed(before(90)).await.map(|runs| runs.len()), Some(200));
    world.rows().changed.push((now, RunId::from_uuid(Uuid::from_u128(200))));
    assert_eq!(changed(before(90)).await, None, "too many to tell");
}
