//! The structure of the workspace: what the inner crates may name, and how long a file may be.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What a crate may name in its code: its features and dependencies, not those of its tests.
fn arrows(manifest: &str) -> String {
    let mut kept = Vec::new();
    let mut keeps = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            keeps = line == "[dependencies]" || line == "[features]" || line.ends_with(".dependencies]");
        }
        if keeps && !line.trim().is_empty() {
            kept.push(line);
        }
    }
    kept.join("\n")
}

#[test]
fn the_inner_crates_name_nothing_new() {
    for name in ["kernel", "app/types", "app"] {
        let manifest = fs::read_to_string(root().join(name).join("Cargo.toml")).expect("a manifest");
        insta::assert_snapshot!(format!("manifest_{}", name.replace('/', "_")), arrows(&manifest));
    }
}

/// The Rust files below a folder, but for what was built.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !matches!(name, "tests" | "target" | "node_modules") && !name.starts_with('.') {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_file_is_longer_than_it_should_be() {
    let mut found = Vec::new();
    files(&root(), &mut found);
    assert!(found.len() > 300, "only {} files were looked at", found.len());
    for path in found {
        let source = fs::read_to_string(&path).expect("a file");
        let lines = source.split("#[cfg(test)]").next().unwrap_or_default().lines().count();
        assert!(lines <= 600, "{} has {lines} lines", path.display());
    }
}
