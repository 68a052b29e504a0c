//! Measures soit beside direct calls and other gateways, in one run, in interleaved rounds, against one mock upstream.
//!
//! `make bench` builds the release binary and runs this; the outcome is `docs/benchmarks.md`. Every figure is a ratio or
//! a difference within the run: absolute numbers only describe the machine. Load goes to loopback only.

mod access;
mod export;
mod load;
mod peer;
mod reads;
mod report;
mod soit;
mod upstream;
mod wire;

use std::path::PathBuf;

use load::{Sample, Shape};
use peer::Target;

/// Rounds: every target is measured once in each, in turn.
const ROUNDS: usize = 3;

fn argument(name: &str) -> Option<PathBuf> {
    let mut words = std::env::args().skip_while(|word| word != name);
    words.nth(1).map(PathBuf::from)
}

#[tokio::main(flavor = "multi_thread")]
async fn main() -> Result<(), String> {
    let server = argument("--server").ok_or("--server PATH of the release binary is required")?;
    let output = argument("--output").unwrap_or_else(|| PathBuf::from("docs/benchmarks.md"));
    let upstream = upstream::serve().await?;
    let data = tempfile::tempdir().map_err(|error| error.to_string())?;
    let fsync = report::fsync_time(data.path()).map_err(|error| error.to_string())?;
    let mut targets = vec![Target::direct(upstream)];
    for durability in ["standard", "process"] {
        targets.push(soit::start(&server, &data.path().join(durability), durability, upstream).await?);
    }
    if let Some(command) = argument("--portkey") {
        targets.push(peer::portkey(&command, upstream).await?);
    }
    if let Some(command) = argument("--litellm") {
        targets.push(peer::litellm(&command, upstream).await?);
    }
    let mut samples: Vec<Sample> = Vec::new();
    let idle: Vec<Option<u64>> = targets.iter().map(Target::resident_kib).collect();
    for target in &mut targets {
        if !load::warm_up(target, false).await {
            return Err(format!("{} answers nothing with 200", target.name));
        }
        target.streams = load::warm_up(target, true).await;
    }
    for round in 1..=ROUNDS {
        for shape in Shape::ALL {
            for target in targets.iter().filter(|target| target.streams || !shape.stream) {
                let sample = load::measure(target, *shape, round).await?;
                eprintln_line(&sample.to_string());
                samples.push(sample);
            }
        }
    }
    let soit = targets.iter().find(|target| target.name == "soit (standard)").ok_or("no soit")?;
    let mut sections = reads::section(soit).await?;
    if let Some(file) = argument("--section") {
        sections += &std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let old = std::fs::read_to_string(&output).unwrap_or_default();
    let page = report::page(&targets, &samples, &idle, fsync, &sections) + report::kept(&old);
    std::fs::write(&output, page).map_err(|error| format!("{}: {error}", output.display()))?;
    eprintln_line(&format!("written: {}", output.display()));
    Ok(())
}

#[expect(clippy::print_stderr, reason = "a person watches the run")]
fn eprintln_line(text: &str) {
    eprintln!("{text}");
}
