//! The pipe between a call and its streaming client: bounded by bytes, so a slow client slows the provider down and not
//! soit's memory up.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures::Stream;
use futures::task::AtomicWaker;
use types::problem::Code;

use crate::Error;

/// What a streaming client is sent.
#[derive(Clone, Debug)]
pub enum Frame {
    /// One frame's JSON text.
    Data(String),
    /// A sign of life while there is nothing to say.
    Wait,
    /// The stream failed after it had begun; nothing but the end mark follows.
    Failed(Box<Error>),
}

impl Frame {
    fn size(&self) -> usize {
        match self {
            Self::Data(text) => text.len(),
            Self::Wait | Self::Failed(_) => 16,
        }
    }
}

#[derive(Debug, Default)]
struct State {
    frames: VecDeque<Frame>,
    bytes: usize,
    taken: u64,
    is_ended: bool,
    is_abandoned: bool,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    reader: AtomicWaker,
    writer: AtomicWaker,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A pipe that holds about `capacity` bytes.
pub(super) fn pipe(capacity: usize) -> (Writer, Frames) {
    let shared = Arc::new(Shared::default());
    (Writer { shared: Arc::clone(&shared), capacity }, Frames { shared })
}

/// The call's end.
#[derive(Debug)]
pub(super) struct Writer {
    shared: Arc<Shared>,
    capacity: usize,
}

impl Writer {
    /// Ready once there is room for another frame, or nobody to read it.
    pub(super) fn poll_room(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.shared.writer.register(cx.waker());
        let state = self.shared.state();
        if state.bytes < self.capacity || state.is_abandoned { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Ready once the client has gone.
    pub(super) fn poll_gone(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.shared.writer.register(cx.waker());
        if self.shared.state().is_abandoned { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Puts a frame in, whether there is room or not.
    pub(super) fn push(&self, frame: Frame) {
        let mut state = self.shared.state();
        state.bytes += frame.size();
        state.frames.push_back(frame);
        drop(state);
        self.shared.reader.wake();
    }

    /// How many frames the client has taken: what does not grow is stuck.
    pub(super) fn taken(&self) -> u64 {
        self.shared.state().taken
    }

    /// Whether the client has gone.
    pub(super) fn is_gone(&self) -> bool {
        self.shared.state().is_abandoned
    }

    /// The stream is complete.
    pub(super) fn end(self) {
        self.shared.state().is_ended = true;
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        if !std::mem::replace(&mut state.is_ended, true) {
            let error = Error::new(Code::Internal, "something went wrong inside soit");
            state.frames.push_back(Frame::Failed(Box::new(error)));
        }
        drop(state);
        self.shared.reader.wake();
    }
}

/// The frames of a streamed answer. Dropping them before the end ends the call: the client has gone.
#[derive(Debug)]
pub struct Frames {
    shared: Arc<Shared>,
}

impl Stream for Frames {
    type Item = Frame;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Frame>> {
        self.shared.reader.register(cx.waker());
        let mut state = self.shared.state();
        let Some(frame) = state.frames.pop_front() else {
            return if state.is_ended { Poll::Ready(None) } else { Poll::Pending };
        };
        state.bytes -= frame.size().min(state.bytes);
        state.taken += 1;
        drop(state);
        self.shared.writer.wake();
        Poll::Ready(Some(frame))
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        self.shared.state().is_abandoned = true;
        self.shared.writer.wake();
    }
}
