//! The parts of the browser half: cut where `#[wasm_split]` says so, into files whose names change with every build.
//!
//! A part fits the one build it was cut from. So a page that is older than the server's files finds no part, and asks its
//! reader to load it anew, instead of running what does not fit.
//!
//! What several parts need is cut into many small modules, one for each set of parts. They travel as one file, one behind the
//! other, since a request costs more than the bytes that a part would save by leaving out what it does not need.

use std::{fs, path::Path};

use anyhow::{Context, anyhow, ensure};
use walrus::ModuleConfig;
use wasm_split_cli_support::{Options, transform};

/// The script that loads parts.
const LOADER: &str = "parts.js";
/// The module that is loaded at once, until `wasm-bindgen` has processed it.
const MAIN: &str = "main.wasm";
/// What that script asks for files with.
const FETCHES: &str = include_str!("loader.js");

/// Writes the parts of a module and the script that loads them, and answers the rest of it.
pub(crate) fn split(wasm: &[u8], out_dir: &Path, out_name: &str) -> anyhow::Result<Vec<u8>> {
    let (main, link, script) = (out_dir.join(MAIN), format!("./{LOADER}"), format!("./{out_name}.js"));
    let mut options = Options::new(wasm);
    options.output_dir = out_dir;
    options.main_out_path = &main;
    options.link_name = &link;
    options.main_module = &script;
    let mut paths = transform(options).map_err(|error| anyhow!("{error:?}"))?.split_modules;
    paths.sort();
    let rest = taken(&main)?;
    let parts = paths.iter().map(|path| part(path)).collect::<anyhow::Result<Vec<_>>>()?;

    let build = digest(parts.iter().map(|(_, module)| module).chain([&rest]));
    let loader = out_dir.join(LOADER);
    let mut text = fs::read_to_string(&loader)?;
    let mut shared = Vec::new();
    for (name, module) in parts {
        let fetched = format!("fetch(new URL(\"./{name}.wasm\", import.meta.url))");
        ensure!(text.contains(&fetched), "`{LOADER}` does not load part `{name}` as expected");
        let fetches = if let Some(part) = name.strip_prefix("split_") {
            let named = format!("{out_name}_{part}.{build:016x}.wasm");
            fs::write(out_dir.join(&named), module)?;
            format!("fetched(\"./{named}\")")
        } else {
            let from = shared.len();
            shared.extend_from_slice(&module);
            format!("shared({from}, {})", shared.len())
        };
        text = text.replace(&fetched, &fetches);
    }
    let file = format!("{out_name}_shared.{build:016x}.wasm");
    fs::write(out_dir.join(&file), shared)?;
    fs::write(&loader, text + &FETCHES.replace("SHARED", &file))?;
    Ok(rest)
}

/// A part: its name, and the module without names and notes, and with its numbers written short, which the linker leaves
/// room in for relocations.
fn part(path: &Path) -> anyhow::Result<(String, Vec<u8>)> {
    let name = path.file_stem().and_then(|name| name.to_str()).context("a part has no name")?;
    let mut config = ModuleConfig::new();
    config.generate_name_section(false).generate_producers_section(false);
    let mut module = config.parse(&taken(path)?).with_context(|| format!("cannot read part `{name}`"))?;
    let custom: Vec<_> = module.customs.iter().map(|(id, _)| id).collect();
    for id in custom {
        module.customs.delete(id);
    }
    Ok((name.to_owned(), module.emit_wasm()))
}

/// What is in a file that was only there to be read.
fn taken(path: &Path) -> anyhow::Result<Vec<u8>> {
    let content = fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    fs::remove_file(path)?;
    Ok(content)
}

/// Tells builds apart (FNV-1a).
fn digest<'a>(files: impl Iterator<Item = &'a Vec<u8>>) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325;
    files.flatten().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}
