//! The page: medians over the rounds, ratios to the other targets, and every raw cell.

use std::fmt::Write;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::load::{Sample, Shape};
use crate::peer::Target;

/// A target's median over the rounds in one shape.
struct Median {
    rate: f64,
    p50: Duration,
    p99: Duration,
    lateness: Option<Duration>,
    errors: usize,
}

fn median(samples: &[Sample], target: &str, shape: Shape) -> Option<Median> {
    let mine: Vec<&Sample> = samples.iter().filter(|sample| sample.target == target && sample.shape == shape).collect();
    let middle = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    let time = |pick: fn(&Sample) -> Duration| {
        middle(mine.iter().map(|sample| pick(sample).as_secs_f64()).collect()).map(Duration::from_secs_f64)
    };
    Some(Median {
        rate: middle(mine.iter().map(|sample| sample.rate).collect())?,
        p50: time(|sample| sample.p50)?,
        p99: time(|sample| sample.p99)?,
        lateness: if shape.stream { time(|sample| sample.lateness_p99.unwrap_or_default()) } else { None },
        errors: mine.iter().map(|sample| sample.errors).sum(),
    })
}

fn millis(duration: Duration) -> String {
    format!("{:.2}", duration.as_secs_f64() * 1e3)
}

fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("unknown", |line| line.trim_start_matches([' ', '\t', ':']));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    format!(
        "{cores} cores ({model}), load average at the end {}",
        load.split_whitespace().take(3).collect::<Vec<_>>().join(" ")
    )
}

/// One goal: what was asked, what was measured, whether it was met.
pub(crate) fn goal(page: &mut String, asked: &str, measured: Option<f64>, unit: &str, met: fn(f64) -> bool) {
    let (shown, verdict) = match measured {
        Some(value) => (format!("{value:.3}{unit}"), if met(value) { "met" } else { "**missed**" }),
        None => ("not measured".to_owned(), "open"),
    };
    let _ = writeln!(page, "| {asked} | {shown} | {verdict} |");
}

/// What was aimed at, judged by this run's own figures.
fn goals(page: &mut String, samples: &[Sample], idle_kib: Option<u64>, fsync: Duration) {
    let one = Shape { callers: 1, delay_ms: 0, stream: false };
    let many = Shape { callers: 64, delay_ms: 0, stream: false };
    let seconds = |target: &str| median(samples, target, one).map(|cell| cell.p50.as_secs_f64());
    let added = |target: &str| Some(seconds(target)? - seconds("direct")?);
    let share = |other: &str| Some(added("soit (process)")? / added(other)?);
    let rate = |target: &str| median(samples, target, many).map(|cell| cell.rate);
    let times = |other: &str| Some(rate("soit (process)")? / rate(other)?);
    let step = ["soit (standard)", "soit (process)"].iter().flat_map(|target| {
        let frames = Shape { callers: 1, delay_ms: 0, stream: true };
        [added(target), median(samples, target, frames).and_then(|cell| Some(cell.lateness?.as_secs_f64()))]
    });
    let step = step.flatten().max_by(f64::total_cmp).map(|seconds| seconds * 1e3);
    let fsyncs = || Some((seconds("soit (standard)")? - seconds("soit (process)")?) / fsync.as_secs_f64());
    page.push_str("## Goals\n\n| goal | measured | |\n|---|--:|---|\n");
    goal(page, "added p50 at c=1, `process` ÷ Portkey: at most 0.1", share("Portkey"), "", |share| share <= 0.1);
    goal(page, "added p50 at c=1, `process` ÷ LiteLLM: at most 0.033", share("LiteLLM"), "", |share| {
        share <= 1.0 / 30.0
    });
    goal(page, "calls/s at c=64, `process` ÷ Portkey: at least 8", times("Portkey"), "", |times| times >= 8.0);
    goal(page, "calls/s at c=64, `process` ÷ LiteLLM: at least 50", times("LiteLLM"), "", |times| times >= 50.0);
    goal(page, "`standard` over `process` at c=1, in fsyncs: about one, at most 2", fsyncs(), "", |fsyncs| {
        fsyncs <= 2.0
    });
    goal(page, "no 40 ms step: longest added p50 or frame delay at c=1", step, " ms", |step| step < 40.0);
    #[expect(clippy::cast_precision_loss, reason = "memory in KiB is far below 2^53")]
    let idle = idle_kib.map(|kib| kib as f64 / 1024.0);
    goal(page, "idle memory: at most 64 MiB", idle, " MiB", |idle| idle <= 64.0);
    let _ = writeln!(page, "\nOne fsync of a 4 KiB write takes {} ms here (median).\n", millis(fsync));
}

