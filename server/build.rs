//! Lists the files the binary carries: the pages of error codes always, the console's files with feature `embed`.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

#[expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts through the environment")]
fn variable(name: &str) -> Result<String, String> {
    println_cargo(&format!("rerun-if-env-changed={name}"));
    env::var(name).map_err(|_| format!("{name} is not set"))
}

fn println_cargo(instruction: &str) {
    println!("cargo::{instruction}");
}

fn main() -> Result<(), Box<dyn Error>> {
    let output = PathBuf::from(variable("OUT_DIR")?);
    let pages = Path::new(&variable("CARGO_MANIFEST_DIR")?).join("../docs/errors");
    fs::write(output.join("error_pages.rs"), list(&pages)?)?;
    println_cargo(&format!("rustc-env=SOIT_COMMIT={}", commit()));
    if variable("CARGO_FEATURE_EMBED").is_ok() {
        let site =
            variable("SOIT_SITE_DIR").map_err(|error| format!("{error}: feature `embed` needs the console's files"))?;
        fs::write(output.join("site.rs"), list(Path::new(&site))?)?;
    }
    Ok(())
}

/// The commit the binary is made from: as the build is told, else as git says of a binary that is to be handed on. Others
/// are not made anew for every commit.
fn commit() -> String {
    let told = variable("SOIT_COMMIT").ok().filter(|commit| !commit.is_empty());
    let read = || {
        variable("CARGO_FEATURE_EMBED").ok()?;
        let git = |arguments: &[&str]| {
            let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
            Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
        };
        println_cargo(&format!("rerun-if-changed={}", git(&["rev-parse", "--git-path", "logs/HEAD"])?));
        git(&["rev-parse", "--short=12", "HEAD"])
    };
    told.or_else(read).unwrap_or_else(|| "unknown".to_owned())
}

/// A slice of names and contents, sorted.
fn list(folder: &Path) -> Result<String, Box<dyn Error>> {
    println_cargo(&format!("rerun-if-changed={}", folder.display()));
    let folder = folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files = Vec::new();
    collect(&folder, &mut files)?;
    files.sort();
    let mut text = "&[\n".to_owned();
    for path in files {
        let name = path.strip_prefix(&folder)?;
        writeln!(text, "    ({name:?}, include_bytes!({path:?}) as &[u8]),")?;
    }
    text.push_str("]\n");
    Ok(text)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
