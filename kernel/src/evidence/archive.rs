//! Files out of a bundle: only what was packed by [`write()`](super::container::write). Every byte of the container is compared
//! with the one that stands there when it is written anew.

use super::container::{CENTRAL, Entry, HEAD, directory};
use super::file::{Files, LISTED, MANIFEST, SIGNATURE, SUMS};

/// Most bytes of an unpacked bundle.
const MOST: usize = 1 << 30;
/// Within so many bytes the first file is looked for, to tell a bundle with something before it from what is none.
const NEAR: usize = 1 << 16;
/// What is named where a byte belongs to no file.
const CONTAINER: &str = "container";
/// So much is shown of a name that is none.
const SHOWN: usize = 80;

/// Why a zip is no bundle.
#[derive(Debug)]
pub(super) enum Unpacked {
    /// It cannot be read.
    Unreadable(String),
    /// A file, or what is around it, is not as it was packed.
    Altered(String, String),
}

/// Unpacks a bundle: exactly the files there are, each once, in their order, and nothing before, between or behind them.
pub(super) fn unpack(bytes: &[u8]) -> Result<Files, Unpacked> {
    let (mut files, mut entries, mut at) = (Files::new(), Vec::<Entry>::new(), 0);
    while let Some(entry) = bytes.get(at..).and_then(Entry::read) {
        let content = check(&entry, &files, bytes, at)?;
        if entries.last().is_some_and(|last| last.name > entry.name) {
            return Err(altered(&entry.name, format!("it is not in its place, byte {at}")));
        }
        files.insert(entry.name.clone(), content.to_vec());
        at += entry.header().len() + content.len();
        entries.push(entry);
    }
    let rest = bytes.get(at..).unwrap_or_default();
    if let Some(missing) = expected().filter(|name| !files.contains_key(*name)).min() {
        return Err(stopped(missing, bytes, at, rest));
    }
    let parts = directory(&entries).map_err(|error| Unpacked::Unreadable(error.to_string()))?;
    compare(&parts, rest, at)?;
    Ok(files)
}

/// The bytes of a file whose header is `at` there.
fn check<'a>(entry: &Entry, files: &Files, bytes: &'a [u8], at: usize) -> Result<&'a [u8], Unpacked> {
    let name = &entry.name;
    if !expected().any(|expected| expected == name) {
        return Err(altered(name, format!("it does not belong into a bundle, byte {at}")));
    }
    if files.contains_key(name) {
        return Err(altered(name, format!("it is there twice, byte {at}")));
    }
    let header = entry.header();
    let start = at + header.len();
    compare(&[(Some(name.as_str()), header)], bytes.get(at..start).unwrap_or_default(), at)?;
    let size = entry.size as usize;
    if size > MOST || files.values().map(Vec::len).sum::<usize>() + size > MOST {
        if bytes.len() > MOST {
            return Err(Unpacked::Unreadable("it unpacks to more than 1 GiB".to_owned()));
        }
        return Err(altered(name, format!("its header at byte {at} says it is larger than the whole bundle")));
    }
    let content = bytes.get(start..start + size).ok_or_else(|| altered(name, ends(bytes)))?;
    if crc32fast::hash(content) != entry.crc32 {
        return Err(altered(name, format!("its bytes from {start} on are not those that were packed")));
    }
    Ok(content)
}

/// Why no further file could be read, of which `missing` is the next.
fn stopped(missing: &str, bytes: &[u8], at: usize, rest: &[u8]) -> Unpacked {
    let is_near = || rest.windows(missing.len()).take(NEAR).any(|window| window == missing.as_bytes());
    if at == 0 && !is_near() {
        return Unpacked::Unreadable("it is no zip that can be read".to_owned());
    }
    if rest.starts_with(&CENTRAL) {
        return altered(missing, "it is missing".to_owned());
    }
    if rest.len() < HEAD + missing.len() {
        return altered(missing, ends(bytes));
    }
    altered(missing, format!("its header, which should begin at byte {at}, is not the one soit writes"))
}

/// Compares bytes with what soit writes there: every part, and nothing behind the last.
fn compare(parts: &[(Option<&str>, Vec<u8>)], bytes: &[u8], mut at: usize) -> Result<(), Unpacked> {
    let mut rest = bytes;
    for (owner, part) in parts {
        let name = owner.unwrap_or(CONTAINER);
        let same = part.iter().zip(rest).take_while(|(then, now)| then == now).count();
        if same < part.len() {
            let place = at + same;
            let why = if same < rest.len() {
                format!("byte {place} of the bundle, in the container, is not the one soit writes")
            } else {
                format!("the bundle ends too early, at byte {place}")
            };
            return Err(altered(name, why));
        }
        rest = rest.get(part.len()..).unwrap_or_default();
        at += part.len();
    }
    if rest.is_empty() {
        return Ok(());
    }
    Err(altered(CONTAINER, format!("what stands from byte {at} on does not belong there")))
}

fn ends(bytes: &[u8]) -> String {
    format!("the bundle ends too early, at byte {}", bytes.len())
}

fn altered(name: &str, why: String) -> Unpacked {
    Unpacked::Altered(name.chars().take(SHOWN).flat_map(char::escape_debug).collect(), why)
}

fn expected() -> impl Iterator<Item = &'static str> {
    LISTED.into_iter().chain([MANIFEST, SUMS, SIGNATURE])
}
