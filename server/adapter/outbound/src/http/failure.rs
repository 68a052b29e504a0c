//! What can go wrong on the way, in the words the kernel decides by.

use std::error::Error;
use std::io;

use kernel::port::UpstreamKind;

/// A call that did not bring a readable answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// No connection, so nothing was sent.
    #[error("no connection could be made")]
    Connect(#[source] reqwest::Error),
    /// The connection broke.
    #[error("the connection was reset")]
    Reset(#[source] Box<dyn Error + Send + Sync>),
    /// The answer stopped before its end.
    #[error("the answer ended early")]
    Cut(#[source] io::Error),
    /// The answer cannot be decoded.
    #[error("the answer cannot be decoded")]
    Encoding(#[source] io::Error),
    /// The answer is no text.
    #[error("the answer is not UTF-8")]
    NotText(#[source] std::str::Utf8Error),
    /// The answer is larger than any honest one.
    #[error("the {what} of the answer is larger than {limit} bytes")]
    TooLarge {
        /// `header`, `body` or `frame`.
        what: &'static str,
        /// The cap.
        limit: usize,
    },
    /// The answer grows beyond measure when it is decompressed.
    #[error("the body of the answer is compressed out of all proportion")]
    TooDense,
}

impl Failure {
    /// A request that got no answer.
    pub(super) fn of_request(error: reqwest::Error) -> Self {
        // Anything later than the connection may have been read by the other side.
        if error.is_connect() { Self::Connect(error) } else { Self::Reset(error.into()) }
    }

    /// A body that broke off.
    pub(super) fn of_body(error: io::Error) -> Self {
        let reset = |kind| matches!(kind, io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted);
        let io_kinds: Vec<io::ErrorKind> =
            causes(&error).filter_map(|cause| cause.downcast_ref::<io::Error>().map(io::Error::kind)).collect();
        if io_kinds.iter().copied().any(reset) {
            Self::Reset(error.into())
        } else if io_kinds.iter().any(|kind| matches!(kind, io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput)) {
            Self::Encoding(error)
        } else {
            Self::Cut(error)
        }
    }

    /// What the kernel decides by.
    pub(crate) fn kind(&self) -> UpstreamKind {
        match self {
            Self::Connect(_) => UpstreamKind::Connect,
            Self::Reset(_) => UpstreamKind::Reset,
            Self::Cut(_) => UpstreamKind::Cut,
            Self::Encoding(_) | Self::NotText(_) | Self::TooLarge { .. } | Self::TooDense => UpstreamKind::Garbage,
        }
    }

    /// What to say: what happened, and the innermost cause.
    pub(crate) fn message(&self) -> String {
        match causes(self).last() {
            Some(cause) if !matches!(self, Self::TooLarge { .. } | Self::TooDense) => format!("{self}: {cause}"),
            _ => self.to_string(),
        }
    }
}

/// The error and what lies behind it.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| (*error).source())
}
