//! `soit-bindgen LOCKFILE INPUT_WASM OUT_DIR OUT_NAME`: writes `OUT_NAME.js` and `OUT_NAME_bg.wasm`, and beside them the
//! parts that a page loads when it needs them, with the script that does so.
//!
//! It does what the `wasm-bindgen` command does for a page (`--target web`), without that command's long build.
//! It is not an optimiser: the compiler's own settings already give the smallest file.

mod parts;

use std::{env, fs, path::Path};

use anyhow::{Context, bail, ensure};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [lockfile, input, out_dir, out_name] = arguments.as_slice() else {
        bail!("usage: soit-bindgen LOCKFILE INPUT_WASM OUT_DIR OUT_NAME");
    };
    let out_dir = Path::new(out_dir);

    let lock = fs::read_to_string(lockfile).with_context(|| format!("cannot read `{lockfile}`"))?;
    let library =
        locked_version(&lock, "wasm-bindgen").with_context(|| format!("`{lockfile}` does not lock `wasm-bindgen`"))?;
    let tool = wasm_bindgen_shared::version();
    ensure!(
        library == tool,
        "the workspace uses wasm-bindgen {library} and this tool {tool}: give `frontend/bindgen/Cargo.toml` the same version"
    );

    let wasm = fs::read(input).with_context(|| format!("cannot read `{input}`"))?;
    let main = parts::split(&wasm, out_dir, out_name).with_context(|| format!("cannot split `{input}`"))?;
    Bindgen::new()
        .input_bytes(out_name, main)
        .web(true)?
        .typescript(false)
        .omit_default_module_path(false)
        // What the parts import of it.
        .keep_lld_exports(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(out_dir)
        .with_context(|| format!("cannot process `{input}`"))
}

/// The version that a `Cargo.lock` holds for a package.
fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::locked_version;

    const LOCK: &str = "[[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n\n[[package]]\nname = \"web-sys\"\nversion = \"0.3.1\"\n";

    #[test]
    fn a_locked_package_has_a_version() {
        assert_eq!(locked_version(LOCK, "wasm-bindgen"), Some("0.2.130"));
    }

    #[test]
    fn a_package_that_is_not_locked_has_none() {
        assert_eq!(locked_version(LOCK, "wasm-bindgen-shared"), None);
    }
}
