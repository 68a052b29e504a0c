//! The console's files: inside the binary with feature `embed`, else in the folder that `SITE_DIR` names.
//!
//! All are read once, at the start, and answered from memory: whole or as the Brotli sibling made by the build, with the
//! content's hash as `ETag`. A path never reaches the file system.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH, VARY,
};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

/// Fonts and other files whose names change with their content.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// Files that keep their name: asked for again, answered with 304 while unchanged.
const REVALIDATE: HeaderValue = HeaderValue::from_static("public, no-cache");

/// One file in its encodings.
#[derive(Clone, Debug)]
struct Asset {
    plain: Bytes,
    brotli: Option<Bytes>,
    kind: &'static str,
    etag: HeaderValue,
}

/// Every file of the console by its path without the leading slash.
#[derive(Clone, Debug, Default)]
pub struct Site {
    assets: BTreeMap<String, Asset>,
    version: String,
}

impl Site {
    /// The files inside the binary.
    #[cfg(feature = "embed")]
    pub fn embedded() -> Self {
        const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/site.rs"));
        Self::of_files(FILES.iter().map(|(name, content)| ((*name).to_owned(), Bytes::from_static(content))))
    }

    /// This binary was built without files.
    #[cfg(not(feature = "embed"))]
    pub fn embedded() -> Self {
        Self::default()
    }

    /// The files of a folder.
    pub fn of_folder(folder: &Path) -> std::io::Result<Self> {
        let mut files = Vec::new();
        read_folder(folder, "", &mut files)?;
        Ok(Self::of_files(files))
    }

    fn of_files(files: impl IntoIterator<Item = (String, Bytes)>) -> Self {
        let mut files: BTreeMap<String, Bytes> = files.into_iter().collect();
        let compressed: Vec<String> = files.keys().filter(|name| name.ends_with(".br")).cloned().collect();
        let mut siblings: BTreeMap<String, Bytes> = BTreeMap::new();
        for name in compressed {
            if let (Some(plain), Some(content)) = (name.strip_suffix(".br"), files.remove(&name)) {
                siblings.insert(plain.to_owned(), content);
            }
        }
        let mut all = Sha256::new();
        let mut assets = BTreeMap::new();
        for (name, plain) in files {
            let hash = hex(&Sha256::digest(&plain));
            all.update(name.as_bytes());
            all.update(hash.as_bytes());
            let Ok(etag) = HeaderValue::from_str(&format!("\"{hash}\"")) else { continue };
            let asset = Asset { brotli: siblings.remove(&name), kind: media_type(&name), etag, plain };
            assets.insert(name, asset);
        }
        let version = hex(&all.finalize());
        Self { assets, version }
    }

    /// Changes whenever a file does; put as `?v=` behind a path it makes the answer cacheable for good.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.assets.is_empty()
    }

    /// The answer for a path, if there is such a file.
    pub fn answer(&self, method: &Method, path: &str, query: Option<&str>, headers: &HeaderMap) -> Option<Response> {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return None;
        }
        let asset = self.assets.get(path.strip_prefix('/')?)?;
        let versioned = query.and_then(|query| query.strip_prefix("v=")) == Some(self.version.as_str());
        let cache = if versioned || is_of_one_build(path) { IMMUTABLE } else { REVALIDATE };
        let known = headers.get(IF_NONE_MATCH).and_then(|tags| tags.to_str().ok()).is_some_and(|tags| {
            let etag = asset.etag.to_str().unwrap_or_default();
            tags.split(',').any(|tag| tag.trim().trim_start_matches("W/") == etag)
        });
        let fixed =
            [(CACHE_CONTROL, cache), (ETAG, asset.etag.clone()), (VARY, HeaderValue::from_static("accept-encoding"))];
        if known {
            return Some((StatusCode::NOT_MODIFIED, fixed).into_response());
        }
        let kind = [(CONTENT_TYPE, HeaderValue::from_static(asset.kind))];
        let response = match asset.brotli.as_ref().filter(|_| accepts_brotli(headers)) {
            Some(brotli) => {
                let encoding = [(CONTENT_ENCODING, HeaderValue::from_static("br"))];
                (fixed, kind, encoding, Body::from(brotli.clone())).into_response()
            }
            None => (fixed, kind, Body::from(asset.plain.clone())).into_response(),
        };
        Some(response)
    }
}