/// The median time of a 4 KiB write that reaches the disk.
pub(crate) fn fsync_time(folder: &Path) -> std::io::Result<Duration> {
    let path = folder.join("fsync");
    let mut file = std::fs::File::create(&path)?;
    let mut times = Vec::new();
    for _ in 0..200 {
        let start = Instant::now();
        file.write_all(&[0x5a; 4096])?;
        file.sync_data()?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok(times.get(times.len() / 2).copied().unwrap_or_default())
}

/// The whole of `docs/benchmarks.md`.
pub(crate) fn page(
    targets: &[Target],
    samples: &[Sample],
    idle: &[Option<u64>],
    fsync: Duration,
    sections: &str,
) -> String {
    let mut page = String::from(
        "# Benchmarks\n\nWritten by `make bench`; run it again to repeat every figure. One run, one mock upstream on loopback, closed-loop callers,\n\
         targets interleaved in three rounds of 3 s a cell, medians. Callers, upstream and target share the machine's cores, so\n\
         only differences and ratios within the page mean anything. soit runs with key, hard budget, price and ledger on;\n\
         the other gateways without budget or ledger.\n\n",
    );
    let _ = writeln!(page, "Machine: {}.\n", machine());
    let idle_soit = targets.iter().zip(idle).filter(|(target, _)| target.name.starts_with("soit"));
    goals(&mut page, samples, idle_soit.filter_map(|(_, kib)| *kib).max(), fsync);
    for shape in Shape::ALL {
        table(&mut page, targets, samples, *shape);
    }
    let _ = writeln!(page, "## Memory\n\n| target | idle RSS MiB | after load MiB |\n|---|--:|--:|");
    for (target, idle) in targets.iter().zip(idle) {
        let show = |kib: Option<u64>| kib.map_or("—".to_owned(), |kib| (kib / 1024).to_string());
        let _ = writeln!(page, "| {} | {} | {} |", target.name, show(*idle), show(target.resident_kib()));
    }
    let _ = write!(page, "\n{}\n", sections.trim_end());
    let _ = writeln!(page, "\n## Every cell\n\n```text");
    for sample in samples {
        let _ = writeln!(page, "{sample}");
    }
    page.push_str("```\n");
    page
}

/// What people wrote at the end of the page stays when it is written anew.
pub(crate) fn kept(old: &str) -> &str {
    old.find("\n## What limits it").and_then(|start| old.get(start..)).unwrap_or_default()
}

fn table(page: &mut String, targets: &[Target], samples: &[Sample], shape: Shape) {
    let latency = if shape.stream { "first text" } else { "latency" };
    let _ = writeln!(
        page,
        "## {shape}\n\n| target | calls/s | {latency} p50 ms | p99 ms | added p50 ms | frame late p99 ms | soit (process) ÷ it: calls/s | errors |\n|---|--:|--:|--:|--:|--:|--:|--:|"
    );
    let direct = median(samples, "direct", shape);
    let soit = median(samples, "soit (process)", shape);
    for target in targets {
        let Some(cell) = median(samples, &target.name, shape) else {
            let _ = writeln!(page, "| {} | answers no streams here | | | | | | |", target.name);
            continue;
        };
        let added = direct.as_ref().map_or("—".to_owned(), |direct| {
            format!("{:.2}", (cell.p50.as_secs_f64() - direct.p50.as_secs_f64()) * 1e3)
        });
        let ratio = soit.as_ref().map_or("—".to_owned(), |soit| format!("{:.1}", soit.rate / cell.rate));
        let late = cell.lateness.map_or("—".to_owned(), millis);
        let _ = writeln!(
            page,
            "| {} | {:.0} | {} | {} | {added} | {late} | {ratio} | {} |",
            target.name,
            cell.rate,
            millis(cell.p50),
            millis(cell.p99),
            cell.errors
        );
    }
    page.push('\n');
}
