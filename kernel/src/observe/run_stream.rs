//! One run as it happens: first what is stored, then what comes, without gap or repeat.
//!
//! The reader subscribes before it reads the store, and every stored event carries its offset: what was seen is dropped,
//! and a jump sends the reader back to the store.

use std::collections::VecDeque;
use std::time::Duration;

use futures::StreamExt;
use futures::future::{BoxFuture, Either, select};
use futures::stream::{BoxStream, unfold};
use types::id::RunId;
use types::problem::Code;
use types::run::RunEvent;

use super::Observe;
use super::rights::{ASKED_EVERY, Rights};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::port::{EventRange, Heard, LiveEvent, Subject};

/// Stored events read at once.
const PAGE: u32 = 500;
/// How long a reader waits for a store that does not answer.
const PATIENCE: Duration = Duration::from_secs(1);
/// The store is asked this often even if nobody said that there is more: a lost call does no lasting harm.
const POLL: Duration = Duration::from_secs(5);
/// The last event of every run.
const LAST: &str = "run.finished";

/// What a reader of a run gets.
#[derive(Clone, Debug, PartialEq)]
pub enum RunItem {
    /// A stored event, each exactly once.
    Event(RunEvent),
    /// Text that is not stored, if it came while someone listened.
    Delta {
        /// The last stored event before it.
        offset: u64,
        /// Characters of the open message up to here, these included.
        chars: u64,
        /// The new text.
        text: String,
    },
    /// The reader was slow: deltas are lost, stored events are not.
    Lagged,
    /// Nothing comes any more.
    End,
    /// The reader may not go on.
    Closed(Code),
}

impl Observe {
    /// Follows a run from behind an offset. Ends after [`RunItem::End`] or [`RunItem::Closed`], or with the process.
    pub async fn stream_run(&self, ctx: OpContext, id: RunId, after: u64) -> Result<BoxStream<'static, RunItem>> {
        let rights = Rights::open(self, ctx, vec!["run.read"])?;
        let heard = self.ports.live.listen(Subject::Run(id));
        let scope = rights.ctx().scope;
        self.ports.runs.find_run(scope, id).await?.ok_or_else(Error::not_found)?;
        if after > 0 {
            let range = EventRange { after: after - 1, limit: 1 };
            let known = self.ports.runs.list_run_events(scope, id, range).await?;
            if known.is_empty() {
                return Err(Error::new(Code::OffsetAhead, format!("the run has no event {after} yet")));
            }
        }
        let observe = self.clone();
        let (ready, read_at) = (VecDeque::new(), Duration::ZERO);
        let alarm = observe.ports.clock.sleep(ASKED_EVERY);
        let tail = Tail { observe, rights, heard, id, offset: after, ready, behind: true, read_at, alarm, over: false };
        Ok(unfold(tail, Tail::next).fuse().boxed())
    }
}

struct Tail {
    observe: Observe,
    rights: Rights,
    heard: BoxStream<'static, Heard>,
    id: RunId,
    /// The last event given out.
    offset: u64,
    ready: VecDeque<RunItem>,
    /// Whether the store may hold more.
    behind: bool,
    /// When the store was last asked, on the monotonic clock.
    read_at: Duration,
    /// When rights are looked at next, however much is heard until then.
    alarm: BoxFuture<'static, ()>,
    over: bool,
}

impl Tail {
    async fn next(mut self) -> Option<(RunItem, Self)> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some((item, self));
            }
            if self.over {
                return None;
            }
            if self.behind {
                self.catch_up().await;
                continue;
            }
            // The alarm comes first: a run that never pauses does not put it off.
            match select(&mut self.alarm, self.heard.next()).await {
                Either::Right((Some(heard), _)) => self.hear(heard),
                Either::Right((None, _)) => return None,
                Either::Left(_) => {
                    self.alarm = self.observe.ports.clock.sleep(ASKED_EVERY);
                    let now = self.observe.ports.clock.monotonic();
                    self.behind = now.saturating_sub(self.read_at) >= POLL;
                    if let Some(code) = self.rights.lost(&self.observe).await {
                        self.finish(RunItem::Closed(code));
                    }
                }
            }
        }
    }

    fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Lagged => {
                self.ready.push_back(RunItem::Lagged);
                self.behind = true;
            }
            Heard::More => self.behind = true,
            Heard::Event(LiveEvent::Stored(event)) if event.offset <= self.offset + 1 => self.give(event),
            Heard::Event(LiveEvent::Delta { chars, text, .. }) => {
                let chars = chars + u64::try_from(text.chars().count()).unwrap_or_default();
                self.ready.push_back(RunItem::Delta { offset: self.offset, chars, text });
            }
            Heard::Event(LiveEvent::Stored(_) | LiveEvent::RunChanged(..)) => self.behind = true,
            Heard::Event(LiveEvent::Changed(..)) => {}
        }
    }

    /// Reads what the store has more. The run is read first: if it has ended by then, so have its events.
    async fn catch_up(&mut self) {
        let (runs, scope) = (&self.observe.ports.runs, self.rights.ctx().scope);
        let range = EventRange { after: self.offset, limit: PAGE };
        let read = match runs.find_run(scope, self.id).await {
            Ok(run) => runs.list_run_events(scope, self.id, range).await.map(|events| (run, events)),
            Err(error) => Err(error),
        };
        let Ok((run, events)) = read else {
            self.observe.ports.clock.sleep(PATIENCE).await;
            return;
        };
        self.read_at = self.observe.ports.clock.monotonic();
        self.behind = events.len() == usize::try_from(PAGE).unwrap_or(usize::MAX);
        events.into_iter().for_each(|event| self.give(event));
        let ended = run.is_none_or(|run| run.status.is_final());
        if ended && !self.behind && !self.over {
            self.finish(RunItem::End);
        }
    }

    fn give(&mut self, event: RunEvent) {
        if self.over || event.offset <= self.offset {
            return;
        }
        self.offset = event.offset;
        let is_last = event.event_type == LAST;
        self.ready.push_back(RunItem::Event(event));
        if is_last {
            self.finish(RunItem::End);
        }
    }

    fn finish(&mut self, item: RunItem) {
        self.ready.push_back(item);
        self.over = true;
    }
}
