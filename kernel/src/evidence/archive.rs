//! Files in and out of a zip: stored as they are, by name, at one fixed time.

use std::io::{Cursor, Read, Write};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::file::{Files, LISTED, MANIFEST, SIGNATURE, SUMS};

/// Most bytes of an unpacked bundle.
const MOST: u64 = 1 << 30;

/// Why a zip is no bundle.
pub(super) enum Unpacked {
    /// It cannot be read.
    Unreadable(String),
    /// A file is not as it was packed.
    Altered(String, &'static str),
}

/// Packs files: the same files give the same bytes.
pub(super) fn pack(files: &Files) -> Result<Vec<u8>, ZipError> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(name.as_str(), options)?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// Unpacks a bundle: exactly the files there are, each once.
pub(super) fn unpack(bytes: &[u8]) -> Result<Files, Unpacked> {
    let unreadable = |error: ZipError| Unpacked::Unreadable(format!("it is no zip that can be read: {error}"));
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(unreadable)?;
    if zip.has_duplicate_names() {
        return Err(Unpacked::Altered("the archive".to_owned(), "it holds a file twice"));
    }
    let mut files = Files::new();
    let mut total = 0;
    for index in 0..zip.len() {
        let mut file = zip.by_index(index).map_err(unreadable)?;
        let name = file.name().map_err(unreadable)?.into_owned();
        if !is_expected(&name) {
            return Err(Unpacked::Altered(name, "it does not belong into a bundle"));
        }
        total = u64::saturating_add(total, file.size());
        if total > MOST {
            return Err(Unpacked::Unreadable("it unpacks to more than 1 GiB".to_owned()));
        }
        let mut content = Vec::new();
        let size = file.size();
        let read = file.by_ref().take(size + 1).read_to_end(&mut content);
        if read.is_err() || content.len() as u64 != size {
            return Err(Unpacked::Altered(name, "its bytes are not those that were packed"));
        }
        files.insert(name, content);
    }
    let missing = expected().find(|name| !files.contains_key(*name));
    match missing {
        Some(name) => Err(Unpacked::Altered(name.to_owned(), "it is missing")),
        None => Ok(files),
    }
}

fn expected() -> impl Iterator<Item = &'static str> {
    LISTED.into_iter().chain([MANIFEST, SUMS, SIGNATURE])
}

fn is_expected(name: &str) -> bool {
    expected().any(|expected| expected == name)
}