/// Whether the name of a file says the build it is of, as those of the console's parts do: `soit_keys.0123456789abcdef.wasm`.
fn is_of_one_build(path: &str) -> bool {
    let build = path.rsplit('.').nth(1).unwrap_or_default();
    build.len() == 16 && build.bytes().all(|digit| digit.is_ascii_hexdigit())
}

fn read_folder(folder: &Path, prefix: &str, files: &mut Vec<(String, Bytes)>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or(Cow::Borrowed(""));
        if path.is_dir() {
            read_folder(&path, &format!("{prefix}{name}/"), files)?;
        } else {
            files.push((format!("{prefix}{name}"), Bytes::from(std::fs::read(&path)?)));
        }
    }
    Ok(())
}

fn accepts_brotli(headers: &HeaderMap) -> bool {
    let encodings = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    encodings.flat_map(|value| value.split(',')).any(|encoding| {
        let (name, weight) = encoding.split_once(';').unwrap_or((encoding, ""));
        name.trim().eq_ignore_ascii_case("br") && weight.trim().trim_start_matches("q=").parse() != Ok(0.0)
    })
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("css") => "text/css; charset=utf-8",
        Some("html") => "text/html; charset=utf-8",
        Some("ico") => "image/x-icon",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json" | "webmanifest") => "application/json",
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        Some("txt") => "text/plain; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().take(16).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderName;

    fn site() -> Site {
        let files = [("pkg/soit.wasm", "plain"), ("pkg/soit.wasm.br", "small"), ("favicon.svg", "<svg/>")];
        Site::of_files(files.map(|(name, content)| (name.to_owned(), Bytes::from_static(content.as_bytes()))))
    }

    fn ask(path: &str, query: Option<&str>, headers: &[(HeaderName, &str)]) -> Option<Response> {
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect();
        site().answer(&Method::GET, path, query, &headers)
    }

    #[test]
    fn brotli_goes_to_those_who_accept_it() {
        let small = ask("/pkg/soit.wasm", None, &[(ACCEPT_ENCODING, "gzip, br;q=0.5")]).unwrap();
        assert_eq!(small.headers().get(CONTENT_ENCODING).unwrap(), "br");
        assert_eq!(small.headers().get(CONTENT_TYPE).unwrap(), "application/wasm");
        for encodings in ["gzip", "br;q=0"] {
            let plain = ask("/pkg/soit.wasm", None, &[(ACCEPT_ENCODING, encodings)]).unwrap();
            assert!(plain.headers().get(CONTENT_ENCODING).is_none());
        }
    }

    #[test]
    fn unchanged_files_are_not_sent_again_and_versioned_ones_not_asked_for() {
        let first = ask("/favicon.svg", None, &[]).unwrap();
        let etag = first.headers().get(ETAG).unwrap().to_str().unwrap().to_owned();
        assert_eq!(first.headers().get(CACHE_CONTROL), Some(&REVALIDATE));
        let second = ask("/favicon.svg", None, &[(IF_NONE_MATCH, &etag)]).unwrap();
        assert_eq!(second.status(), StatusCode::NOT_MODIFIED);
        let versioned = ask("/favicon.svg", Some(&format!("v={}", site().version())), &[]).unwrap();
        assert_eq!(versioned.headers().get(CACHE_CONTROL), Some(&IMMUTABLE));
    }

    #[test]
    fn a_file_whose_name_says_its_build_is_not_asked_for_again() {
        for (path, is_kept) in [
            ("/pkg/soit_keys.0123456789abcdef.wasm", true),
            ("/pkg/soit_keys.0123456789abcde.wasm", false),
            ("/pkg/soit_keys.0123456789abcdeg.wasm", false),
            ("/pkg/soit_bg.wasm", false),
            ("/0123456789abcdef", false),
        ] {
            assert_eq!(is_of_one_build(path), is_kept, "{path}");
        }
    }

    #[test]
    fn only_known_names_are_files() {
        for path in ["/pkg/soit.wasm.br", "/../Cargo.toml", "//favicon.svg", "/pkg", "/"] {
            assert!(ask(path, None, &[]).is_none(), "{path}");
        }
    }
}
