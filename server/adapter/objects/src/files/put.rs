//! Writing and deleting files.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use kernel::port::ObjectKey;

use super::UNNAMED;

/// How often a folder is made anew that somebody tidied away meanwhile.
const ATTEMPTS: u32 = 100;

/// Files this process began to write.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Writes a file, syncs it, names it, and syncs the name.
pub(super) fn put(root: &Path, key: &str, bytes: &[u8]) -> io::Result<()> {
    let unnamed = write(root, bytes)?;
    let named = name(root, &unnamed, key);
    if named.is_err() {
        // What is left here is found at the next start.
        let _ = fs::remove_file(&unnamed);
    }
    named
}

fn write(root: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let (path, mut file) = unnamed(root)?;
    match file.write_all(bytes).and_then(|()| file.sync_all()) {
        Ok(()) => Ok(path),
        Err(error) => {
            let _ = fs::remove_file(&path);
            Err(error)
        }
    }
}

/// A file nobody else writes, in this process or another.
fn unnamed(root: &Path) -> io::Result<(PathBuf, File)> {
    loop {
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let path = root.join(UNNAMED).join(format!("{}-{number}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (path, file)),
        }
    }
}

fn name(root: &Path, unnamed: &Path, key: &str) -> io::Result<()> {
    let path = root.join(key);
    let folder = path.parent().unwrap_or(root);
    let mut attempt = 1;
    loop {
        let mut folders = DirBuilder::new();
        match folders.recursive(true).mode(0o700).create(folder).and_then(|()| fs::rename(unnamed, &path)) {
            // The folder was empty and was tidied away; who makes folders beneath each other may be told either.
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) && attempt < ATTEMPTS =>
            {
                attempt += 1;
            }
            renamed => {
                renamed?;
                return sync(root, &path);
            }
        }
    }
}

/// Syncs the folders down to a file, whoever made them.
fn sync(root: &Path, file: &Path) -> io::Result<()> {
    for folder in file.ancestors().skip(1).take_while(|folder| folder.starts_with(root)) {
        match File::open(folder).and_then(|folder| folder.sync_all()) {
            // The file was deleted, and its folders with it.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            synced => synced?,
        }
    }
    Ok(())
}

/// Deletes a file, and the folders that are empty then.
pub(super) fn delete(root: &Path, key: &ObjectKey) -> io::Result<()> {
    let path = root.join(key.as_str());
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    for folder in path.ancestors().skip(1).take_while(|folder| *folder != root) {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}

/// Whether files can be written here.
pub(super) fn probe(root: &Path) -> io::Result<()> {
    let (path, mut file) = unnamed(root)?;
    let written = file.write_all(&[0]);
    fs::remove_file(path)?;
    written
}
