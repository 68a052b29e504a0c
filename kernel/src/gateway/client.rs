//! The caller's side of a call: where the answer goes, and whether anybody still waits for it.

use std::future::poll_fn;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt;
use futures::channel::oneshot;

use super::pipe::{Frame, Writer, pipe};
use super::reply::{Facts, Refused, Reply, Streamed, Whole};
use crate::port::Clock;

/// Bytes kept for a slow client before the provider is no longer read.
const BUFFER: usize = 256 * 1024;
/// A client that takes nothing for so long counts as gone.
const STUCK: Duration = Duration::from_secs(120);

/// The client hung up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gone;

/// Sends the answer to whoever asked.
#[derive(Debug)]
pub(super) struct Client {
    reply: Option<oneshot::Sender<Result<Reply, Refused>>>,
    pipe: Option<Writer>,
}

/// A stream that is answered again, all of it there already.
pub(super) fn replayed(facts: Facts, frames: Vec<String>) -> Reply {
    let (writer, reader) = pipe(BUFFER);
    for frame in frames {
        writer.push(Frame::Data(frame));
    }
    writer.end();
    Reply::Stream(Streamed { facts, frames: reader })
}

impl Client {
    pub(super) fn new(reply: oneshot::Sender<Result<Reply, Refused>>) -> Self {
        Self { reply: Some(reply), pipe: None }
    }

    /// Ready once the client has hung up.
    pub(super) fn poll_gone(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match (&mut self.reply, &self.pipe) {
            (Some(reply), _) => reply.poll_canceled(cx),
            (None, Some(pipe)) => pipe.poll_gone(cx),
            (None, None) => Poll::Ready(()),
        }
    }

    /// Whether the client has hung up.
    pub(super) fn is_gone(&self) -> bool {
        match (&self.reply, &self.pipe) {
            (Some(reply), _) => reply.is_canceled(),
            (None, Some(pipe)) => pipe.is_gone(),
            (None, None) => true,
        }
    }

    /// Sends the head of a stream, unless it has left.
    pub(super) fn begin(&mut self, facts: impl FnOnce() -> Facts) {
        if let Some(reply) = self.reply.take() {
            let (writer, frames) = pipe(BUFFER);
            self.pipe = Some(writer);
            // A client that has gone drops the frames, which the pipe tells.
            drop(reply.send(Ok(Reply::Stream(Streamed { facts: facts(), frames }))));
        }
    }

    /// Sends a sign of life.
    pub(super) fn wait(&self) {
        if let Some(pipe) = &self.pipe {
            pipe.push(Frame::Wait);
        }
    }

    /// Sends a frame as soon as there is room for it.
    pub(super) async fn send(&self, frame: Frame, clock: &dyn Clock) -> Result<(), Gone> {
        let Some(pipe) = &self.pipe else { return Err(Gone) };
        let mut taken = pipe.taken();
        while poll_fn(|cx| Poll::Ready(pipe.poll_room(cx))).await.is_pending() {
            let mut stuck = clock.sleep(STUCK);
            let has_room = poll_fn(|cx| match pipe.poll_room(cx) {
                Poll::Ready(()) => Poll::Ready(true),
                Poll::Pending => stuck.poll_unpin(cx).map(|()| false),
            });
            if !has_room.await && pipe.taken() == std::mem::replace(&mut taken, pipe.taken()) {
                return Err(Gone);
            }
        }
        if pipe.is_gone() {
            return Err(Gone);
        }
        pipe.push(frame);
        Ok(())
    }

    /// Gives up on a client that takes nothing any more.
    pub(super) fn let_go(&mut self) {
        self.reply = None;
        self.pipe = None;
    }

    /// Ends a stream that went well.
    pub(super) fn end(mut self) {
        if let Some(pipe) = self.pipe.take() {
            pipe.end();
        }
    }

    /// Delivers a whole answer.
    pub(super) fn answer(mut self, whole: Whole) {
        if let Some(reply) = self.reply.take() {
            drop(reply.send(Ok(Reply::Whole(whole))));
        }
    }

    /// Delivers a failure: as the answer, or as the last frame of a stream that has begun.
    pub(super) fn fail(mut self, refused: Refused) {
        if let Some(reply) = self.reply.take() {
            drop(reply.send(Err(refused)));
        } else if let Some(pipe) = self.pipe.take() {
            pipe.push(Frame::Failed(Box::new(refused.error)));
            pipe.end();
        }
    }
}
