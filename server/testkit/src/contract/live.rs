//! What every fan-out of live events must do, between the one who speaks and one who reads, here or elsewhere.

use std::time::Duration;

use futures::StreamExt;
use futures::stream::BoxStream;
use kernel::port::{Heard, Live, LiveEvent, Subject};
use tokio::time::{sleep, timeout};
use types::id::{RunId, Uuid};
use types::observe::{Hint, Topic};

use super::limits::scope;

/// Time in which what is said is heard.
const SOON: Duration = Duration::from_secs(5);

/// A run's id.
pub fn run(number: u128) -> RunId {
    RunId::from_uuid(Uuid::from_u128(number))
}

/// Text of a run.
pub fn delta(run_id: RunId, chars: u64, text: &str) -> LiveEvent {
    LiveEvent::Delta { run_id, chars, text: text.to_owned() }
}

/// A budget that moved.
pub fn moved(number: u64) -> Hint {
    Hint { topic: Topic::Budgets, id: format!("bud_{number}"), version: number }
}

/// The next thing heard; the first words of one that has just begun to listen (that there may be more) say nothing.
pub async fn next(heard: &mut BoxStream<'static, Heard>) -> Heard {
    loop {
        match timeout(SOON, heard.next()).await.expect("something is heard").expect("a stream that goes on") {
            Heard::More => {}
            heard => return heard,
        }
    }
}

/// Until the speaker knows that somebody reads.
pub async fn is_listened_to(speaker: &dyn Live, subject: Subject) {
    let known = async {
        while !speaker.has_listeners(subject) {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(SOON, known).await.expect("the speaker learns that somebody reads");
}

/// Text is heard whole, in its order, by everybody who reads the run and by nobody else.
pub async fn text_is_heard_in_order_by_the_readers_of_its_run(speaker: &dyn Live, there: &dyn Live) {
    let (mut first, mut second) = (there.listen(Subject::Run(run(1))), there.listen(Subject::Run(run(1))));
    let mut other = there.listen(Subject::Run(run(2)));
    for number in [1, 2] {
        is_listened_to(speaker, Subject::Run(run(number))).await;
    }
    for number in 0..50 {
        speaker.publish(delta(run(1), number, "\u{e4}\"x"));
    }
    speaker.publish(delta(run(2), 0, "end"));
    for heard in [&mut first, &mut second] {
        for number in 0..50 {
            assert_eq!(next(heard).await, Heard::Event(delta(run(1), number, "\u{e4}\"x")));
        }
    }
    assert_eq!(next(&mut other).await, Heard::Event(delta(run(2), 0, "end")));
}

/// That a run changed is heard by who reads the run and by who reads its workspace; no other tenant hears of it.
pub async fn a_change_is_heard_in_its_workspace_alone(speaker: &dyn Live, there: &dyn Live) {
    let mut lists = there.listen(Subject::Workspace(scope(1)));
    let mut strangers = there.listen(Subject::Workspace(scope(2)));
    for subject in [Subject::Workspace(scope(1)), Subject::Workspace(scope(2))] {
        is_listened_to(speaker, subject).await;
    }
    speaker.publish(LiveEvent::RunChanged(scope(1), run(1)));
    speaker.publish(LiveEvent::Changed(scope(1), moved(7)));
    speaker.publish(LiveEvent::Changed(scope(2), moved(8)));
    assert_eq!(next(&mut lists).await, Heard::Event(LiveEvent::RunChanged(scope(1), run(1))));
    assert_eq!(next(&mut lists).await, Heard::Event(LiveEvent::Changed(scope(1), moved(7))));
    assert_eq!(next(&mut strangers).await, Heard::Event(LiveEvent::Changed(scope(2), moved(8))));
}

/// Whoever reads a run is woken when it changed.
pub async fn a_reader_of_a_run_is_woken(speaker: &dyn Live, there: &dyn Live) {
    let mut heard = there.listen(Subject::Run(run(3)));
    is_listened_to(speaker, Subject::Run(run(3))).await;
    // What is heard on beginning to listen does not count.
    speaker.publish(delta(run(3), 0, "begin"));
    assert_eq!(next(&mut heard).await, Heard::Event(delta(run(3), 0, "begin")));
    speaker.publish(LiveEvent::RunChanged(scope(1), run(3)));
    let woken = timeout(SOON, heard.next()).await.expect("the reader is woken").expect("a stream that goes on");
    assert!(matches!(woken, Heard::More | Heard::Event(LiveEvent::RunChanged(..))), "{woken:?}");
}

/// One who reads no more leaves nothing behind.
pub async fn whoever_leaves_leaves_nothing_behind(speaker: &dyn Live, there: &dyn Live) {
    let heard = there.listen(Subject::Run(run(4)));
    is_listened_to(speaker, Subject::Run(run(4))).await;
    assert!(there.has_listeners(Subject::Run(run(4))));
    drop(heard);
    assert!(!there.has_listeners(Subject::Run(run(4))));
    speaker.publish(delta(run(4), 0, "nobody"));
}

/// Makes a test of each of these: `live_contract!(open)`, where `open()` gives the speaker's end, the readers' end, and what
/// keeps both going.
#[macro_export]
macro_rules! live_contract {
    ($open:path) => {
        $crate::live_contract! { @cases $open;
            text_is_heard_in_order_by_the_readers_of_its_run,
            a_change_is_heard_in_its_workspace_alone,
            a_reader_of_a_run_is_woken,
            whoever_leaves_leaves_nothing_behind,
        }
    };
    (@cases $open:path; $($case:ident,)+) => {
        $(
            #[tokio::test]
            async fn $case() {
                let (speaker, there, _kept) = $open().await;
                $crate::contract::live::$case(&*speaker, &*there).await;
            }
        )+
    };
}
