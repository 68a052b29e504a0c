//! How a file travels: as it is, or compressed where the reader takes that.

use async_compression::tokio::bufread::{GzipEncoder, ZstdEncoder};
use axum::BoxError;
use axum::body::{Body, Bytes};
use axum::http::header::ACCEPT_ENCODING;
use axum::http::{HeaderMap, HeaderValue};
use futures::Stream;
use futures::stream::TryStreamExt;
use tokio_util::io::{ReaderStream, StreamReader};

/// How a file travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Encoding {
    /// As it is.
    Identity,
    /// As gzip.
    Gzip,
    /// As Zstandard.
    Zstd,
}

impl Encoding {
    /// What the reader likes best of what there is; of equals the smallest.
    pub(in crate::http) fn of(headers: &HeaderMap) -> Self {
        let lists = headers.get_all(ACCEPT_ENCODING).into_iter().filter_map(|list| list.to_str().ok());
        let wishes: Vec<(String, u16)> = lists.flat_map(|list| list.split(',')).filter_map(read).collect();
        let weight = |name: &str| wishes.iter().find(|(wish, _)| wish == name).map(|(_, weight)| *weight);
        let others = weight("*").unwrap_or(0);
        let candidates = [(Self::Zstd, weight("zstd")), (Self::Gzip, weight("gzip").or_else(|| weight("x-gzip")))];
        let weighed = candidates.map(|(encoding, weight)| (encoding, weight.unwrap_or(others)));
        // Plain is fine unless something is liked better; said to be liked as much, it still may be made smaller.
        let plain = weight("identity").unwrap_or(0);
        let best = weighed.into_iter().rev().max_by_key(|(_, weight)| *weight);
        best.filter(|(_, weight)| *weight > 0 && *weight >= plain).map_or(Self::Identity, |(encoding, _)| encoding)
    }

    /// Its name, where it has one.
    pub(super) const fn name(self) -> Option<HeaderValue> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some(HeaderValue::from_static("gzip")),
            Self::Zstd => Some(HeaderValue::from_static("zstd")),
        }
    }

    /// The body that carries the lines.
    pub(super) fn body(self, lines: impl Stream<Item = Result<Bytes, BoxError>> + Send + 'static) -> Body {
        let reader = |lines| StreamReader::new(TryStreamExt::map_err(lines, std::io::Error::other));
        match self {
            Self::Identity => Body::from_stream(lines),
            Self::Gzip => Body::from_stream(ReaderStream::new(GzipEncoder::new(reader(lines)))),
            Self::Zstd => Body::from_stream(ReaderStream::new(ZstdEncoder::new(reader(lines)))),
        }
    }
}

/// `gzip;q=0.5`: a name in lower case, and thousandths.
fn read(wish: &str) -> Option<(String, u16)> {
    let mut parts = wish.split(';').map(str::trim);
    let name = parts.next().filter(|name| !name.is_empty())?.to_ascii_lowercase();
    let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    let quality = quality.map_or(Some(1.0), |text| text.trim().parse::<f32>().ok())?;
    let weight = (quality.clamp(0.0, 1.0) * 1_000.0).round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies within 0 and 1000")]
    Some((name, weight as u16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reader_says_what_it_takes() {
        for (said, taken) in [
            ("", Encoding::Identity),
            ("br, deflate", Encoding::Identity),
            ("gzip", Encoding::Gzip),
            ("GZIP", Encoding::Gzip),
            ("gzip, deflate, br, zstd", Encoding::Zstd),
            ("zstd;q=0.5, gzip;q=0.8", Encoding::Gzip),
            ("gzip;q=0, zstd;q=0", Encoding::Identity),
            ("*", Encoding::Zstd),
            ("zstd;q=0, *", Encoding::Gzip),
            ("identity, gzip;q=0.5", Encoding::Identity),
            ("gzip;q=nonsense", Encoding::Identity),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_str(said).unwrap());
            assert_eq!(Encoding::of(&headers), taken, "{said}");
        }
        assert_eq!(Encoding::of(&HeaderMap::new()), Encoding::Identity);
    }
}
