//! What can interrupt a call while it waits for its provider.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::client::Client;
use super::control::Canceled;
use crate::port::Clock;

/// The first sign of life of a silent stream: its head leaves then.
const FIRST_SILENCE: Duration = Duration::from_secs(30);
/// Between later signs of life.
const SILENCE: Duration = Duration::from_secs(15);

/// Why a call ends before its provider is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interrupt {
    /// The client of a stream hung up.
    Left,
    /// The process is about to end.
    Aborted,
    /// Somebody wants the run to end.
    Canceled,
}

/// What ends a call from outside, whoever its client is.
pub(super) struct Ends {
    pub(super) aborting: BoxFuture<'static, ()>,
    pub(super) canceled: Canceled,
}

/// Something happened that is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The call has to end.
    Interrupted(Interrupt),
    /// Nothing was heard for a while.
    Silent,
    /// The stream has taken all the time it may.
    Expired,
}

/// Watches over one call.
pub(super) struct Watch {
    clock: Arc<dyn Clock>,
    ends: Ends,
    stream: Option<StreamWatch>,
    /// Whether it goes on without its client.
    runs_on: bool,
}

struct StreamWatch {
    expiry: BoxFuture<'static, ()>,
    silence: BoxFuture<'static, ()>,
    patience: Duration,
    heard_at: Duration,
}

impl Watch {
    /// A watch over a whole call, which no client can end.
    pub(super) fn over_whole(clock: Arc<dyn Clock>, ends: Ends) -> Self {
        Self { clock, ends, stream: None, runs_on: true }
    }

    /// A watch over a stream that may last so long, and perhaps goes on without its client.
    pub(super) fn over_stream(clock: Arc<dyn Clock>, ends: Ends, longest: Duration, runs_on: bool) -> Self {
        let stream = StreamWatch {
            expiry: clock.sleep(longest),
            silence: clock.sleep(FIRST_SILENCE),
            patience: FIRST_SILENCE,
            heard_at: clock.monotonic(),
        };
        Self { clock, ends, stream: Some(stream), runs_on }
    }

    /// Something was sent to the client.
    pub(super) fn heard(&mut self) {
        if let Some(stream) = &mut self.stream {
            stream.heard_at = self.clock.monotonic();
            stream.patience = SILENCE;
        }
    }

    /// Ready when something happened.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, client: &mut Client) -> Poll<Event> {
        if !self.runs_on && client.poll_gone(cx).is_ready() {
            return Poll::Ready(Event::Interrupted(Interrupt::Left));
        }
        if self.ends.canceled.poll_unpin(cx).is_ready() {
            return Poll::Ready(Event::Interrupted(Interrupt::Canceled));
        }
        if self.ends.aborting.poll_unpin(cx).is_ready() {
            return Poll::Ready(Event::Interrupted(Interrupt::Aborted));
        }
        match &mut self.stream {
            Some(stream) => stream.poll(cx, self.clock.as_ref()),
            None => Poll::Pending,
        }
    }
}

impl StreamWatch {
    fn poll(&mut self, cx: &mut Context<'_>, clock: &dyn Clock) -> Poll<Event> {
        if self.expiry.poll_unpin(cx).is_ready() {
            return Poll::Ready(Event::Expired);
        }
        // One timer for the whole stream: it looks at the time of the last frame only when it rings.
        while self.silence.poll_unpin(cx).is_ready() {
            let now = clock.monotonic();
            let quiet = now.saturating_sub(self.heard_at);
            if quiet >= self.patience {
                self.heard_at = now;
                self.patience = SILENCE;
                self.silence = clock.sleep(SILENCE);
                return Poll::Ready(Event::Silent);
            }
            self.silence = clock.sleep(self.patience - quiet);
        }
        Poll::Pending
    }
}
