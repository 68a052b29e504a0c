//! Measures the store itself: how much a transaction is shared, what PostgreSQL could do at best, what writers of one
//! budget cost each other, what the check of access rules and the hash chain take, what a consumer that fails costs the
//! others, and whether a page of a million runs costs more than one of ten thousand.
//!
//! `make bench` runs it and puts its section into `docs/benchmarks.md`. Invariant: only ratios within a run are judged.

mod floor;
mod list;
mod load;
mod outbox;
mod section;

use std::path::PathBuf;

use testkit::database::Engine;

use load::Crowd;
use section::Section;

/// Writers of the busy cells.
const WRITERS: usize = 64;

fn argument(name: &str) -> Option<String> {
    std::env::args().skip_while(|word| word != name).nth(1)
}

#[tokio::main(flavor = "multi_thread")]
async fn main() -> Result<(), String> {
    let output = PathBuf::from(argument("--output").ok_or("--output FILE for the section is required")?);
    let pgbench = argument("--pgbench").ok_or("--pgbench PATH is required")?;
    let many = argument("--runs").map_or(Ok(1_000_000), |text| text.parse::<usize>());
    let many = many.map_err(|error| format!("--runs: {error}"))?;
    let mut section = Section::default();
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let alone = load::measure(engine, 1, Crowd::Together).await?;
        let apart = load::measure(engine, WRITERS, Crowd::Apart).await?;
        let together = load::measure(engine, WRITERS, Crowd::Together).await?;
        section.writers(engine, &alone, &apart, &together);
        section.epoch(engine, &together, &load::measure(engine, WRITERS, Crowd::Checked).await?);
        section.chain(engine, &load::measure(engine, WRITERS, Crowd::Ending).await?);
        section.consumers(engine, &outbox::measure(engine).await?);
        if engine == Engine::Postgres {
            section.floor(&together, floor::measure(&pgbench, WRITERS)?);
        }
        section.lists(engine, list::measure(engine, 10_000).await?, list::measure(engine, many).await?);
    }
    std::fs::write(&output, section.text()).map_err(|error| format!("{}: {error}", output.display()))
}
