//! The bytes around the files of a bundle: a zip of files stored as they are, written in one way alone.
//!
//! Every field is either fixed or follows from the files, so whoever has the files can write the container anew and compare.
//! It is written here and not by a library, so that another version of one cannot write it otherwise.

use super::file::Files;

/// What a file's own header begins with.
const LOCAL: [u8; 4] = *b"PK\x03\x04";
/// What the header of a file in the directory begins with.
pub(super) const CENTRAL: [u8; 4] = *b"PK\x01\x02";
/// What the end begins with.
const END: [u8; 4] = *b"PK\x05\x06";
/// Format 1.0, no flags, stored, at midnight of 1980-01-01.
const COMMON: [u8; 10] = [10, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
/// Made by a Unix, format 1.0.
const MADE_BY: [u8; 2] = [10, 3];
/// A regular file, `rw-r--r--`, as Unix has it.
const ATTRIBUTES: u32 = 0o100644 << 16;
/// Length of a file's own header, without the name.
pub(super) const HEAD: usize = 30;

/// A file that is too large for a zip of this form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the files are too large for a bundle")]
pub(super) struct TooLarge;

/// What the headers say of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) crc32: u32,
    pub(super) size: u32,
}

impl Entry {
    fn of(name: &str, bytes: &[u8]) -> Result<Self, TooLarge> {
        let size = u32::try_from(bytes.len()).map_err(|_| TooLarge)?;
        Ok(Self { name: name.to_owned(), crc32: crc32fast::hash(bytes), size })
    }

    /// What the header at the start of `bytes` says; none where there is no header.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| bytes.get(at..at + 4)?.try_into().map(u32::from_le_bytes).ok();
        let length = bytes.get(26..28)?.try_into().map(u16::from_le_bytes).ok()?;
        let name = bytes.strip_prefix(&LOCAL).and_then(|_| bytes.get(HEAD..HEAD + usize::from(length)))?;
        let name = String::from_utf8_lossy(name).into_owned();
        Some(Self { name, crc32: number(14)?, size: number(22)? })
    }

    /// The header before its bytes.
    pub(super) fn header(&self) -> Vec<u8> {
        [&LOCAL[..], &self.facts(), &[0; 2], self.name.as_bytes()].concat()
    }

    /// The header in the directory, of a file whose own header is `at` there.
    fn listed(&self, at: u32) -> Vec<u8> {
        // No more fields, no comment, the first disk, no inner attributes.
        let rest = [&[0_u8; 8][..], &ATTRIBUTES.to_le_bytes(), &at.to_le_bytes(), self.name.as_bytes()].concat();
        [&CENTRAL[..], &MADE_BY, &self.facts(), &rest].concat()
    }

    /// What both headers say.
    fn facts(&self) -> Vec<u8> {
        let size = self.size.to_le_bytes();
        // The names are soit's own, and short.
        let length = u16::try_from(self.name.len()).unwrap_or(u16::MAX).to_le_bytes();
        [&COMMON[..], &self.crc32.to_le_bytes(), &size, &size, &length].concat()
    }
}

/// All of it: the files by name, then the directory.
pub(super) fn write(files: &Files) -> Result<Vec<u8>, TooLarge> {
    let (mut bytes, mut entries) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let entry = Entry::of(name, content)?;
        bytes.extend(entry.header());
        bytes.extend(content);
        entries.push(entry);
    }
    bytes.extend(directory(&entries)?.into_iter().flat_map(|(_, part)| part));
    Ok(bytes)
}

/// Bytes of the directory, and the file they are of.
pub(super) type Part<'a> = (Option<&'a str>, Vec<u8>);

/// What stands behind the files: the header of each, and the end, which is nobody's.
pub(super) fn directory(entries: &[Entry]) -> Result<Vec<Part<'_>>, TooLarge> {
    let (mut at, mut size) = (0_u32, 0_usize);
    let mut parts = Vec::new();
    for entry in entries {
        let listed = entry.listed(at);
        size += listed.len();
        parts.push((Some(entry.name.as_str()), listed));
        let header = u32::try_from(entry.header().len()).map_err(|_| TooLarge)?;
        at = at.checked_add(header).and_then(|at| at.checked_add(entry.size)).ok_or(TooLarge)?;
    }
    let count = u16::try_from(entries.len()).map_err(|_| TooLarge)?.to_le_bytes();
    let size = u32::try_from(size).map_err(|_| TooLarge)?.to_le_bytes();
    parts.push((None, [&END[..], &[0; 4], &count, &count, &size, &at.to_le_bytes(), &[0; 2]].concat()));
    Ok(parts)
}
