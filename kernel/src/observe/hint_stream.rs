//! Hints for lists: "something changed here". Many changes of one thing in a short time are one hint.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use futures::StreamExt;
use futures::future::{BoxFuture, Either, select};
use futures::stream::{BoxStream, unfold};
use types::observe::{Hint, Topic};
use types::problem::Code;

use super::Observe;
use super::rights::{ASKED_EVERY, Rights};
use crate::context::OpContext;
use crate::error::Result;
use crate::port::{Heard, LiveEvent, Subject};

/// How long changes are collected.
const WINDOW: Duration = Duration::from_millis(250);
/// More different things than this in a window: the reader had better load everything anew.
const MOST: usize = 200;

/// What a reader of hints gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HintItem {
    /// A thing changed.
    Hint(Hint),
    /// More changed than can be told: load everything anew.
    Resync,
    /// The reader may not go on.
    Closed(Code),
}

impl Observe {
    /// Hints of a workspace about the topics; about all where none is named. One who comes again is told to resync first.
    pub fn stream_hints(
        &self,
        ctx: OpContext,
        topics: BTreeSet<Topic>,
        comes_again: bool,
    ) -> Result<BoxStream<'static, HintItem>> {
        let topics = if topics.is_empty() { Topic::ALL.iter().copied().collect() } else { topics };
        let rights = Rights::open(self, ctx, topics.iter().copied().map(action).collect())?;
        let heard = self.ports.live.listen(Subject::Workspace(rights.ctx().scope));
        let ready = comes_again.then_some(HintItem::Resync).into_iter().collect();
        let alarm = self.ports.clock.sleep(ASKED_EVERY);
        let changed = BTreeMap::new();
        let hints = Hints { observe: self.clone(), rights, heard, topics, changed, ready, alarm, over: false };
        Ok(unfold(hints, Hints::next).fuse().boxed())
    }
}

/// What one must be allowed to hear of a topic.
fn action(topic: Topic) -> &'static str {
    match topic {
        Topic::Runs => "run.list",
        Topic::Budgets => "budget.list",
        Topic::Tasks => "task.list",
    }
}

struct Hints {
    observe: Observe,
    rights: Rights,
    heard: BoxStream<'static, Heard>,
    topics: BTreeSet<Topic>,
    /// What changed in this window, with the version told.
    changed: BTreeMap<(Topic, String), u64>,
    ready: VecDeque<HintItem>,
    /// The end of the window, or of the time between two checks of rights.
    alarm: BoxFuture<'static, ()>,
    over: bool,
}

impl Hints {
    async fn next(mut self) -> Option<(HintItem, Self)> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some((item, self));
            }
            if self.over {
                return None;
            }
            match select(&mut self.alarm, self.heard.next()).await {
                Either::Right((Some(heard), _)) => self.hear(heard),
                Either::Right((None, _)) => return None,
                Either::Left(_) => self.ring().await,
            }
        }
    }

    fn hear(&mut self, heard: Heard) {
        let opens = self.changed.is_empty();
        match heard {
            Heard::Lagged => self.ready.push_back(HintItem::Resync),
            Heard::Event(LiveEvent::RunChanged(_, id)) => self.note(Topic::Runs, id.to_string()),
            Heard::Event(LiveEvent::Changed(_, Hint { topic, id, .. })) => self.note(topic, id),
            Heard::More | Heard::Event(LiveEvent::Stored(_) | LiveEvent::Delta { .. }) => {}
        }
        if opens && !self.changed.is_empty() {
            self.alarm = self.observe.ports.clock.sleep(WINDOW);
        }
    }

    fn note(&mut self, topic: Topic, id: String) {
        if self.topics.contains(&topic) && self.changed.len() <= MOST {
            let version = u64::try_from(self.observe.ports.clock.now().timestamp_micros()).unwrap_or_default();
            self.changed.insert((topic, id), version);
        }
    }

    async fn ring(&mut self) {
        if self.changed.len() > MOST {
            self.ready.push_back(HintItem::Resync);
            self.changed.clear();
        }
        let changed = std::mem::take(&mut self.changed);
        self.ready
            .extend(changed.into_iter().map(|((topic, id), version)| HintItem::Hint(Hint { topic, id, version })));
        if let Some(code) = self.rights.lost(&self.observe).await {
            self.ready = VecDeque::from([HintItem::Closed(code)]);
            self.over = true;
        }
        self.alarm = self.observe.ports.clock.sleep(ASKED_EVERY);
    }
}
