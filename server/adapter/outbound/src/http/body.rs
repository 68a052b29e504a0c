//! The body of an answer, decompressed, never more of it than a cap.

use bytes::Bytes;
use futures::stream::{BoxStream, StreamExt};

use super::failure::Failure;

/// A body not read yet. Dropping it closes the connection.
pub(crate) struct Body {
    chunks: BoxStream<'static, Result<Bytes, reqwest::Error>>,
    read: usize,
}

impl Body {
    pub(crate) fn new(answer: reqwest::Response) -> Self {
        Self { chunks: answer.bytes_stream().boxed(), read: 0 }
    }

    /// The next bytes; `None` at the end.
    pub(crate) async fn chunk(&mut self, limit: usize) -> Option<Result<Bytes, Failure>> {
        let chunk = match self.chunks.next().await? {
            Ok(chunk) => chunk,
            Err(error) => return Some(Err(Failure::of_body(error))),
        };
        self.read = self.read.saturating_add(chunk.len());
        Some(if self.read > limit { Err(Failure::TooLarge { what: "body", limit }) } else { Ok(chunk) })
    }

    /// All of it.
    pub(crate) async fn whole(mut self, limit: usize) -> Result<Vec<u8>, Failure> {
        let mut whole = Vec::new();
        while let Some(chunk) = self.chunk(limit).await {
            whole.extend_from_slice(&chunk?);
        }
        Ok(whole)
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Body").field("read", &self.read).finish_non_exhaustive()
    }
}
