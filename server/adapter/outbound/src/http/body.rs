//! The body of an answer, decompressed, never more of it than a cap and never out of all proportion to what was sent.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder};
use bytes::Bytes;
use futures::stream::{BoxStream, StreamExt};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use tokio_util::io::{ReaderStream, StreamReader};

use super::failure::Failure;

/// What [`Body`] can decompress, as `Accept-Encoding` says it.
pub(super) const ENCODINGS: &str = "gzip, br";
/// A body that grows more than this when it is decompressed is an attack.
const MAX_RATIO: usize = 100;
/// What is smaller harms nobody, however dense it is.
const HARMLESS: usize = 1024 * 1024;
/// Bytes decompressed at once.
const CHUNK: usize = 32 * 1024;

/// A body not read yet. Dropping it closes the connection.
pub(crate) struct Body {
    chunks: BoxStream<'static, io::Result<Bytes>>,
    /// Bytes that came over the wire.
    received: Arc<AtomicUsize>,
    read: usize,
}

impl Body {
    pub(crate) fn new(answer: reqwest::Response) -> Self {
        let received = Arc::new(AtomicUsize::default());
        let encoding = encoding(answer.headers());
        let counter = Arc::clone(&received);
        let wire = answer.bytes_stream().map(move |chunk| {
            let chunk = chunk.map_err(io::Error::other)?;
            counter.fetch_add(chunk.len(), Ordering::Relaxed);
            Ok(chunk)
        });
        let chunks = match encoding {
            Encoding::Plain => wire.boxed(),
            Encoding::Gzip => ReaderStream::with_capacity(GzipDecoder::new(StreamReader::new(wire)), CHUNK).boxed(),
            Encoding::Brotli => ReaderStream::with_capacity(BrotliDecoder::new(StreamReader::new(wire)), CHUNK).boxed(),
        };
        Self { chunks, received, read: 0 }
    }

    /// The next bytes; `None` at the end.
    pub(crate) async fn chunk(&mut self, limit: usize) -> Option<Result<Bytes, Failure>> {
        let chunk = match self.chunks.next().await? {
            Ok(chunk) => chunk,
            Err(error) => return Some(Err(Failure::of_body(error))),
        };
        self.read = self.read.saturating_add(chunk.len());
        if self.read > limit {
            return Some(Err(Failure::TooLarge { what: "body", limit }));
        }
        let most = self.received.load(Ordering::Relaxed).saturating_mul(MAX_RATIO);
        Some(if self.read > HARMLESS && self.read > most { Err(Failure::TooDense) } else { Ok(chunk) })
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

/// How a body is compressed.
enum Encoding {
    Plain,
    Gzip,
    Brotli,
}

/// What we did not ask for is read as it is, which ends as an answer that cannot be read.
fn encoding(headers: &HeaderMap) -> Encoding {
    let name = headers.get(CONTENT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match name.trim().to_ascii_lowercase().as_str() {
        "gzip" | "x-gzip" => Encoding::Gzip,
        "br" => Encoding::Brotli,
        _ => Encoding::Plain,
    }
}

#[cfg(test)]
mod tests {
    use async_compression::Level;
    use async_compression::tokio::write::{BrotliEncoder, GzipEncoder};
    use tokio::io::AsyncWriteExt;

    use super::*;

    const LIMIT: usize = 64 * 1024 * 1024;

    async fn compressed(encoding: &str, plain: &[u8]) -> Vec<u8> {
        if encoding == "gzip" {
            let mut encoder = GzipEncoder::with_quality(Vec::new(), Level::Fastest);
            encoder.write_all(plain).await.unwrap();
            encoder.shutdown().await.unwrap();
            encoder.into_inner()
        } else {
            let mut encoder = BrotliEncoder::with_quality(Vec::new(), Level::Fastest);
            encoder.write_all(plain).await.unwrap();
            encoder.shutdown().await.unwrap();
            encoder.into_inner()
        }
    }

    fn body(encoding: &str, bytes: Vec<u8>) -> Body {
        Body::new(http::Response::builder().header(CONTENT_ENCODING, encoding).body(bytes).unwrap().into())
    }

    /// Text that shrinks, but not much.
    fn honest(size: usize) -> Vec<u8> {
        let mut seed = 1_u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b'a' + u8::try_from(seed >> 28).unwrap()
        };
        (0..size).map(|_| next()).collect()
    }

    #[tokio::test]
    async fn what_is_compressed_comes_out_as_it_was() {
        let plain = honest(3 * HARMLESS);
        for encoding in ["gzip", "br"] {
            let bytes = compressed(encoding, &plain).await;
            assert!(bytes.len() < plain.len());
            assert!(body(encoding, bytes).whole(LIMIT).await.unwrap() == plain, "{encoding}");
        }
        assert!(body("identity", plain.clone()).whole(LIMIT).await.unwrap() == plain);
    }

    #[tokio::test]
    async fn the_cap_counts_what_comes_out() {
        let bytes = compressed("gzip", &honest(2 * HARMLESS)).await;
        let size = bytes.len();
        let refused = body("gzip", bytes).whole(size + 1).await.unwrap_err();
        assert!(matches!(refused, Failure::TooLarge { what: "body", .. }), "{refused}");
    }

    #[tokio::test]
    async fn a_bomb_is_not_unpacked() {
        let zeros = vec![b'0'; 32 * HARMLESS];
        for encoding in ["gzip", "br"] {
            let bytes = compressed(encoding, &zeros).await;
            assert!(bytes.len() * MAX_RATIO < zeros.len(), "{encoding}: {}", bytes.len());
            let mut body = body(encoding, bytes);
            let mut seen = 0;
            let refused = loop {
                match body.chunk(LIMIT).await.expect("a refusal before the end") {
                    Ok(chunk) => seen += chunk.len(),
                    Err(refused) => break refused,
                }
            };
            assert!(matches!(refused, Failure::TooDense), "{encoding}: {refused}");
            assert!(seen < zeros.len() / 2, "{encoding}: {seen}");
        }
        let small = vec![b'0'; HARMLESS];
        assert!(body("gzip", compressed("gzip", &small).await).whole(LIMIT).await.unwrap() == small);
    }

    #[tokio::test]
    async fn what_is_no_stream_of_its_kind_cannot_be_decoded() {
        let refused = body("gzip", b"plainly not compressed".to_vec()).whole(LIMIT).await.unwrap_err();
        assert!(matches!(refused, Failure::Encoding(_)), "{refused:?}");
        let mut cut = compressed("gzip", &honest(HARMLESS)).await;
        cut.truncate(cut.len() / 2);
        let refused = body("gzip", cut).whole(LIMIT).await.unwrap_err();
        assert!(matches!(refused, Failure::Cut(_)), "{refused:?}");
    }
}
