//! What lies in the folder.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use chrono::NaiveDate;
use kernel::port::ObjectKey;

/// Names in a folder, in order; none where there is no such folder.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        entries => entries?,
    };
    let names = entries.map(|entry| entry.map(|entry| entry.file_name().into_string().ok()));
    let names: Vec<Option<String>> = names.collect::<io::Result<_>>()?;
    let mut names: Vec<String> = names.into_iter().flatten().collect();
    names.sort();
    Ok(names)
}

/// The days there are folders of.
pub(super) fn days(root: &Path) -> io::Result<Vec<NaiveDate>> {
    Ok(names(root)?.iter().filter_map(|name| name.parse().ok()).collect())
}

/// The folders of a day, one a workspace, as keys begin with them.
pub(super) fn workspaces(root: &Path, day: NaiveDate) -> io::Result<Vec<String>> {
    let mut folders = Vec::new();
    for tenant in names(&root.join(day.to_string()))? {
        for workspace in names(&root.join(day.to_string()).join(&tenant))? {
            folders.push(format!("{day}/{tenant}/{workspace}"));
        }
    }
    Ok(folders)
}

/// The objects in one of these folders. What is none of soit's is left alone.
pub(super) fn keys(root: &Path, folder: &str) -> io::Result<Vec<ObjectKey>> {
    let names = names(&root.join(folder))?;
    Ok(names.iter().filter_map(|name| ObjectKey::from_text(&format!("{folder}/{name}"))).collect())
}
